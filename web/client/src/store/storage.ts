import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import type { Mutation, Receipt } from '../graph/mutation.ts'
import type { Answer } from '../query/query.ts'
import type { Cache, Whose } from './cache.ts'
import { Database, older, result, transact } from './database.ts'
import { createOutbox, type Mark } from './layout.ts'
import { type Left, readLeft, type Three } from './left.ts'
import { block, randomNumber } from './local-ids.ts'
import type { Seen } from './log.ts'
import { addRows, Rows } from './rows.ts'

/** What was found when the database was opened. */
export interface Saved extends Left {
  /** The id above a block of local ids, which nobody else gets. */
  readonly above: Id
  readonly answers: ReadonlyMap<string, Answer>
}

/**
 * What the browser keeps between visits, in IndexedDB. What it may lose is in a `Cache`, whose code is loaded beside; what it must not lose is in
 *
 *   outbox   rows of writes by order of arrival, whichever tab they came from
 *   pair     which local ids became which real ones, an append-only log
 *   counter  the last local ids given, the randomizer, the identity of the store
 */
export class Storage {
  /** Told when `durable` or `shared` changed. */
  changed: () => void = () => {}
  /** All saved writes that the server has not taken, for when somebody deletes the database. */
  pending: () => readonly Mutation[] = () => []
  /** Says whether the other tabs have the same database. */
  shared = true
  /** Keys of writes that could not be saved. */
  readonly unsaved = new Set<string>()
  readonly #name: string
  readonly #db: Database
  /** Undefined where its code does not load. */
  readonly #cache: Promise<Cache | undefined>
  readonly #rows = new Rows()
  #mark: Mark | undefined
  /** Why the last write was not saved. */
  #fault: unknown

  constructor(name: string) {
    this.#name = name
    this.#db = new Database(
      name,
      createOutbox,
      (db) => this.#opened(db),
      () => void this.#db.open().catch((e) => this.#fail(e)),
    )
    this.#cache = import('./cache.ts').then(
      ({ Cache }) => new Cache(name),
      () => undefined,
    )
    changing().catch(() => {})
  }

  /** Says whether all that was written here is on disk, and what comes will be. */
  get durable(): boolean {
    return !this.#fault && this.unsaved.size === 0
  }

  /** Reads everything, once, and reserves local ids. Where that fails nothing is saved as long as the page lives. */
  async load(user: string | undefined): Promise<Saved> {
    const read = async () => {
      const loading = this.#load()
      const cached = this.#cache.then((cache) => cache?.load(user, loading))
      return Promise.all([loading, cached])
    }
    try {
      const [found, cached] = await read().catch(async (e) => {
        if (e !== older) throw e
        await (await import('./upgrade.ts')).upgrade(this.#name)
        return read()
      })
      const { records, answers = new Map() } = cached ?? {}
      return { ...found, seen: { ...found.seen, ...records }, answers }
    } catch (e) {
      this.shared = false
      this.#fail(new WeftError('unavailable', 'Cannot populate Local Ids from the Index Db', e))
      throw e
    }
  }

  /** What is to be sent, and which ids became which: what other tabs made of it. */
  left(): Promise<Left> {
    return this.#write('Cannot get objects from the database', stores, (...all) =>
      readLeft(this.#rows, ...all),
    )
  }

  /** Takes mutations out, at once and for good with what became of them, as far as it is for whoever is here now. */
  async settle(keys: readonly string[], seen?: Receipt, user?: string): Promise<void> {
    if (keys.filter((key) => this.unsaved.delete(key)).length > 0) this.changed()
    // Before the write goes, or a page that opens without a server might show neither.
    if (seen) await (await this.#cache)?.keep(seen, user)
    if (!this.shared) return
    const { settleLeft } = await changing()
    const places = await this.#write(
      'Cannot remove from the database',
      ['outbox', 'pair'],
      (outbox, pair) => settleLeft(this.#rows, keys, seen, outbox, pair),
    )
    for (const key of keys) places.delete(key)
  }

  /** Writes mutations anew in their places, all or none; those that have gone stay gone. */
  async replace(...mutations: readonly Mutation[]): Promise<void> {
    const { replace } = await changing()
    await this.#write('Cannot Update to the database', ['outbox'], (outbox) =>
      replace(this.#rows, outbox, mutations),
    )
  }

  /** The server has that store. What was seen of another is forgotten, and writes for it become these. */
  async move(store: string, lost: readonly Mutation[]): Promise<void> {
    this.claim({ store })
    const { replace } = await changing()
    await this.#write('Cannot Update to the database', stores, async (outbox, pair, counter) => {
      const old = (await result(counter.get('store'))) ?? store
      counter.put(store, 'store')
      if (old !== store) pair.clear()
      await replace(this.#rows, outbox, lost)
    })
  }

  /** What was seen by anybody else, or of another store, is forgotten. */
  claim(whose: Partial<Whose>): void {
    this.#with((cache) => cache.claim({ ...cache.whose, ...whose }))
  }

  /** Keeps what was seen, at leisure. */
  cache(seen: Seen): void {
    this.#with((cache) => cache.add(seen))
  }

  remember(query: string, answer: Answer): void {
    this.#with((cache) => cache.remember(query, answer))
  }

  close(): void {
    this.#with((cache) => cache.close())
    this.#db.close()
  }

  #with(work: (cache: Cache) => unknown): void {
    void this.#cache.then((cache) => cache && work(cache))
  }

  /** Resolves when the mutations are on disk, in one transaction. */
  async append(group: readonly Mutation[]): Promise<void> {
    const save = () =>
      this.#write('Cannot store to the Local database', ['outbox'], (outbox) =>
        addRows(outbox, group),
      )
    try {
      await save().catch(async (e: WeftError) => {
        if ((e.cause as Error).name !== 'QuotaExceededError') throw e
        // What the server said is worth less than what it has not heard.
        await (await this.#cache)?.makeRoom()
        await save()
      })
      if (this.#fault) this.#fail(undefined)
    } catch (e) {
      for (const { key } of group) this.unsaved.add(key)
      this.#fail(e)
      throw e
    }
  }

  #load() {
    return this.#db.run(stores, 'relaxed', async (...all: Three) => {
      const [, , counter] = all
      const found = await readLeft(this.#rows, ...all)
      const above = (await result<Id | undefined>(counter.get('id'))) ?? -100
      const born = (await result<number | undefined>(counter.get('born'))) ?? randomNumber()
      counter.put(above - block, 'id')
      counter.put(born, 'born')
      this.#mark = { randomizer: found.randomizer, born, above }
      return { ...found, above }
    })
  }

  /** A database that is opened again may be another one: somebody deleted it, and somebody may have made it anew. */
  async #opened(db: IDBDatabase): Promise<void> {
    const mark = this.#mark
    if (!mark) return
    const born = (counter: IDBObjectStore) => result<number | undefined>(counter.get('born'))
    if (mark.born === (await transact(db, ['counter'], 'relaxed', born))) return
    const { restore } = await import('./restore.ts')
    this.#mark = await restore(db, mark, this.#rows, this.pending())
    this.shared = this.#mark !== undefined
    if (!this.shared) throw new Error('this is another database')
    this.unsaved.clear()
    this.#fail(undefined)
  }

  /** Notes why nothing is saved for now, if so. */
  #fail(fault: unknown): void {
    this.#fault = fault
    this.changed()
  }

  async #write<T>(
    words: string,
    names: readonly string[],
    work: (...stores: Three) => Promise<T> | T,
  ): Promise<T> {
    try {
      if (!this.shared) throw this.#fault
      return await this.#db.run(names, 'strict', work)
    } catch (e) {
      throw new WeftError('unavailable', words, e)
    }
  }
}

/** Who sends has it. */
const changing = () => import('./change.ts')

const stores = ['outbox', 'pair', 'counter']
