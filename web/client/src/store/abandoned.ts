import type { Mutation, Receipt } from '../graph/mutation.ts'
import { replace, settleLeft } from './change.ts'
import { packConcepts, packConnections } from './columns.ts'
import { openDatabase, result, transact } from './database.ts'
import { type Left, readLeft, type Three } from './left.ts'
import type { Row } from './log.ts'
import { Rows } from './rows.ts'

/**
 * The database of a client that no page has open, for a worker that sends what is in it. A database of another layout
 * is a page's to bring up to date: nothing here touches it.
 */
export class Abandoned {
  readonly #name: string
  readonly #rows = new Rows()
  readonly #db: Promise<IDBDatabase>
  #store: string | undefined

  constructor(name: string) {
    this.#name = name
    this.#db = openDatabase(name).then(giveWay)
  }

  async left(): Promise<Left> {
    const left = await transact(await this.#db, stores, 'strict', (...all: Three) =>
      readLeft(this.#rows, ...all),
    )
    this.#store = left.store
    return left
  }

  /** Takes mutations out with what became of them, which is shown to their user without a server. */
  async settle(keys: readonly string[], seen: Receipt, user: string | undefined): Promise<void> {
    // Before the writes go, or a page that opens without a server might show neither.
    await this.#show(seen, user).catch(() => {})
    const settle = (outbox: IDBObjectStore, pair: IDBObjectStore) =>
      settleLeft(this.#rows, keys, seen, outbox, pair)
    await transact(await this.#db, ['outbox', 'pair'], 'strict', settle)
  }

  /** Writes mutations anew in their places. */
  async replace(mutations: readonly Mutation[]): Promise<void> {
    await transact(await this.#db, ['outbox'], 'strict', (outbox: IDBObjectStore) =>
      replace(this.#rows, outbox, mutations),
    )
  }

  close(): void {
    void this.#db.then((db) => db.close()).catch(() => {})
  }

  async #show(seen: Receipt, user: string | undefined): Promise<void> {
    const { concepts, connections, removeConcepts = [], removeConnections = [] } = seen
    const row: Row = {
      concepts: packConcepts(concepts),
      connections: packConnections(connections),
      removeConcepts,
      removeConnections,
    }
    const db = giveWay(await openDatabase(`${this.#name} cache`))
    const add = async (log: IDBObjectStore, about: IDBObjectStore) => {
      const whose = await result<Partial<Left> & { user?: string }>(about.get(0))
      if (whose?.store === this.#store && whose?.user === user) log.add(row)
    }
    await transact(db, ['seen', 'whose'], 'relaxed', add).finally(() => db.close())
  }
}

const stores = ['outbox', 'pair', 'counter']

/** Lets go of a database that somebody deletes, or wants for another layout. */
function giveWay(db: IDBDatabase): IDBDatabase {
  db.onversionchange = () => db.close()
  return db
}
