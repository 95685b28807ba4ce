import { layoutVersion } from './layout.ts'

/*
 * Promises for IndexedDB. A library for this would be an eighth of the whole bundle.
 *
 * A `Database` opens when it is first used. The browser may close it at any time, and another page may delete it or
 * request a newer layout. The next use then opens the database again, and a lost transaction is repeated once.
 */

/** If a database does not open within this time, the page works without databases, in ms. */
const openTimeout = 5_000

/** Resolves with the result of a request. */
export function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Resolves when the transaction is committed. */
export function committed(tx: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve()
    tx.onabort = () => reject(tx.error ?? new Error('the database was closed'))
  })
}

/** The error for a database that has an older layout, or does not exist and must not be created. */
export const olderLayout = new Error('the database has an older layout or does not exist')

/**
 * Opens a database. If it does not exist, `create` creates its stores; if it has an older layout, `upgrade` changes
 * them. If the needed function is missing, rejects with `olderLayout` and leaves the database unchanged. Also rejects
 * if another page has the database open with an older layout and does not close it within `openTimeout`.
 */
export async function openDatabase(
  name: string,
  create?: (db: IDBDatabase, tx: IDBTransaction) => void,
  upgrade?: (db: IDBDatabase, tx: IDBTransaction) => void,
): Promise<IDBDatabase> {
  const request = indexedDB.open(name, layoutVersion)
  let reason: unknown
  request.onupgradeneeded = ({ oldVersion }) => {
    const tx = request.transaction as IDBTransaction
    const prepare = oldVersion === 0 ? create : upgrade
    if (prepare) prepare(request.result, tx)
    else {
      reason = olderLayout
      tx.abort()
    }
  }
  const opening = result(request)
  const timer = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new Error(`the database did not open within ${openTimeout} ms`)),
      openTimeout,
    )
  })
  return Promise.race([opening, timer]).catch((e) => {
    opening.then((db) => db.close()).catch(() => {})
    throw reason ?? e
  })
}

interface DatabaseOptions {
  /** Creates the stores of a new database. */
  create(db: IDBDatabase): void
  /** Called with a database that was just opened, before anything else uses it. */
  onOpen?(db: IDBDatabase): Promise<void>
  /** Called when the browser or another page has closed the database. */
  onLost?(): void
}

/** A database that is opened when first used, and again after it was closed from outside. */
export class Database {
  readonly #name: string
  readonly #options: DatabaseOptions
  #db: Promise<IDBDatabase> | undefined
  #closed = false

  constructor(name: string, options: DatabaseOptions) {
    this.#name = name
    this.#options = options
  }

  open(): Promise<IDBDatabase> {
    this.#db ??= this.#open().catch((e) => {
      this.#db = undefined
      throw e
    })
    return this.#db
  }

  /** Runs `work` in a transaction and waits for its commit. Repeats this if the database was closed in the meantime. */
  async run<T, S extends readonly IDBObjectStore[]>(
    stores: readonly string[],
    durability: IDBTransactionDurability,
    work: (...stores: S) => Promise<T> | T,
  ): Promise<T> {
    const db = await this.open()
    return transact(db, stores, durability, work).catch(async (e) => {
      // Some browsers close the databases of background pages without an event.
      if ((e as Error).name === 'InvalidStateError' && db === (await this.#db)) this.#db = undefined
      if (this.#closed || db === (await this.#db)) throw e
      return transact(await this.open(), stores, durability, work)
    })
  }

  close(): void {
    this.#closed = true
    this.#db?.then((db) => db.close()).catch(() => {})
  }

  async #open(): Promise<IDBDatabase> {
    const { create, onOpen, onLost } = this.#options
    const db = await openDatabase(this.#name, create)
    // Called when the browser closes the database, a page deletes it, or a newer version of the application upgrades
    // it.
    db.onclose = db.onversionchange = () => {
      db.close()
      if (this.#closed) return
      this.#db = undefined
      onLost?.()
    }
    await onOpen?.(db)
    return db
  }
}

/** Runs `work` in a transaction and waits for its commit. If `work` fails, the transaction is rolled back. */
export async function transact<T, S extends readonly IDBObjectStore[]>(
  db: IDBDatabase,
  stores: readonly string[],
  durability: IDBTransactionDurability,
  work: (...stores: S) => Promise<T> | T,
): Promise<T> {
  const tx = db.transaction(stores, 'readwrite', { durability })
  const all = stores.map((name) => tx.objectStore(name)) as readonly IDBObjectStore[]
  try {
    const working = work(...(all as S))
    const ended = committed(tx)
    // `work` has made all its requests. Committing now, without waiting for their results, completes even if the page
    // ends.
    if (!(working instanceof Promise)) tx.commit()
    const [done] = await Promise.all([working, ended])
    return done
  } catch (e) {
    try {
      tx.abort()
    } catch {
      // The transaction has already ended.
    }
    throw e
  }
}
