import type { Client, Write } from './api.ts'
import type { Draft, TypeOf } from './composition/build.ts'
import type { Queries } from './live/queries.ts'
import type { Fetcher } from './live/remote/fetcher.ts'
import type { Graph } from './local/graph.ts'
import type { Id } from './model/id.ts'
import type { Mutation, Records } from './model/mutation.ts'
import type { createLocalIds } from './store/local-ids.ts'
import type { Storage } from './store/storage.ts'
import type { Outbox } from './sync/outbox.ts'
import type { Http } from './wire/http.ts'

/** The parts of a client that the other entry points of this package use. They are private and change without notice. */
export interface Internals {
  /** Names the database, the channel and lock that tabs share, and the background task of a service worker. */
  readonly name: string
  readonly graph: Graph
  readonly http: Http
  readonly ids: ReturnType<typeof createLocalIds>
  readonly outbox: Outbox
  readonly queries: Queries
  fetcher(): Promise<Fetcher>
  /** The database; undefined before it has been read, or if there is none. */
  storage(): Storage | undefined
  /** Finds or creates the type concept with that name. All writes of this page refer to it by the same local id. */
  readonly typeOf: TypeOf
  /** Starts the records of a write. The connections have the given order number, by default that of new records. */
  beginDraft(created: string, order?: number): Draft
  /** Returns the records of a draft, types first. */
  recordsOf(draft: Draft): Records
  write: WriteRecords
  /** Set by a tracker: called with the concepts and connections that the application received. */
  onUse?: ((concepts: readonly Id[], connections?: readonly Id[]) => void) | undefined
  /** Returns the writing methods of a client whose records go to the given function. */
  createWriter(write: WriteRecords): Pick<Client, 'create' | 'update' | 'remove'>
}

/**
 * Shows, saves and sends records as one write. The records have local ids, and every type they refer to is among the
 * concepts, before its first use. `id` is the record that the write is about.
 */
export type WriteRecords = (
  records: Records,
  kind: Mutation['kind'],
  id: Id,
  details?: WriteDetails,
) => Write

/** The optional parts of a write: the type name of a creation, ids to remove, rules, and the transaction that will send it. */
export type WriteDetails = Partial<
  Pick<
    Mutation,
    'type' | 'removeConcepts' | 'removeConnections' | 'held' | 'increments' | 'upserts'
  >
>

/** The property of a client that holds its internals. All copies of this module on a page share the symbol. */
export const internalsKey = Symbol.for('weft')

export interface WithInternals {
  readonly [internalsKey]: Internals
}

/** Returns the internals of a client that `createClient` created. */
export const internalsOf = (client: Client): Internals =>
  (client as Client & WithInternals)[internalsKey]
