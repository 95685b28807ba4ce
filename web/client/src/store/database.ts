import { layout } from './layout.ts'

/** Just enough to await IndexedDB. A library for it would be an eighth of the whole bundle. */

/** How long opening may take before the browser counts as one without databases, in ms. */
const patience = 5_000

/** What a request came to. */
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

/** Rejected with when a database has an older layout, or is not there and not to be made. */
export const older = new Error('an older layout, or none')

/**
 * Opens a database, made by create if it is new: without that none is made. One of an older layout is left as it is,
 * unless upgrade knows what to do with it. Rejects when a page with an older layout does not give way.
 */
export async function openDatabase(
  name: string,
  create?: (db: IDBDatabase, tx: IDBTransaction) => void,
  upgrade?: (db: IDBDatabase, tx: IDBTransaction) => void,
): Promise<IDBDatabase> {
  const request = indexedDB.open(name, layout)
  let late: unknown
  request.onupgradeneeded = ({ oldVersion }) => {
    const tx = request.transaction as IDBTransaction
    const make = oldVersion === 0 ? create : upgrade
    if (make) make(request.result, tx)
    else {
      late = older
      tx.abort()
    }
  }
  const opening = result(request)
  const timer = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the database does not open')), patience)
  })
  return Promise.race([opening, timer]).catch((e) => {
    opening.then((db) => db.close()).catch(() => {})
    throw late ?? e
  })
}

/** A database that is opened when first used, and again after the browser took it away. */
export class Database {
  readonly #name: string
  readonly #create: (db: IDBDatabase) => void
  readonly #opened: (db: IDBDatabase) => Promise<void> | void
  readonly #lost: () => void
  #db: Promise<IDBDatabase> | undefined
  #closed = false

  /** Opened is waited for before anything else uses the database. Lost is told when somebody takes it away. */
  constructor(
    name: string,
    create: (db: IDBDatabase) => void,
    opened: (db: IDBDatabase) => Promise<void> | void = () => {},
    lost: () => void = () => {},
  ) {
    this.#name = name
    this.#create = create
    this.#opened = opened
    this.#lost = lost
  }

  open(): Promise<IDBDatabase> {
    this.#db ??= this.#open().catch((e) => {
      this.#db = undefined
      throw e
    })
    return this.#db
  }

  /** Runs work in a transaction and waits for its end; once more where the database was lost meanwhile. */
  async run<T, S extends readonly IDBObjectStore[]>(
    stores: readonly string[],
    durability: IDBTransactionDurability,
    work: (...stores: S) => Promise<T> | T,
  ): Promise<T> {
    const db = await this.open()
    return transact(db, stores, durability, work).catch(async (e) => {
      // Some browsers close databases of pages they think asleep, and tell nobody.
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
    const db = await openDatabase(this.#name, this.#create)
    // The browser closes it, somebody deletes it, or a newer version of the application wants it: give way.
    db.onclose = db.onversionchange = () => {
      db.close()
      if (this.#closed) return
      this.#db = undefined
      this.#lost()
    }
    await this.#opened(db)
    return db
  }
}

/** Runs work in a transaction and waits for its end. Of work that fails nothing stays. */
export async function transact<T, S extends readonly IDBObjectStore[]>(
  db: IDBDatabase,
  stores: readonly string[],
  durability: IDBTransactionDurability,
  work: (...stores: S) => Promise<T> | T,
): Promise<T> {
  const tx = db.transaction(stores, 'readwrite', { durability })
  const all = stores.map((name) => tx.objectStore(name)) as readonly IDBObjectStore[]
  try {
    const [done] = await Promise.all([work(...(all as S)), committed(tx)])
    return done
  } catch (e) {
    try {
      tx.abort()
    } catch {
      // It is over.
    }
    throw e
  }
}
