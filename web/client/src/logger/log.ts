import type { Level } from './level.ts'

/** A log, with what waits in it. */
export interface Log {
  readonly type: 'app' | 'mftsccs'
  /** The most entries in a request. */
  readonly batch: number
  /** The most entries that wait. */
  readonly most: number
  /** The oldest first. */
  readonly entries: Entry[]
  /** How many older ones are gone. */
  dropped: number
  entry(level: Level, message: string, fields?: Readonly<Record<string, unknown>>): string
}

export interface Entry {
  /** As JSON. */
  readonly text: string
  /** Who was signed in: nobody else is to be taken for whom it is about. */
  readonly user: string | undefined
}

/** Drops the oldest where too many wait. */
export function trim(log: Log): void {
  log.dropped += log.entries.splice(0, log.entries.length - log.most).length
}
