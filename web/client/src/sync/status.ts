import type { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'

export interface SyncStatus {
  /** Says whether the server answers, as far as was noticed: within seconds where anything is asked, or watched. */
  readonly online: boolean
  /**
   * Writes of whoever is signed in, and of nobody, that the server has not taken. Ask before signing out while
   * there are any, or any failed: they wait in this browser, unseen, until the same user is back.
   */
  readonly pending: number
  /** Writes of transactions that are neither committed nor rolled back. They are not among those pending. */
  readonly held: number
  readonly failed: readonly PendingWrite[]
  readonly state: 'idle' | 'syncing' | 'offline' | 'error'
  /** False in private windows and the like: what is not synced dies with the page. */
  readonly durable: boolean
  /** True when the server asks who is writing. See `setToken`. */
  readonly needsToken: boolean
}

/** A write as the outbox knows it. `describeWrite` of `@weft/client/writes` says what it means to a person. */
export interface PendingWrite {
  readonly key: string
  /** 0 when the server has other data by now, and the record is in none of it. */
  readonly id: Id
  readonly kind: 'create' | 'update' | 'remove'
  readonly state: 'pending' | 'failed'
  /** Why the server refused it. */
  readonly error?: WeftError
  /** ISO 8601. */
  readonly at: string
  /** The transaction it waits for. */
  readonly held?: string | undefined
}
