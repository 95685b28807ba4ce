import { isIndex, keyOf } from '../composition/read.ts'
import { byAge, type Reader } from '../composition/reader.ts'
import { maxValues, put } from '../composition/value.ts'
import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import type { Answer, Format } from './query.ts'

type Entry = Record<string, unknown>
type Content = string | Entry | unknown[]

/**
 * Shapes an answer: one object for each root. Connections and concepts that are not here are left out, and so
 * is a connection back to a concept around it. The newest of several single links counts (DATAV2 lists them
 * all); a record's own data comes in its own order, lists in theirs. Throws `tooLarge` for more than
 * `maxValues` values.
 */
export function format(graph: Reader, answer: Answer, form: Format): Entry[] {
  const ends = attach(graph, answer)
  const counts = countsOf(graph, answer)
  const ascending = answer.order === 'ASC'
  const identified = form === 'DATAID' || form === 'DATAV2'
  const path: Id[] = []
  let left = maxValues

  const root = (id: Id): Entry | undefined => {
    const concept = graph.concept(id)
    const type = concept && graph.concept(concept.type)
    if (!type) return undefined
    const main = concept.id
    const data = named(type.value, content(concept, main), main)
    if (identified) return { id: main, data, created_on: concept.created }
    put(data, 'id', main)
    return data
  }

  /** Text, or what the connections of a concept say of it. Own data is that of the composition main. */
  const content = (concept: Concept, main: Id): Content => {
    if (--left < 0)
      throw new WeftError('tooLarge', `the answer is made of more than ${maxValues} values`)
    const all = ends.get(concept.id) ?? []
    const own: Entry = {}
    const linked: Entry = {}
    path.push(concept.id)
    for (const at of all) if (at.own && at.link.type === main) add(own, at, main)
    for (let i = 0; i < all.length; i++) {
      const at = all[ascending ? i : all.length - 1 - i] as End
      if (!at.own) add(linked, at, at.far)
    }
    path.pop()
    return together(concept, own, linked)
  }

  /** Puts one connection into the output of its near end, if it has a place there. */
  const add = (out: Entry, at: End, main: Id): void => {
    const concept = graph.concept(at.far)
    const type = concept && graph.concept(concept.type)
    if (!type || path.includes(at.far)) return
    const { key, own } = at
    const list = !own && (form === 'DATAV2' || at.many)
    const taken = Object.hasOwn(out, key)
    if (taken && !list && !own && !ascending) return
    const inside = ends.has(at.far) || concept.composition ? content(concept, main) : concept.value
    const made = entry(at, concept, type.value, inside, list)
    if (!list) put(out, key, made)
    else if (taken) (out[key] as unknown[]).push(made)
    else put(out, key, [made])
  }

  const entry = (at: End, concept: Concept, type: string, data: Content, list: boolean) => {
    const id = at.far
    const created_on = at.link.created
    if (identified) {
      const wrapped = named(type, data, id)
      if (typeof data === 'string' && !list) return { id, data: wrapped }
      return { id, data: wrapped, created_on, ...(list && counts.get(id)) }
    }
    if (form !== 'JUSTDATA') return at.own ? data : named(type, data, id)
    if (at.own) return { id, data, created_on }
    if (!at.back) return named(type, { id, data, created_on }, id)
    return { ...named(type, data, id), id, created_on: concept.created }
  }

  /** The content under its type's name, and beside it the counts. */
  const named = (type: string, data: unknown, id: Id): Entry => {
    const out: Entry = {}
    put(out, type, data)
    return counts.size > 0 ? Object.assign(out, counts.get(id)) : out
  }

  return answer.roots.flatMap<Entry>((id) => root(id) ?? [])
}

/** A concept with its own data and what is linked to it; its own data wins. */
function together(concept: Concept, own: Entry, linked: Entry): Content {
  const keys = Object.keys(linked)
  for (const key of keys) if (!Object.hasOwn(own, key)) put(own, key, linked[key])
  const names = Object.keys(own)
  if (names.length === 0) return concept.composition ? own : concept.value
  // Engines keep such keys in the order of their numbers.
  return keys.length === 0 && names.every(isIndex) ? Object.values(own) : own
}

function countsOf(graph: Reader, answer: Answer): Map<Id, Entry> {
  const counts = new Map<Id, Entry>()
  for (const { of, type, n } of answer.counts) {
    const name = graph.concept(type)?.value
    const id = graph.concept(of)?.id
    if (name && id) counts.set(id, { ...counts.get(id), [`${name}_count`]: n })
  }
  return counts
}

/** A connection as it stands in the output of the concept it was walked from. */
interface End {
  readonly link: Connection
  readonly far: Id
  readonly key: string
  /** Inside a composition. */
  readonly own: boolean
  readonly back: boolean
  readonly many: boolean
}

/**
 * Hangs every connection on the concept it was walked from, oldest first. The answer does not say which
 * reverse connections were also walked forwards: those whose target nothing else leads to.
 */
function attach(graph: Reader, answer: Answer): Map<Id, End[]> {
  const ends = new Map<Id, End[]>()
  const hang = (link: Connection, back: boolean): void => {
    const type = graph.concept(link.type)?.value
    if (type === undefined) return
    const own = type === ''
    const [near, far] = back ? [link.to, link.from] : [link.from, link.to]
    const end = own && graph.concept(far)
    const key = end ? keyOf(graph, end.type) : type + (back ? '_reverse' : '')
    if (key === undefined || (own && !end)) return
    const at = { link, far, key, own, back, many: type.includes('_s_') }
    const list = ends.get(near)
    if (list) list.push(at)
    else ends.set(near, [at])
  }
  const turned = new Set(answer.reverse.map((id) => graph.connection(id)))
  for (const id of answer.links.toSorted(byAge)) {
    const link = graph.connection(id)
    if (link) hang(link, turned.has(link))
  }
  const reached = new Set(answer.roots.map((id) => graph.concept(id)?.id))
  for (let before = -1; turned.size > 0 && before !== turned.size; ) {
    before = turned.size
    for (const id of reached) for (const at of ends.get(id as Id) ?? []) reached.add(at.far)
    const both = [...turned].filter((c) => c && reached.has(c.from) && !reached.has(c.to))
    for (const link of both as Connection[]) {
      turned.delete(link)
      hang(link, false)
      ends.get(link.from)?.sort((a, b) => byAge(a.link.id, b.link.id))
    }
  }
  return ends
}
