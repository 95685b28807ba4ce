import { fieldNameOf, isIndex } from '../composition/read.ts'
import { byAge, type Reader } from '../composition/reader.ts'
import { maxValues, setOwn } from '../composition/value.ts'
import type { Concept } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import type { Answer, Format } from './query.ts'

type Entry = Record<string, unknown>
type Content = string | Entry | unknown[]

/**
 * Shapes an answer: one object for each root. Connections and concepts that are not loaded are left out, and so are
 * connections back to a concept that contains them. If there are several links under a key that is expected to have
 * one, only the newest is returned; DATAV2 lists all. A record's own data keeps its order; links are in the order of
 * the answer. Throws `tooLarge` above `maxValues` values.
 *
 * The cost is proportional to the connections of the answer. A concept that is reached on several paths is shaped once
 * for each path.
 */
export function shapeAnswer(graph: Reader, answer: Answer, format: Format): Entry[] {
  const shaper = new Shaper(graph, answer, format)
  return answer.roots.flatMap<Entry>((id) => shaper.shapeRoot(id) ?? [])
}

class Shaper {
  readonly #graph: Reader
  readonly #format: Format
  readonly #hasIds: boolean
  readonly #isAscending: boolean
  /** The connections by the concept from which they were followed, oldest first. */
  readonly #links: ReadonlyMap<Id, readonly OutputLink[]>
  readonly #counts: ReadonlyMap<Id, Entry>
  /** The concepts that contain the current one. */
  readonly #path: Id[] = []
  #valuesLeft = maxValues

  constructor(graph: Reader, answer: Answer, format: Format) {
    this.#graph = graph
    this.#format = format
    this.#hasIds = format === 'DATAID' || format === 'DATAV2'
    this.#isAscending = answer.order === 'ASC'
    this.#links = attachLinks(graph, answer)
    this.#counts = countsByConcept(graph, answer)
  }

  shapeRoot(id: Id): Entry | undefined {
    const concept = this.#graph.concept(id)
    const type = concept && this.#graph.concept(concept.type)
    if (!type) return undefined
    const main = concept.id
    const data = this.#underTypeName(type.value, this.#shapeContent(concept, main), main)
    if (this.#hasIds) return { id: main, data, created_on: concept.created }
    setOwn(data, 'id', main)
    return data
  }

  /**
   * Returns the value of a concept, or the fields of its connections. Its own fields are those inside the composition
   * `main`.
   */
  #shapeContent(concept: Concept, main: Id): Content {
    if (--this.#valuesLeft < 0)
      throw new WeftError('tooLarge', `the answer has more than ${maxValues} values`)
    const links = this.#links.get(concept.id) ?? []
    const own: Entry = {}
    const linked: Entry = {}
    this.#path.push(concept.id)
    for (const end of links) if (end.isOwn && end.link.type === main) this.#addField(own, end, main)
    for (let i = 0; i < links.length; i++) {
      const end = links[this.#isAscending ? i : links.length - 1 - i] as OutputLink
      if (!end.isOwn) this.#addField(linked, end, end.far)
    }
    this.#path.pop()
    return mergeFields(concept, own, linked)
  }

  /** Adds a connection to the fields of the concept from which it was followed, unless it must be left out. */
  #addField(fields: Entry, end: OutputLink, main: Id): void {
    const concept = this.#graph.concept(end.far)
    const type = concept && this.#graph.concept(concept.type)
    if (!type || this.#path.includes(end.far)) return
    const { key, isOwn } = end
    const isList = !isOwn && (this.#format === 'DATAV2' || end.isMultiple)
    const exists = Object.hasOwn(fields, key)
    if (exists && !isList && !isOwn && !this.#isAscending) return
    const hasContent = this.#links.has(end.far) || concept.composition
    const content = hasContent ? this.#shapeContent(concept, main) : concept.value
    const entry = this.#shapeEntry(end, concept, { typeName: type.value, content, isList })
    if (!isList) setOwn(fields, key, entry)
    else if (exists) (fields[key] as unknown[]).push(entry)
    else setOwn(fields, key, [entry])
  }

  #shapeEntry(end: OutputLink, concept: Concept, { typeName, content, isList }: EntryParts) {
    const id = end.far
    const created_on = end.link.created
    if (this.#hasIds) {
      const data = this.#underTypeName(typeName, content, id)
      if (typeof content === 'string' && !isList) return { id, data }
      return { id, data, created_on, ...(isList && this.#counts.get(id)) }
    }
    if (this.#format !== 'JUSTDATA')
      return end.isOwn ? content : this.#underTypeName(typeName, content, id)
    if (end.isOwn) return { id, data: content, created_on }
    if (!end.isReverse) return this.#underTypeName(typeName, { id, data: content, created_on }, id)
    return { ...this.#underTypeName(typeName, content, id), id, created_on: concept.created }
  }

  /** Returns an object with the content under the type name, and next to it the counts of the concept. */
  #underTypeName(typeName: string, content: unknown, id: Id): Entry {
    const out: Entry = {}
    setOwn(out, typeName, content)
    return this.#counts.size > 0 ? Object.assign(out, this.#counts.get(id)) : out
  }
}

interface EntryParts {
  readonly typeName: string
  readonly content: Content
  readonly isList: boolean
}

/** Merges a concept's own fields with its linked fields. If both have a key, the own field is used. */
function mergeFields(concept: Concept, own: Entry, linked: Entry): Content {
  const keys = Object.keys(linked)
  for (const key of keys) if (!Object.hasOwn(own, key)) setOwn(own, key, linked[key])
  const names = Object.keys(own)
  if (names.length === 0) return concept.composition ? own : concept.value
  // JavaScript engines keep index keys in numeric order.
  return keys.length === 0 && names.every(isIndex) ? Object.values(own) : own
}

function countsByConcept(graph: Reader, answer: Answer): Map<Id, Entry> {
  const counts = new Map<Id, Entry>()
  for (const { of, type, n } of answer.counts) {
    const name = graph.concept(type)?.value
    const id = graph.concept(of)?.id
    if (name && id) counts.set(id, { ...counts.get(id), [`${name}_count`]: n })
  }
  return counts
}

/** A connection in the output of the concept from which it was followed. */
interface OutputLink {
  readonly link: Connection
  /** The concept that the connection leads to. */
  readonly far: Id
  /** Key in the output. */
  readonly key: string
  /** Is inside a composition. */
  readonly isOwn: boolean
  readonly isReverse: boolean
  /** Is one of many: its name contains `_s_`. */
  readonly isMultiple: boolean
}

/**
 * Attaches each connection to the concept from which it was followed, oldest first. The answer does not say which
 * reverse connections were also followed forwards. This function assumes that a reverse connection was, if its target
 * is not reached otherwise.
 */
function attachLinks(graph: Reader, answer: Answer): Map<Id, OutputLink[]> {
  const links = new Map<Id, OutputLink[]>()
  const attach = (link: Connection, isReverse: boolean): void => {
    const output = createOutputLink(graph, link, isReverse)
    if (!output) return
    const near = isReverse ? link.to : link.from
    const list = links.get(near)
    if (list) list.push(output)
    else links.set(near, [output])
  }
  const reverse = new Set(answer.reverse.map((id) => graph.connection(id)))
  for (const id of answer.links.toSorted(byAge)) {
    const link = graph.connection(id)
    if (link) attach(link, reverse.has(link))
  }
  const reached = new Set(answer.roots.map((id) => graph.concept(id)?.id))
  for (let before = -1; reverse.size > 0 && before !== reverse.size; ) {
    before = reverse.size
    for (const id of reached) for (const end of links.get(id as Id) ?? []) reached.add(end.far)
    const alsoForwards = [...reverse].filter((c) => c && reached.has(c.from) && !reached.has(c.to))
    for (const link of alsoForwards as Connection[]) {
      reverse.delete(link)
      attach(link, false)
      links.get(link.from)?.sort((a, b) => byAge(a.link.id, b.link.id))
    }
  }
  return links
}

/**
 * Returns undefined if the type of the connection is not loaded or, inside a composition, the field that it leads to.
 */
function createOutputLink(
  graph: Reader,
  link: Connection,
  isReverse: boolean,
): OutputLink | undefined {
  const typeName = graph.concept(link.type)?.value
  if (typeName === undefined) return undefined
  const isOwn = typeName === ''
  const far = isReverse ? link.from : link.to
  const field = isOwn && graph.concept(far)
  const key = field ? fieldNameOf(graph, field.type) : typeName + (isReverse ? '_reverse' : '')
  if (key === undefined || (isOwn && !field)) return undefined
  return { link, far, key, isOwn, isReverse, isMultiple: typeName.includes('_s_') }
}
