import type { Client, Removal, UpdateOptions, Write } from './api.ts'
import { build, type Draft } from './composition/build.ts'
import { patch } from './composition/patch.ts'
import type { FieldsInput } from './composition/value.ts'
import type { WriteDetails, WriteRecords } from './internals.ts'
import type { Fetcher } from './live/remote/fetcher.ts'
import type { Graph } from './local/graph.ts'
import type { Concept } from './model/concept.ts'
import { orderPatch } from './model/connection.ts'
import { WeftError } from './model/error.ts'
import type { Id } from './model/id.ts'
import type { Mutation, Records } from './model/mutation.ts'
import { timestamp } from './model/timestamp.ts'
import type { RemovedRecord } from './restore.ts'
import { randomNumber } from './store/local-ids.ts'
import type { Outbox } from './sync/outbox.ts'
import { createEndedWrite, followLater } from './sync/status.ts'
import type { Http } from './wire/http.ts'

/** Adds records to the outbox as mutations of the signed-in user, with the current time and the known store. */
export class WriteRecorder {
  readonly #graph: Graph
  readonly #http: Http
  readonly #outbox: Outbox
  /**
   * First part of the keys of writes, random for this page. A number follows, so keys are unique across tabs and
   * visits.
   */
  readonly #keyPrefix = randomNumber().toString(36)
  #count = 0

  constructor(graph: Graph, http: Http, outbox: Outbox) {
    this.#graph = graph
    this.#http = http
    this.#outbox = outbox
  }

  /**
   * Adds one mutation. It is built as one object literal, because spreading objects would take half the time of a
   * write.
   */
  write(records: Records, kind: Mutation['kind'], id: Id, details: WriteDetails = {}): Write {
    const { store, user } = this.#graph
    return this.#outbox.add({
      key: `${this.#keyPrefix}-${++this.#count}`,
      kind,
      id,
      type: details.type,
      at: timestamp(),
      store,
      user,
      session: user === undefined ? this.#http.session : undefined,
      held: details.held,
      concepts: records.concepts,
      connections: records.connections,
      removeConcepts: details.removeConcepts ?? noIds,
      removeConnections: details.removeConnections ?? noIds,
      increments: details.increments,
      upserts: details.upserts,
    })
  }
}

const noIds: readonly Id[] = []

/** The parts of a client that its writing methods use. */
interface WriterParts {
  readonly graph: Graph
  readonly outbox: Outbox
  beginDraft(created: string, order?: number): Draft
  recordsOf(draft: Draft): Records
  /** Writes outside any transaction. */
  readonly record: WriteRecords
  readonly http: Http
  fetcher(): Promise<Fetcher>
}

/** Returns the writing methods of a client: each turns its arguments into records and passes these to `write`. */
export function createWriter(
  parts: WriterParts,
  write: WriteRecords,
): Pick<Client, 'create' | 'update' | 'remove'> {
  const { graph, outbox, beginDraft, recordsOf } = parts

  function create(type: string, fields: FieldsInput): Write {
    if (!/^[^\s\p{Cc}]+$/u.test(type)) refuse('a type name is a string without spaces', type)
    const draft = beginDraft(timestamp())
    const id = build(draft, type, fields)
    return write(recordsOf(draft), 'create', id, { type })
  }

  function update(id: Id, fields: FieldsInput, { access, remove }: UpdateOptions = {}): Write {
    const main = graph.canonical(id)
    const draft = beginDraft(timestamp(), orderPatch)
    const removeConnections = patch(graph, { main, access, removed: remove ?? [] }, fields, draft)
    if (draft.connections.length + removeConnections.length === 0) return completedWrite(main)
    return write(recordsOf(draft), 'update', main, { removeConnections })
  }

  /** Removes a record and the records inside it. A creation that the server refused is discarded instead. */
  function remove(id: Id): Removal {
    if (!id || !Number.isInteger(id)) refuse('an id is a number', id)
    const main = graph.canonical(id)
    const creation = outbox.pending.mutations().find((m) => m.kind === 'create' && m.id === main)
    const inside = graph.connectionsOfType(main).map((c) => c.to)
    const heads = new Set(inside.filter((to) => graph.concept(to)?.composition)).add(main)
    const removed = collectRemoved(graph, main, heads)
    if (creation?.failed)
      return withUndo(completedWrite(main, outbox.discard(creation.key)), removed)
    const removeConcepts = [...heads].map((id) => graph.real(id))
    const removal = write({ concepts: [], connections: [] }, 'remove', main, { removeConcepts })
    return withUndo(removal, removed)
  }

  const withUndo = (removal: Write, removed: RemovedRecord): Removal =>
    Object.assign(removal, {
      undo: () =>
        followLater(
          removed.main,
          import('./restore.ts').then((restore) => restore.undoRemoval(parts, removed, removal)),
        ),
    })

  /** Returns a write that needs no request: it is saved and synced when `done` resolves. */
  const completedWrite = (id: Id, done?: Promise<void>): Write =>
    createEndedWrite(id, () => graph.real(id), done)

  return { create, update, remove }
}

/**
 * Collects the state of a record before it is removed. `heads` has the main concepts of the record and of the records
 * inside it.
 */
function collectRemoved(graph: Graph, main: Id, heads: ReadonlySet<Id>): RemovedRecord {
  const inside = graph.connectionsOfType(main)
  const concepts = [...heads, ...inside.map((c) => c.to)].flatMap((id) => graph.concept(id) ?? [])
  const connections = new Set([...heads].flatMap((id) => [...graph.out(id), ...graph.in(id)]))
  const types = [...concepts, ...connections].flatMap((c) => graph.concept(c.type) ?? [])
  return { main, concepts: byId(concepts), connections: [...connections], types: byId(types) }
}

const byId = (concepts: readonly Concept[]): Map<Id, Concept> =>
  new Map(concepts.map((c) => [c.id, c]))

function refuse(rule: string, value: unknown): never {
  throw new WeftError('invalid', `${rule}, not ${JSON.stringify(value)}`)
}
