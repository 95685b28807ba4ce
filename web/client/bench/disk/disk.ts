import type { Data } from '../data.ts'

/** The disk operations of a library, in a page. */
export interface Disk {
  /** Writes all data to the disk. */
  fill(data: Data): Promise<void>
  /** Runs in a new page. Opens the filled disk and reads ten records as nested data. */
  start(): Promise<readonly unknown[]>
  /**
   * Opens an empty disk. Resolves with a function that writes the given number of records, and resolves when they are
   * on disk.
   */
  open(): Promise<(records: number) => Promise<unknown>>
}

/** Name of the database. */
export const name = 'bench'
