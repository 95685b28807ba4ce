import { isIndex, keyOf } from '../composition/read.ts'
import { byAge, type Reader } from '../composition/reader.ts'
import { maxValues, put } from '../composition/value.ts'
import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import type { Answer, Format } from './query.ts'

/**
 * Shapes an answer: one object for each root, or, for RAW, the ids. Connections and concepts that are not
 * here are left out, and so is a connection back to a concept around it. The newest of several single
 * links counts (DATAV2 lists them all). Throws `tooLarge` for more than `maxValues` values.
 */
export function format(graph: Reader, answer: Answer, form: Format): unknown {
  if (form === 'RAW') return raw(graph, answer)
  const formatting = new Formatting(graph, answer, form)
  return answer.roots.flatMap((id) => formatting.root(id) ?? [])
}

/** The numbers as they are, and every concept they speak of. */
function raw(graph: Reader, answer: Answer) {
  const concepts = new Set(answer.roots)
  for (const id of answer.links) {
    const link = graph.connection(id)
    if (link) concepts.add(link.from).add(link.to)
  }
  return {
    linkers: answer.links,
    conceptIds: [...concepts].sort(byAge),
    compositionIds: answer.roots,
    reverse: answer.reverse,
    countInfos: answer.counts.map(({ of, type, n }) => ({
      conceptId: of,
      connectionTypeId: type,
      connectionType: '',
      count: n,
    })),
    order: answer.order,
  }
}

type Entry = Record<string, unknown>
type Content = string | Entry | unknown[]

/** A connection as it stands in the output of the concept at its near end. */
interface Link {
  readonly link: Connection
  readonly far: Id
  readonly key: string
  /** Inside a composition. */
  readonly own: boolean
  readonly back: boolean
  readonly many: boolean
}

class Formatting {
  readonly graph: Reader
  readonly form: Format
  readonly links = new Map<Id, Link[]>()
  readonly counts = new Map<Id, Entry>()
  readonly ascending: boolean
  readonly path: Id[] = []
  left = maxValues

  constructor(graph: Reader, answer: Answer, form: Format) {
    this.graph = graph
    this.form = form
    this.ascending = answer.order === 'ASC'
    this.attach(answer)
    for (const { of, type, n } of answer.counts) this.count(of, type, n)
  }

  root(id: Id): Entry | undefined {
    const concept = this.graph.concept(id)
    const type = concept && this.graph.concept(concept.type)
    if (!type) return undefined
    const main = concept.id
    const data = this.named(type.value, this.content(main, concept, main), main)
    if (this.identified()) return { id: main, data, created_on: concept.created }
    put(data, 'id', main)
    return data
  }

  identified(): boolean {
    return this.form === 'DATAID' || this.form === 'DATAV2'
  }

  /** Text, or what the connections of a concept say of it. Own data is that of the composition main. */
  content(id: Id, concept: Concept, main: Id): Content {
    if (--this.left < 0)
      throw new WeftError(
        'tooLarge',
        `the results have more than ${maxValues} values; ask for less`,
      )
    const links = this.links.get(id) ?? []
    const own: Entry = {}
    const linked: Entry = {}
    this.path.push(id)
    for (const at of links) if (at.own && at.link.type === main) this.add(own, at, main)
    const last = links.length - 1
    for (let i = 0; i <= last; i++) {
      const at = links[this.ascending ? i : last - i] as Link
      if (!at.own) this.add(linked, at, at.far)
    }
    this.path.pop()
    const keys = Object.keys(linked)
    for (const key of keys) if (!Object.hasOwn(own, key)) put(own, key, linked[key])
    const names = Object.keys(own)
    if (names.length === 0) return concept.composition ? own : concept.value
    // Engines keep such keys in the order of their numbers.
    return keys.length === 0 && names.every(isIndex) ? Object.values(own) : own
  }

  /** Puts one connection into the output of its near end, if it has a place there. */
  add(out: Entry, at: Link, main: Id): void {
    if (this.path.includes(at.far)) return
    const concept = this.graph.concept(at.far)
    const type = concept && this.graph.concept(concept.type)
    if (!type) return
    const list = at.many || (this.form === 'DATAV2' && !at.own)
    const taken = Object.hasOwn(out, at.key)
    if (taken && !list && !at.own && !this.ascending) return
    const entry = this.entry(at, concept, type.value, main, list)
    if (!list) put(out, at.key, entry)
    else if (taken) (out[at.key] as unknown[]).push(entry)
    else put(out, at.key, [entry])
  }

  entry(at: Link, concept: Concept, type: string, main: Id, list: boolean): unknown {
    const content = this.content(at.far, concept, main)
    const id = at.far
    const created_on = at.link.created
    if (this.identified()) {
      const data = this.named(type, content, id)
      if (typeof content === 'string' && !list) return { id, data }
      return { id, data, created_on, ...(list && this.counts.get(id)) }
    }
    if (this.form !== 'JUSTDATA') return at.own ? content : this.named(type, content, id)
    if (at.own) return { id, data: content, created_on }
    if (!at.back) return this.named(type, { id, data: content, created_on }, id)
    return { ...this.named(type, content, id), id, created_on: concept.created }
  }

  /** The content under its type's name, and beside it the counts. */
  named(type: string, content: unknown, id: Id): Entry {
    const out: Entry = {}
    put(out, type, content)
    return Object.assign(out, this.counts.get(id))
  }

  count(of: Id, type: Id, n: number): void {
    const name = this.graph.concept(type)?.value
    const id = this.graph.concept(of)?.id
    if (name && id) this.counts.set(id, { ...this.counts.get(id), [`${name}_count`]: n })
  }

  /**
   * Hangs every connection on the concept it was walked from, oldest first. The answer does not say which
   * reverse connections were also walked forwards: those whose target nothing else leads to.
   */
  attach(answer: Answer): void {
    const reverse = new Set(answer.reverse.map((id) => this.graph.connection(id)?.id))
    const links = answer.links.toSorted(byAge).flatMap((id) => this.graph.connection(id) ?? [])
    for (const link of links) this.hang(link, reverse.has(link.id))
    const reached = new Set(answer.roots.map((id) => this.graph.concept(id)?.id ?? id))
    let rest = links.filter((link) => reverse.has(link.id))
    for (;;) {
      for (const id of reached) for (const at of this.links.get(id) ?? []) reached.add(at.far)
      const both = rest.filter((link) => reached.has(link.from) && !reached.has(link.to))
      if (both.length === 0) return
      rest = rest.filter((link) => !both.includes(link))
      for (const link of both) {
        this.hang(link, false)
        this.links.get(link.from)?.sort((a, b) => byAge(a.link.id, b.link.id))
      }
    }
  }

  hang(link: Connection, back: boolean): void {
    const type = this.graph.concept(link.type)
    if (!type) return
    const own = type.value === ''
    const near = back ? link.to : link.from
    const far = back ? link.from : link.to
    const end = this.graph.concept(far)
    const key = own && end ? keyOf(this.graph, end.type) : type.value + (back ? '_reverse' : '')
    if (key === undefined) return
    const at = { link, far, key, own, back, many: !own && type.value.includes('_s_') }
    const list = this.links.get(near)
    if (list) list.push(at)
    else this.links.set(near, [at])
  }
}
