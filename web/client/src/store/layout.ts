import type { Id } from '../graph/id.ts'

/** The version of the databases. The first layout, which had everything in one database, was 1. */
export const layout = 10

/** More answers than so many are not kept. */
export const maxAnswers = 500

export function createOutbox(db: IDBDatabase): void {
  for (const name of ['outbox', 'pair']) db.createObjectStore(name, { autoIncrement: true })
  db.createObjectStore('counter')
}

/** How a page knows the database that it loaded. */
export interface Mark {
  readonly randomizer: number
  /** A number that one made anew does not have. */
  readonly born: number
  readonly above: Id
}
