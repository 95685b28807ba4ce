import type { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'

export interface SyncStatus {
  readonly online: boolean
  readonly pending: number
  readonly failed: readonly PendingWrite[]
  readonly state: 'idle' | 'syncing' | 'offline' | 'error'
  /** False in private windows and the like: what is not synced dies with the page. */
  readonly durable: boolean
  /** True when the server asks who is writing. See `setToken`. */
  readonly needsToken: boolean
}

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
}
