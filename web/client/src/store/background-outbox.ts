import type { Mutation, Receipt } from '../model/mutation.ts'
import type { CacheOwner } from './cache.ts'
import type { CacheRow } from './cache-log.ts'
import { openDatabase, result, transact } from './database.ts'
import {
  OutboxRows,
  type OutboxStores,
  outboxStores,
  readOutbox,
  type StoredOutbox,
} from './outbox-rows.ts'
import { packConcepts, packConnections } from './record-columns.ts'

/**
 * The outbox database of a client without an open page. A service worker uses it to send the writes. Never creates or
 * upgrades a database: only a page does that.
 */
export class BackgroundOutbox {
  readonly #name: string
  readonly #rows = new OutboxRows()
  readonly #db: Promise<IDBDatabase>
  #store: string | undefined

  constructor(name: string) {
    this.#name = name
    this.#db = openDatabase(name).then(closeOnRequest)
  }

  async read(): Promise<StoredOutbox> {
    const found = await transact(
      await this.#db,
      outboxStores,
      'strict',
      (...stores: OutboxStores) => readOutbox(this.#rows, ...stores),
    )
    this.#store = found.store
    return found
  }

  /** Removes writes that the server accepted, and caches the receipt for its user. */
  async settle(keys: readonly string[], receipt: Receipt, user: string | undefined): Promise<void> {
    // The cache is written first. Otherwise a page that opens offline might have neither the write nor its records.
    await this.#cache(receipt, user).catch(() => {})
    const settle = (outbox: IDBObjectStore, pair: IDBObjectStore) =>
      this.#rows.settle(outbox, pair, keys, receipt)
    await transact(await this.#db, ['outbox', 'pair'], 'strict', settle)
  }

  /** Replaces either all of these writes or none. Writes that no longer exist are not added again. */
  async replace(mutations: readonly Mutation[]): Promise<void> {
    await transact(await this.#db, ['outbox'], 'strict', (outbox: IDBObjectStore) =>
      this.#rows.replace(outbox, mutations),
    )
  }

  close(): void {
    void this.#db.then((db) => db.close()).catch(() => {})
  }

  async #cache(receipt: Receipt, user: string | undefined): Promise<void> {
    const { concepts, connections, removeConcepts = [], removeConnections = [] } = receipt
    const row: CacheRow = {
      concepts: packConcepts(concepts),
      connections: packConnections(connections),
      removeConcepts,
      removeConnections,
    }
    const db = closeOnRequest(await openDatabase(`${this.#name} cache`))
    const add = async (seen: IDBObjectStore, whose: IDBObjectStore) => {
      const owner = await result<CacheOwner | undefined>(whose.get(0))
      if (owner?.store === this.#store && owner?.user === user) seen.add(row)
    }
    await transact(db, ['seen', 'whose'], 'relaxed', add).finally(() => db.close())
  }
}

/** Closes a database when a page deletes or upgrades it. */
function closeOnRequest(db: IDBDatabase): IDBDatabase {
  db.onversionchange = () => db.close()
  return db
}
