import type { Data } from '../data.ts'

/** What a library does with a disk, in a page that has one. */
export interface Disk {
  /** Leaves all data on the disk. */
  fill(data: Data): Promise<void>
  /** In a new page: opens what is on the disk and reads ten records, as nested data. */
  start(): Promise<readonly unknown[]>
  /** Opens an empty disk. What it resolves with writes so many records, and resolves when they are on it. */
  open(): Promise<(records: number) => Promise<unknown>>
}

export const name = 'bench'
