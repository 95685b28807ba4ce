import type { Id } from '../model/id.ts'

/**
 * The version of both databases. Version 1, the first layout, had everything in one database. Raising the version
 * requires an upgrade of both databases from every earlier version; `upgrade.ts` handles version 1 only. Without an
 * upgrade, a page cannot use the older outbox database, and deletes the older cache.
 */
export const layoutVersion = 10

/** Creates the stores of the outbox database. `storage.ts` describes their contents. */
export function createOutboxStores(db: IDBDatabase): void {
  for (const name of ['outbox', 'pair']) db.createObjectStore(name, { autoIncrement: true })
  db.createObjectStore('counter')
}

/** Identifies the outbox database that a page loaded, to recognise it when it is opened again. */
export interface DatabaseIdentity {
  /** The number of the browser profile. */
  readonly randomizer: number
  /** A random number that a database created later does not have. */
  readonly born: number
  /** The id above the block of local ids reserved for this page. */
  readonly idsBelow: Id
}
