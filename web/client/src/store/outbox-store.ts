import type { Id } from '../model/id.ts'
import type { Mutation, Receipt } from '../model/mutation.ts'
import { Database, result, transact } from './database.ts'
import { createOutboxStores, type DatabaseIdentity } from './layout.ts'
import { idsPerPage, randomNumber } from './local-ids.ts'
import {
  addRows,
  OutboxRows,
  type OutboxStores,
  outboxStores,
  readOutbox,
  type StoredOutbox,
} from './outbox-rows.ts'

/** The outbox as a starting page reads it. */
export interface LoadedOutbox extends StoredOutbox {
  /** The id above a block of local ids that is reserved for this page. */
  readonly idsBelow: Id
}

interface OutboxStoreOptions {
  /** Returns the saved writes, to fill a database that was deleted and created again. */
  unsent(): readonly Mutation[]
  /** Called when the database was deleted, and has been created and filled again. */
  onRestored(): void
  /** Called when the database was deleted, and another page has created one without the data of this page. */
  onReplaced(error: Error): void
  /** Called when the browser or another page closed the database, and it could not be opened again. */
  onUnavailable(error: unknown): void
}

/** The outbox database of a page. Every method is one transaction; it rejects with the error of IndexedDB. */
export class OutboxStore {
  readonly #options: OutboxStoreOptions
  readonly #db: Database
  readonly #rows = new OutboxRows()
  #identity: DatabaseIdentity | undefined

  constructor(name: string, options: OutboxStoreOptions) {
    this.#options = options
    this.#db = new Database(name, {
      create: createOutboxStores,
      onOpen: (db) => this.#checkIdentity(db),
      onLost: () => void this.#db.open().catch((e) => options.onUnavailable(e)),
    })
  }

  /** Reads everything, and reserves a block of local ids. */
  load(): Promise<LoadedOutbox> {
    return this.#db.run(outboxStores, 'relaxed', async (...stores: OutboxStores) => {
      const [, , counter] = stores
      const found = await readOutbox(this.#rows, ...stores)
      const idsBelow = (await result<Id | undefined>(counter.get('id'))) ?? -100
      const born = (await result<number | undefined>(counter.get('born'))) ?? randomNumber()
      counter.put(idsBelow - idsPerPage, 'id')
      counter.put(born, 'born')
      this.#identity = { randomizer: found.randomizer, born, idsBelow }
      return { ...found, idsBelow }
    })
  }

  /** Reads the unsent writes and the id pairs, including changes by other tabs. */
  read(): Promise<StoredOutbox> {
    return this.#db.run(outboxStores, 'strict', (...stores: OutboxStores) =>
      readOutbox(this.#rows, ...stores),
    )
  }

  append(mutations: readonly Mutation[]): Promise<void> {
    return this.#db.run(['outbox'], 'strict', (outbox: IDBObjectStore) =>
      addRows(outbox, mutations),
    )
  }

  /** Replaces writes, all or none. Writes that no longer exist are not added again. */
  replace(mutations: readonly Mutation[]): Promise<void> {
    return this.#db.run(['outbox'], 'strict', (outbox: IDBObjectStore) =>
      this.#rows.replace(outbox, mutations),
    )
  }

  /** Removes writes, and logs the real ids for their local ids. */
  async settle(keys: readonly string[], receipt: Receipt | undefined): Promise<void> {
    await this.#db.run(
      ['outbox', 'pair'],
      'strict',
      (outbox: IDBObjectStore, pair: IDBObjectStore) =>
        this.#rows.settle(outbox, pair, keys, receipt),
    )
    this.#rows.drop(keys)
  }

  /** Saves the identity of the server's store, and replaces `mutations`. Removes the id pairs of another store. */
  replaceStore(store: string, mutations: readonly Mutation[]): Promise<void> {
    return this.#db.run(
      outboxStores,
      'strict',
      async (...[outbox, pair, counter]: OutboxStores) => {
        const old = (await result<string | undefined>(counter.get('store'))) ?? store
        counter.put(store, 'store')
        if (old !== store) pair.clear()
        await this.#rows.replace(outbox, mutations)
      },
    )
  }

  close(): void {
    this.#db.close()
  }

  /** Checks that a reopened database is the same: it may have been deleted in the meantime, and created again. */
  async #checkIdentity(db: IDBDatabase): Promise<void> {
    const known = this.#identity
    if (!known) return
    const readBorn = (counter: IDBObjectStore) => result<number | undefined>(counter.get('born'))
    if (known.born === (await transact(db, ['counter'], 'relaxed', readBorn))) return
    const { restoreOutbox } = await import('./deferred.ts')
    this.#identity = await restoreOutbox(db, known, this.#rows, this.#options.unsent())
    if (this.#identity) return this.#options.onRestored()
    const error = new Error('another database replaced it')
    this.#options.onReplaced(error)
    throw error
  }
}
