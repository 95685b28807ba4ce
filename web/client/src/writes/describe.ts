import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import type { Graph } from '../local/graph.ts'
import type { Connection } from '../model/connection.ts'
import { categoryInstance } from '../model/fixed.ts'
import type { Id } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import { withoutPrefix } from '../model/type.ts'

/** Describes a pending or failed write for the user who made it. */
export interface WriteDescription {
  /** A link is stored as an update of the record it starts from, but has its own kind here. */
  readonly kind: 'create' | 'update' | 'remove' | 'link' | 'unlink'
  readonly record: RecordSummary
  /** The fields that are written, at most the first 20. Empty for `remove`, `link` and `unlink`. */
  readonly fields: readonly WrittenField[]
  /** For a link: the full name of its type, if it is loaded. */
  readonly relation?: string | undefined
  /**
   * For a link: the record that it leads to. If the write creates or removes several links, the target of the first.
   */
  readonly to?: RecordSummary | undefined
}

export interface RecordSummary {
  readonly id: Id
  /**
   * The name of its type, such as `the_note`. Undefined if the record is not loaded, for example because it was removed
   * elsewhere.
   */
  readonly type: string | undefined
  /**
   * Its first value that begins with a letter, or else its first value, at most 80 characters; `''` if it has no
   * values.
   */
  readonly title: string
}

export interface WrittenField {
  /** Path of the field: `text`, `place.city`, `tags.0`. */
  readonly name: string
  /** The value, at most 80 characters; `''` for an empty record or list. */
  readonly text: string
}

/** Maximum length of a value in a description, in UTF-16 units. */
const maxTextLength = 80
/** Maximum number of fields in a description. */
const maxFields = 20

/**
 * Describes the write with that key, as far as its records are loaded. A removed record is described in its former
 * state. Returns undefined if the write is settled or discarded.
 */
export function describeWrite(client: Client, key: string): WriteDescription | undefined {
  const { graph, outbox } = internalsOf(client)
  const m = outbox.pending.mutation(key)
  if (!m) return undefined
  const removed = new Set(outbox.pending.mutations().flatMap((m) => removedBy(graph, m)))
  const summary = (id: Id) => summarize(graph, id, removed)
  const record = summary(m.id)
  const typedRecord = { ...record, type: record.type ?? m.type }
  const fields = fieldsOf(graph, m)
  const isLink = (c: Connection) => !isInside(graph, c, m.id)
  const createdLink = m.connections.find(isLink)
  if (m.kind !== 'update' || fields.length > 0) return { kind: m.kind, record: typedRecord, fields }
  const unlinked = m.removeConnections.flatMap((id) => findConnection(graph, m.id, id) ?? [])
  const link = createdLink ?? unlinked.find(isLink)
  if (!link) return { kind: 'update', record: typedRecord, fields }
  return {
    kind: createdLink ? 'link' : 'unlink',
    record: summary(link.from),
    fields,
    relation: nameOf(graph, link.type),
    to: summary(link.to),
  }
}

/** Returns the fields of a mutation: the values at the ends of its connections inside a record. */
function fieldsOf(graph: Graph, m: Mutation): WrittenField[] {
  const written = new Map(m.concepts.map((c) => [c.id, c]))
  const isCreated = (id: Id) =>
    m.kind === 'create' && written.get(id)?.category === categoryInstance
  const inner = m.connections.filter((c) => isInside(graph, c, m.id) || isCreated(c.to))
  const names = new Map<Id, string>()
  const parents = new Set(inner.map((c) => c.from))
  const fields: WrittenField[] = []
  for (const { from, to } of inner) {
    const concept = written.get(to) ?? graph.knownConcept(to)
    const key = withoutPrefix(written.get(concept?.type ?? 0)?.value ?? typeOf(graph, to) ?? '')
    const parentName = names.get(from)
    const name = parentName === undefined ? key : `${parentName}.${key}`
    names.set(to, name)
    if (!parents.has(to)) fields.push({ name, text: shorten(concept?.value ?? '') })
    if (fields.length === maxFields) break
  }
  return fields
}

/**
 * Summarizes a record without the `removed` connections. A record that was removed here is summarized in its former state.
 */
function summarize(graph: Graph, id: Id, removed: ReadonlySet<Id>): RecordSummary {
  const main = graph.canonical(id)
  const inside = new Set([main])
  let title = ''
  for (const conceptId of inside) {
    const text = graph.knownConcept(conceptId)?.value ?? ''
    if (text === '')
      for (const c of connectionsFrom(graph, conceptId))
        if (c.type === main && !removed.has(c.id)) inside.add(c.to)
    title ||= text
    if (!isTitle.test(text)) continue
    title = text
    break
  }
  return { id, type: typeOf(graph, main), title: shorten(title) }
}

/**
 * Matches a value that can be a title, not a boolean or a date. An edited field comes last in its record, so without
 * this the title of a note with an edited text would be `false`.
 */
const isTitle = /^(?!(true|false|null)$)\p{L}/u

/** Returns the connections from a concept, including hidden ones, oldest first. */
const connectionsFrom = (graph: Graph, id: Id): Connection[] =>
  [...graph.allConnections(id)].filter((c) => c.from === id)

const findConnection = (graph: Graph, from: Id, id: Id): Connection | undefined =>
  connectionsFrom(graph, graph.canonical(from)).find((c) => c.id === graph.realConnection(id))

const removedBy = (graph: Graph, m: Mutation): Id[] =>
  m.removeConnections.map((id) => graph.realConnection(id))

/** Reports whether a connection is inside a record, not a link between records. The record may be removed. */
const isInside = (graph: Graph, { type }: Connection, record: Id): boolean =>
  graph.canonical(type) === graph.canonical(record) || !!graph.knownConcept(type)?.composition

const typeOf = (graph: Graph, id: Id): string | undefined =>
  nameOf(graph, graph.knownConcept(id)?.type ?? 0)

const nameOf = (graph: Graph, id: Id): string | undefined => graph.knownConcept(id)?.value

const shorten = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength - 1)}…` : text
