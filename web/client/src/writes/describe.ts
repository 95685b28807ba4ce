import type { Client } from '../api.ts'
import type { Connection } from '../graph/connection.ts'
import { categoryInstance } from '../graph/fixed.ts'
import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import { withoutPrefix } from '../graph/type.ts'
import { insideOf } from '../inside.ts'
import type { Graph } from '../local/graph.ts'

/** What a write that waits, or was refused, does: enough to show it to whoever made it. */
export interface WriteDescription {
  /** A link is an update of the record it leaves, and here a kind of its own. */
  readonly kind: 'create' | 'update' | 'remove' | 'link' | 'unlink'
  readonly record: RecordSummary
  /** What is written into the record, at most the first 20 fields. Empty for what is removed, linked and unlinked. */
  readonly fields: readonly WrittenField[]
  /** Of a link, the whole name of its type, if it is here. */
  readonly relation?: string | undefined
  /** Of a link, where it leads. Of several that one write makes or removes, the first. */
  readonly to?: RecordSummary | undefined
}

export interface RecordSummary {
  readonly id: Id
  /** The name of its type, `the_note`. Undefined for what is not here, as what was removed elsewhere. */
  readonly type: string | undefined
  /** Its first text that begins with a letter, else its first, at most 80 characters; `''` where none is here. */
  readonly title: string
}

export interface WrittenField {
  /** As a path: `text`, `place.city`, `tags.0`. */
  readonly name: string
  /** At most 80 characters; `''` for an empty record or list. */
  readonly text: string
}

/** The longest text of a description, in UTF-16 units, and the most fields. */
const [longest, most] = [80, 20]

/**
 * What the write of that key does, as far as it is known here: what was removed is told as it was before. Undefined
 * once the server has it, or it was discarded.
 */
export function describeWrite(client: Client, key: string): WriteDescription | undefined {
  const { graph, outbox } = insideOf(client)
  const m = outbox.pending.mutation(key)
  if (!m) return undefined
  const cut = new Set(outbox.pending.mutations().flatMap((m) => cutBy(graph, m)))
  const summary = (id: Id) => summaryOf(graph, id, cut)
  const record = summary(m.id)
  const about = { record: { ...record, type: record.type ?? m.type } }
  const fields = fieldsOf(graph, m)
  const isLink = (c: Connection) => !isInside(graph, c, m.id)
  const made = m.connections.find(isLink)
  if (m.kind !== 'update' || fields.length > 0) return { kind: m.kind, ...about, fields }
  const gone = m.removeConnections.flatMap((id) => hidden(graph, m.id, id) ?? [])
  const link = made ?? gone.find(isLink)
  if (!link) return { kind: 'update', ...about, fields }
  return {
    kind: made ? 'link' : 'unlink',
    record: summary(link.from),
    fields,
    relation: nameOf(graph, link.type),
    to: summary(link.to),
  }
}

/** The fields that connections of a mutation lead to. Those between records are none. */
function fieldsOf(graph: Graph, m: Mutation): WrittenField[] {
  const own = new Map(m.concepts.map((c) => [c.id, c]))
  const isMade = (id: Id) => m.kind === 'create' && own.get(id)?.category === categoryInstance
  const inner = m.connections.filter((c) => isInside(graph, c, m.id) || isMade(c.to))
  const names = new Map<Id, string>()
  const parents = new Set(inner.map((c) => c.from))
  const fields: WrittenField[] = []
  for (const { from, to } of inner) {
    const concept = own.get(to) ?? graph.known(to)
    const key = withoutPrefix(own.get(concept?.type ?? 0)?.value ?? typeOf(graph, to) ?? '')
    const above = names.get(from)
    const name = above === undefined ? key : `${above}.${key}`
    names.set(to, name)
    if (!parents.has(to)) fields.push({ name, text: short(concept?.value ?? '') })
    if (fields.length === most) break
  }
  return fields
}

/** A record as it is shown, or was before it was removed here. */
function summaryOf(graph: Graph, id: Id, cut: ReadonlySet<Id>): RecordSummary {
  const name = graph.name(id)
  const seen = new Set([name])
  let title = ''
  for (const at of seen) {
    const text = graph.known(at)?.value ?? ''
    if (text === '')
      for (const c of leaving(graph, at)) if (c.type === name && !cut.has(c.id)) seen.add(c.to)
    title ||= text
    if (!isTitle.test(text)) continue
    title = text
    break
  }
  return { id, type: typeOf(graph, name), title: short(title) }
}

/** An edited field comes last: without this a note would be called `false`, or by its date, once its text was edited. */
const isTitle = /^(?!(true|false|null)$)\p{L}/u

/** The connections from a concept, oldest first, of what is hidden too. */
const leaving = (graph: Graph, id: Id): Connection[] =>
  [...graph.allConnections(id)].filter((c) => c.from === id)

const hidden = (graph: Graph, from: Id, id: Id): Connection | undefined =>
  leaving(graph, graph.name(from)).find((c) => c.id === graph.realConnection(id))

const cutBy = (graph: Graph, m: Mutation): Id[] =>
  m.removeConnections.map((id) => graph.realConnection(id))

/** Says whether a connection is a part of a record, perhaps one that is gone, rather than between two. */
const isInside = (graph: Graph, { type }: Connection, record: Id): boolean =>
  graph.name(type) === graph.name(record) || !!graph.known(type)?.composition

const typeOf = (graph: Graph, id: Id): string | undefined =>
  nameOf(graph, graph.known(id)?.type ?? 0)

const nameOf = (graph: Graph, id: Id): string | undefined => graph.known(id)?.value

const short = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text
