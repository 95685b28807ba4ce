import type { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { ignoreError } from '../wire/retry.ts'

/** Summary of the outbox, as `client.sync.get()` returns it. */
export interface SyncStatus {
  /**
   * Whether the server responded to the last request. While the page requests or watches anything, a change of this is
   * noticed within seconds.
   */
  readonly online: boolean
  /**
   * Number of unsent writes of the current user and of guests. Check it, and `failed`, before signing out: such
   * writes stay in this browser, invisible, until the same user signs in again.
   */
  readonly pending: number
  /** Number of writes in transactions that are neither committed nor rolled back. `pending` does not include them. */
  readonly held: number
  readonly failed: readonly PendingWrite[]
  readonly state: 'idle' | 'syncing' | 'offline' | 'error'
  /** False if nothing can be saved, as in some private windows: closing the page then loses unsent writes. */
  readonly durable: boolean
  /** True when the server requires a token before it accepts the writes. See `setToken`. */
  readonly needsToken: boolean
}

/** A write that the server has not accepted yet. `describeWrite` of `@weft/client/writes` explains it to a user. */
export interface PendingWrite {
  readonly key: string
  /** The record. 0 if the server now serves another store and the record existed only in the old store. */
  readonly id: Id
  readonly kind: 'create' | 'update' | 'remove'
  readonly state: 'pending' | 'failed'
  /** Why the server refused the write. */
  readonly error?: WeftError
  /** Time of the write, ISO 8601. */
  readonly at: string
  /** Id of the open transaction that the write belongs to. */
  readonly held?: string | undefined
}

/** The promises of a new write for its caller. */
export interface Write {
  /** Id of the record. For a creation it is the local id, which always stays valid. */
  readonly id: Id
  /** Identifies the write for `sync.retry` and `sync.discard`. Empty for a write that changes nothing. */
  readonly key: string
  /**
   * Resolves when the write is on disk and survives the page. Rejects when the browser could not save it, with the
   * message `Cannot store to the Local database`.
   */
  readonly saved: Promise<void>
  /**
   * Resolves with the record's real id when the server has accepted the write. Rejects with a `WeftError` when the
   * server refuses the write or the write is discarded. A refused write remains listed as failed. After a retry, the
   * property has a new promise. A rejection that nothing handles is not reported.
   */
  readonly synced: Promise<Id>
  /** Like `synced`, but stays pending while the write is listed as failed. Rejects only when the write is discarded. */
  readonly settled: Promise<Id>
}

/** A removal, which can be undone. */
export interface Removal extends Write {
  /**
   * Restores the record. If the server does not have the removal yet, the removal is discarded, and the record keeps
   * its ids and its links. Otherwise this user creates the record again, with the fields and links that this page had
   * loaded; the former ids of the record remain valid in this page until it is reloaded. The returned write has no key;
   * its `id` is that of the removed record.
   */
  undo(): Write
}

/** Returns a write that settles like a write that does not exist yet: `later` resolves with that write. */
export function followLater(id: Id, later: Promise<Write>): Write {
  const follow = <T>(promiseOf: (write: Write) => Promise<T>): Promise<T> => {
    const promise = later.then(promiseOf)
    promise.catch(ignoreError)
    return promise
  }
  return {
    id,
    key: '',
    saved: follow((write) => write.saved),
    get synced() {
      return follow((write) => write.synced)
    },
    get settled() {
      return follow((write) => write.settled)
    },
  }
}

/** Returns a write that needs no request. Its promises resolve with the real id when `done` resolves. */
export function createEndedWrite(
  id: Id,
  real: Id | (() => Id),
  done: Promise<void> = Promise.resolve(),
): Write {
  const synced = done.then(() => (typeof real === 'function' ? real() : real))
  synced.catch(ignoreError)
  return { id, key: '', saved: done, synced, settled: synced }
}
