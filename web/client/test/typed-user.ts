import type { Client, Id, Removal } from '../src/index.ts'
import type { SchemaData } from '../src/schema/index.ts'
import { type Delta, type ModelStore, mergeDeltas, noChange } from './typed-model.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The methods of a typed client or transaction, with the types that every schema has. */
export interface AnyWriter {
  create(type: string, fields: Fields): { id: Id }
  update(id: Id, fields: Fields): { id: Id }
  upsert(type: string, by: { by: string }, fields: Fields): { id: Id }
  increment(id: Id, field: string, by: number): { id: Id }
  setLink(id: Id, link: string, to: Id | null): { id: Id }
  addLink(id: Id, link: string, to: Id): { id: Id }
  removeLink(id: Id, link: string, to: Id): { id: Id }
  remove(id: Id): Removal
}

export interface AnyClient extends AnyWriter {
  readonly raw: Client
  readonly sync: Client['sync']
  realId(id: Id): Id | undefined
  close(): void
  find(
    type: string,
    options: object,
  ): {
    subscribe(listener: () => void): () => void
    get(): { data: readonly Row[]; isComplete: boolean }
  }
  transaction(run: (tx: AnyWriter) => unknown): { result: unknown }
}

export type Row = Fields & { readonly id: Id }

/** A write: `run` makes it with the client, and the other members are what the model predicts. */
export interface Action {
  readonly name: string
  readonly delta: Delta
  /** The places and rules that the client must refuse. */
  readonly refusals: readonly string[]
  run(writer: AnyWriter): { id: Id } | undefined
}

export interface PendingOp {
  /** The changes of a write, or of the writes of a transaction. */
  readonly deltas: readonly Delta[]
  /** Keys of the writes in the outbox. */
  readonly keys: readonly string[]
}

interface RemovedRecord {
  readonly key: string
  readonly removal: Removal
  readonly op: PendingOp
  /** The record and its links as the client saw them. */
  readonly seen: ModelStore
}

/** A client of one version of the schema, and the state of its model. */
export interface User {
  readonly version: SchemaData
  readonly client: AnyClient
  /** The origin of the server that only this client uses, so that its network can be cut separately. */
  readonly origin: string
  isOnline: boolean
  /** The records that the server had when the client was last online. */
  known: ModelStore
  /** The number of deliveries to the server at that time. */
  knownAt: number
  pending: PendingOp[]
  /** Keys of records by the ids that this client uses. */
  readonly ids: Map<Id, string>
  removals: RemovedRecord[]
}

/** Groups writes as the client sends them: a write that removes records or upserts is sent alone. */
export function groupsOf(pending: readonly PendingOp[]): PendingOp[][] {
  const groups: PendingOp[][] = []
  let isOpen = false
  for (const op of pending) {
    const isAlone = op.deltas.some(({ removes, upserts }) => removes.length + upserts.length > 0)
    if (isOpen && !isAlone) groups.at(-1)?.push(op)
    else groups.push([op])
    isOpen = !isAlone
  }
  return groups
}

/** Adds the writes that refer, directly or indirectly, to a record that one of the given writes creates. */
export function withDependents(
  pending: readonly PendingOp[],
  refused: ReadonlySet<PendingOp>,
): Set<PendingOp> {
  const lost = new Set(refused)
  const created = new Set<string | number>()
  for (const op of pending) {
    const { creates, adds, increments, links, removes, drops } = op.deltas.reduce(
      mergeDeltas,
      noChange,
    )
    const needed = [
      ...increments.flatMap(({ replaces }) => replaces),
      ...[...adds, ...increments].map(({ key }) => key),
      ...links.flatMap(({ from, to }) => [from, to]),
      ...removes,
      ...drops,
    ]
    if (needed.some((id) => created.has(id))) lost.add(op)
    if (!lost.has(op)) continue
    for (const { key } of creates) created.add(key)
    for (const { value } of adds) created.add(value.identity)
    for (const { identity } of [...increments, ...links]) created.add(identity)
  }
  return lost
}
