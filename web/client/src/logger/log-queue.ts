/** Severity of a log entry. `ROUTE` and `USER_EVENT` are user actions, which are logged at every level. */
export type Level = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'ROUTE' | 'USER_EVENT'

export const severity: Readonly<Record<Level, number>> = {
  DEBUG: 0,
  INFO: 1,
  WARNING: 2,
  ERROR: 3,
  ROUTE: 4,
  USER_EVENT: 4,
}

export type Fields = Readonly<Record<string, unknown>>

/** One of the two logs, with its entries that have not been sent. */
export interface LogQueue {
  /** Name of the log on the wire. */
  readonly type: 'app' | 'mftsccs'
  /** Maximum number of entries in one request. */
  readonly batchSize: number
  /** Maximum number of queued entries. */
  readonly maxEntries: number
  /** Queued entries, oldest first. */
  readonly entries: Entry[]
  /** Number of entries dropped since the last successful batch. */
  dropped: number
  /** Formats an entry as JSON. */
  format(level: Level, message: string, fields?: Fields): string
}

export interface Entry {
  /** The entry as JSON. */
  readonly text: string
  /** The user who was signed in when the entry was made. The entry is never sent with the token of another user. */
  readonly user: string | undefined
}

/** Drops the oldest entries above the maximum and counts them. */
export function dropExcess(queue: LogQueue): void {
  queue.dropped += queue.entries.splice(0, queue.entries.length - queue.maxEntries).length
}
