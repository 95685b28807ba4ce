import type { Fields, FieldsInput } from './composition/value.ts'
import type { LiveQuery } from './live/state.ts'
import type { Access, Concept } from './model/concept.ts'
import type { Id } from './model/id.ts'
import type { Format, Query } from './query/query.ts'
import type { PendingWrite, Removal, SyncStatus, Write } from './sync/status.ts'

export type { Removal, Write }

export interface ClientOptions {
  /** Origin of the server, such as `location.origin`. */
  readonly url: string
  /** Names the database in the browser. Applications with different names on one origin do not share writes. */
  readonly application?: string
  /**
   * Bearer token of the signed-in user. Without a token, the client acts as a guest, who may write only if the server
   * allows it. With a token here, the data of the user's last visit is shown immediately.
   */
  readonly token?: string | undefined
  /** `browser`, the default where possible, uses IndexedDB. `memory` keeps nothing after the page closes. */
  readonly storage?: 'browser' | 'memory'
  /**
   * Returns a new token after the server refused the current one, for example `async () => (await
   * account.refreshSession())?.token`. Called once for all refused requests. They are repeated if the new token belongs
   * to the same user. If the function returns undefined, writes wait for `setToken`; see `SyncStatus.needsToken`.
   */
  readonly refresh?: () => Promise<string | undefined>
  /**
   * Origins of additional servers to read records from, in order of preference. A tab stops using an origin that does
   * not respond. The main server is used after the last one, and for records that an origin does not have. Without
   * `servers`, a client with an `application` requests the list from the main server, once in each tab.
   */
  readonly servers?: readonly string[]
  /**
   * Called once for each problem that is not an error, such as a query that names an unknown type, or a stored value
   * that does not fit the schema. Without it, warnings are printed on the console during development: `NODE_ENV` is
   * `development`, or it is not set and the page is served by this computer (`localhost`). A function that does nothing
   * turns them off.
   */
  readonly onWarning?: ((message: string) => void) | undefined
}

/** Adds methods to a client. `defineSchema` of `@weft/client/schema` returns one, which adds typed methods. */
export interface ClientExtension<C> {
  extend(client: Client, options: ClientOptions): C
}

/**
 * The records of this page, kept in sync with the server. `concept`, `find` and `record` return loaded records
 * synchronously; `get`, `load` and `query` also fetch missing ones.
 */
export interface Client {
  /** Origin of the server. */
  readonly url: string
  /** Returns a loaded concept, or undefined. A record that was created here can be read by its local id and its real id. */
  concept(id: Id): Concept | undefined
  /** Returns the real id of a record, given its local id or real id; undefined while the record is not synced. */
  realId(id: Id): Id | undefined
  /**
   * Returns a loaded concept by its text and the name of its type, with or without `the_`; undefined if none is loaded.
   * If several match, any of them is returned.
   */
  find(type: string, value: string): Concept | undefined
  /**
   * Resolves with a concept, which is fetched if it is not loaded; undefined if the server does not have it. Rejects
   * with a `WeftError` if the server cannot be reached or responds with an error.
   */
  get(id: Id): Promise<Concept | undefined>
  /**
   * Calls back, at most once per microtask, after the concept or its record changed in this page. While watched, the
   * record is kept up to date with the server. Returns a function that stops watching.
   */
  watch(id: Id, changed: () => void): () => void
  /**
   * Calls back when the server announces a change that touches the concept, when such a change may have been missed,
   * and when the user signs in or out. Nothing is fetched. Returns a function that unsubscribes.
   */
  onRemoteChange(id: Id, changed: () => void): () => void
  /**
   * Returns a loaded composition as nested data, without its outer type; undefined if it is not loaded. The result is
   * the same object until the record changes. A record that is not watched may be rebuilt as an equal object after ten
   * minutes.
   */
  record(id: Id): Fields | undefined
  /**
   * Resolves with the composition, which is fetched if it is missing or incomplete; undefined if the server does not
   * have it.
   */
  load(id: Id): Promise<Fields | undefined>
  /** Returns a live query. It does nothing until it has a subscriber. */
  query<T = unknown>(query: Query, options?: QueryOptions): LiveQuery<T>
  /**
   * Creates a record, which is visible immediately. The type of the record is used as written, such as `the_note`; the
   * types of its fields get the prefix `the_`.
   */
  create(type: string, fields: FieldsInput): Write
  /**
   * Replaces the named fields; a nested object or array is replaced as a whole. A new value can be read by the users
   * who could read the old one. A new field can be read by the readers of the record. Throws `notFound` if the record
   * is not loaded.
   */
  update(id: Id, fields: FieldsInput, options?: UpdateOptions): Write
  /** Removes a concept with its connections, and the records nested in it. */
  remove(id: Id): Removal
  /**
   * Reports whether writes to this record are waiting for the server (`pending`) or were refused (`failed`); undefined
   * if there are none.
   */
  pending(id: Id): 'pending' | 'failed' | undefined
  readonly sync: Sync
  /** Resolves when the data of earlier visits is restored. Reading and writing are possible before that. */
  readonly ready: Promise<void>
  /** The signed-in user that the token names. */
  readonly user: string | undefined
  /** Requests a path of the server with GET, as the signed-in user. */
  fetch(path: string): Promise<Response>
  /**
   * Signs in or out. Writes that waited for a token are sent. With a token of another user, data seen so far is
   * removed from memory immediately and from the disk soon after. Pending writes of the previous user are hidden and
   * wait until that user returns. Before signing out, warn the user if `sync.get()` reports `pending` or `failed`
   * writes: they are never sent if the user does not sign in again in this browser.
   */
  setToken(token: string | undefined): void
  /** Stops all work. Nothing is sent, fetched or saved from then on. */
  close(): void
}

export interface UpdateOptions {
  /**
   * Read access of the named fields, besides the owner's: 3 for administrators, 4 for no other user, 5 for everyone. A
   * field with a different access is replaced even if its text stays the same.
   */
  readonly access?: Access | undefined
  /** Names of fields to remove, with all their values. */
  readonly remove?: readonly string[] | undefined
}

export interface QueryOptions {
  /** `DATAID` by default. */
  readonly format?: Format
}

export interface Sync {
  get(): SyncStatus
  subscribe(changed: () => void): () => void
  /** Returns all writes that the server has not accepted yet, oldest first. */
  writes(): readonly PendingWrite[]
  /** Sends failed writes again: with a `key`, that write and the other writes of its transaction; without one, all of them. */
  retry(key?: string): void
  /**
   * Deletes a write and all writes that depend on it, and undoes their effect in this page. If the write is being sent,
   * waits for the response first. Writes that the server has then accepted remain.
   */
  discard(key: string): Promise<void>
}
