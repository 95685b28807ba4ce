import type { Fields, FieldsInput } from './composition/value.ts'
import type { Concept } from './graph/concept.ts'
import type { Id } from './graph/id.ts'
import type { LiveQuery } from './live/state.ts'
import type { Format, Query } from './query/query.ts'
import type { PendingWrite, SyncStatus } from './sync/status.ts'

export interface ClientOptions {
  /** Origin of the server, such as `location.origin`. */
  readonly url: string
  /** Names the database in the browser: two applications of one origin do not see each other's writes. */
  readonly application?: string
  /**
   * Bearer token. Without one, writes are anonymous, if the server allows that. Whoever is signed in from the start
   * finds what they saw the last time.
   */
  readonly token?: string | undefined
  /** `browser` (IndexedDB) where there is one. `memory` keeps nothing, and the sync status says so. */
  readonly storage?: 'browser' | 'memory'
  /**
   * Renews a token that the server refused, once for all requests that wait, which are then made again if the token is
   * of the same user: `refresh: async () => (await account.refresh())?.token`. Without it, and when it brings
   * nothing, writes wait for `setToken`; see `SyncStatus.needsToken`.
   */
  readonly refresh?: () => Promise<string | undefined>
  /**
   * More origins that records are read from, in the order in which to try them. One that does not answer is not
   * asked again; when all are gone the server itself is. Without a list a client with an `application` asks the
   * server for one, once in each tab.
   */
  readonly servers?: readonly string[]
}

/** The graph in this page. Reads are synchronous; what is missing is fetched by `get` and `query`. */
export interface Client {
  /** Origin of the server. */
  readonly url: string
  /** What is known now. A record made here answers to its local id and to its real one. */
  concept(id: Id): Concept | undefined
  /** A value that is known now, by the name of its type, which gets `the_` in front. Of several equal ones, any. */
  find(type: string, value: string): Concept | undefined
  /** Resolves once known; `undefined` when the server does not have it. Rejects only when it cannot be asked. */
  get(id: Id): Promise<Concept | undefined>
  /** Calls back, at most once per microtask, after the concept or its record changed. */
  watch(id: Id, changed: () => void): () => void
  /**
   * Calls back when the server tells of a change that touches the concept, or may have missed one, and when
   * somebody signs in or out.
   */
  hear(id: Id, changed: () => void): () => void
  /**
   * The composition as nested data, without its outer type: the same object until it changes, or for ten minutes
   * where nobody watches it.
   */
  record(id: Id): Fields | undefined
  /** Loads the composition if it is missing or incomplete. */
  load(id: Id): Promise<Fields | undefined>
  query<T = unknown>(query: Query, options?: QueryOptions): LiveQuery<T>
  /** Visible at once. The type of a record is used as written: `the_note`; those of its fields get `the_` in front. */
  create(type: string, fields: FieldsInput): Write
  /** Replaces the fields named, a nested object or array as a whole. Throws `notFound` when the record is not here. */
  update(id: Id, fields: FieldsInput): Write
  /** Removes a concept with its connections. */
  remove(id: Id): Write
  /** How the server has, or has not yet, taken what was written to this record. */
  pending(id: Id): 'pending' | 'failed' | undefined
  readonly sync: Sync
  /** Resolves when what an earlier visit left in the browser is here. Writing and reading may start before. */
  readonly ready: Promise<void>
  /** Who is signed in, as far as the token says. */
  readonly user: string | undefined
  /** Gets a path of the server, as whoever is signed in. */
  fetch(path: string): Promise<Response>
  /**
   * Signs in or out. Writes that waited for a token are sent. A token of somebody else takes at once out of memory,
   * and soon off the disk, what was seen before; writes somebody made wait, unseen, for them to be back. Before
   * signing out ask, if `sync.get()` says that any are `pending` or `failed`: on a browser that nobody comes back to
   * they stay for ever.
   */
  setToken(token: string | undefined): void
  close(): void
}

export interface Write {
  /** The record: for a creation its local id, which stays good for ever. */
  readonly id: Id
  /** Names the write for `sync.retry` and `sync.discard`. */
  readonly key: string
  /** Resolves when the browser promises to remember the write, whatever happens to this page. */
  readonly saved: Promise<void>
  /** Resolves with the record's real id when the server has it; rejects when the write is discarded. */
  readonly synced: Promise<Id>
}

export interface QueryOptions {
  /** `DATAID` unless said otherwise. */
  readonly format?: Format
}

export interface Sync {
  get(): SyncStatus
  subscribe(changed: () => void): () => void
  /** Everything not yet taken by the server, oldest first. */
  writes(): readonly PendingWrite[]
  /** Sends now: one failed write by its key, or all of them. */
  retry(key?: string): void
  /**
   * Forgets a write, and those that build on it, as if they had never been made. One that is under way is waited for
   * first: what the server has taken by then stays.
   */
  discard(key: string): Promise<void>
}
