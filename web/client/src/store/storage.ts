import { WeftError } from '../model/error.ts'
import type { Mutation, Receipt } from '../model/mutation.ts'
import type { Answer } from '../query/query.ts'
import type { Cache, CacheOwner } from './cache.ts'
import type { CacheChange } from './cache-log.ts'
import { olderLayout } from './database.ts'
import type { StoredOutbox } from './outbox-rows.ts'
import { type LoadedOutbox, OutboxStore } from './outbox-store.ts'

/*
 * store/: the data that a browser keeps between visits, in two IndexedDB databases for each client.
 *
 *   database "weft URL APPLICATION": must not be lost. Transactions are strict: on disk before they resolve.
 *     outbox   counted → OutboxRow    unsent writes, oldest first; a row has those of one task; any tab adds and removes
 *     pair     counted → IdPairs      local ids and their real ids; append-only
 *     counter  name    → value        id: lowest local id reserved so far; randomizer: number of the browser profile;
 *                                     born: number of this database; store: identity of the server's store;
 *                                     "setting NAME": see settings.ts
 *   database "weft URL APPLICATION cache": may be lost at any time. Transactions are relaxed.
 *     seen     counted → CacheRow     records from the server, and ids of removed ones; append-only log
 *     answer   query   → Answer       the last answer to each query
 *     whose    0       → CacheOwner   the user for whom the data was read, and the store from which it was read
 *
 * Upgrade: both databases have `layoutVersion`. A page that opens the first layout upgrades it (upgrade.ts). A page
 * never opens a newer layout, and closes its connection when a newer page requests an upgrade. A cache that cannot be
 * read is deleted.
 *
 * Eviction. Cache.load checks these limits at the start; of id pairs it checks whether there are more than 1,000. If one
 * is exceeded, compact.ts runs 5 s later.
 *   seen     above 100 full rows, of up to 4,000 records, the oldest are removed; above 50 small rows, these are merged
 *   answer   all, above 500
 *   pair     above 200 rows, merged into one that keeps the newest 50,000 pairs of each kind and those that unsent writes use
 * The whole cache is evicted when another user signs in, the server has another store, or the disk has no room for a
 * write.
 *
 * Eviction ignores reads. To change that, record them in client.ts: `onAnswer` sees query answers, but `get`, `record`
 * and `load` bypass it. `internals.onUse` accepts one subscriber, the tracker.
 *
 * Cost: a start reads each store once. A write appends a row; the writes of one task share it. Settling rewrites the
 * rows of the settled writes, at most 500 records each. After a change by another tab, only the rows added since are
 * read.
 *
 * files                                          loaded
 * storage.ts, outbox-store.ts, outbox-rows.ts    with the page
 * database.ts, layout.ts, local-ids.ts           with the page
 * deferred.ts: cache, cache-layout, cache-log,
 *   compact, delay, record-columns, restore,
 *   upgrade                                      afterwards, as one chunk
 * background-outbox.ts, settings.ts              by the service worker
 *
 * Reasons for the design: docs/decisions/0019.
 */

/** The outbox and the cache in the form in which a starting page reads them. */
export interface LoadedStorage extends LoadedOutbox {
  readonly answers: ReadonlyMap<string, Answer>
}

/**
 * Whether the disk can be used.
 *
 *   working  → failing   a write could not be saved, or the database was closed and does not open
 *   failing  → working   a write was saved, or the database was deleted and has been filled again
 *   any      → unusable  the database could not be read at the start, or another database replaced it: nothing is saved
 */
type DiskStatus = 'working' | 'failing' | 'unusable'

/** The disk of a page: the outbox, the cache, and whether they can be used. */
export class Storage {
  /** Called when `durable` or `shared` may have changed. */
  onStatusChange: () => void = () => {}
  /** Returns the saved writes that the server has not accepted. They fill a database that was deleted. */
  unsentWrites: () => readonly Mutation[] = () => []
  /** Keys of writes that could not be saved. */
  readonly unsaved = new Set<string>()
  #status: DiskStatus = 'working'
  /** Why the status is not `working`. */
  #error: unknown
  readonly #name: string
  readonly #outbox: OutboxStore
  /** Resolves with undefined if the code of the cache could not be loaded. */
  readonly #cache: Promise<Cache | undefined>

  constructor(name: string) {
    this.#name = name
    this.#outbox = new OutboxStore(name, {
      unsent: () => this.unsentWrites(),
      onRestored: () => {
        this.unsaved.clear()
        this.#become('working', undefined)
      },
      onReplaced: (error) => {
        this.#status = 'unusable'
        this.#error = error
      },
      onUnavailable: (error) => this.#fail(error),
    })
    this.#cache = import('./deferred.ts').then(
      ({ Cache }) => new Cache(name),
      () => undefined,
    )
  }

  /** Whether all writes so far are on disk, and later writes will probably be saved too. */
  get durable(): boolean {
    return this.#status === 'working' && this.unsaved.size === 0
  }

  /** Whether other tabs use the same database. */
  get shared(): boolean {
    return this.#status !== 'unusable'
  }

  /** Reads everything, once, and reserves local ids. If it rejects, nothing is saved until the page is closed. */
  async load(user: string | undefined): Promise<LoadedStorage> {
    const read = async () => {
      const loading = this.#outbox.load()
      const cached = this.#cache.then((cache) => cache?.load(user, loading))
      return Promise.all([loading, cached])
    }
    try {
      const [found, cached] = await read().catch(async (e) => {
        if (e !== olderLayout) throw e
        await (await import('./deferred.ts')).upgradeDatabase(this.#name)
        return read()
      })
      const { records, answers = new Map() } = cached ?? {}
      return { ...found, seen: { ...found.seen, ...records }, answers }
    } catch (e) {
      const error = new WeftError('unavailable', 'Cannot populate Local Ids from the Index Db', e)
      this.#become('unusable', error)
      throw error
    }
  }

  /** Reads the unsent writes and the id pairs, including changes by other tabs. */
  readOutbox(): Promise<StoredOutbox> {
    return this.#attempt('Cannot get objects from the database', () => this.#outbox.read())
  }

  /** Saves new writes, in one transaction. If the disk is full, evicts the cache and tries again. */
  async append(mutations: readonly Mutation[]): Promise<void> {
    const save = () =>
      this.#attempt('Cannot store to the Local database', () => this.#outbox.append(mutations))
    try {
      await save().catch(async (e: WeftError) => {
        if ((e.cause as Error).name !== 'QuotaExceededError') throw e
        await (await this.#cache)?.evictAll()
        await save()
      })
      if (this.#error) this.#become('working', undefined)
    } catch (e) {
      for (const { key } of mutations) this.unsaved.add(key)
      this.#fail(e)
      throw e
    }
  }

  /** Replaces either all of these writes or none. Writes that no longer exist are not added again. */
  async replace(...mutations: readonly Mutation[]): Promise<void> {
    await this.#attempt('Cannot Update to the database', () => this.#outbox.replace(mutations))
  }

  /**
   * Removes settled or discarded writes. The receipt, if any, was for `user`: its records are cached for that user
   * only.
   */
  async settle(keys: readonly string[], receipt?: Receipt, user?: string): Promise<void> {
    if (keys.filter((key) => this.unsaved.delete(key)).length > 0) this.onStatusChange()
    // The cache is written first. Otherwise a page that opens offline might have neither the write nor its records.
    if (receipt) await (await this.#cache)?.addReceipt(receipt, user)
    if (!this.shared) return
    await this.#attempt('Cannot remove from the database', () => this.#outbox.settle(keys, receipt))
  }

  /**
   * Saves the identity of the server's store, and evicts the cache of another store. Each saved write that has the key
   * of one of `mutations` is replaced by it.
   */
  async replaceStore(store: string, mutations: readonly Mutation[]): Promise<void> {
    this.setCacheOwner({ store })
    await this.#attempt('Cannot Update to the database', () =>
      this.#outbox.replaceStore(store, mutations),
    )
  }

  /** Sets the user or the store of the cache. Evicts data of another user or store. */
  setCacheOwner(owner: Partial<CacheOwner>): void {
    this.#withCache((cache) => cache.setOwner({ ...cache.owner, ...owner }))
  }

  /** Caches records, in a later task. */
  cacheRecords(change: CacheChange): void {
    this.#withCache((cache) => cache.add(change))
  }

  /** Caches the answer to a query, in a later task. */
  cacheAnswer(query: string, answer: Answer): void {
    this.#withCache((cache) => cache.addAnswer(query, answer))
  }

  close(): void {
    this.#withCache((cache) => cache.close())
    this.#outbox.close()
  }

  #withCache(work: (cache: Cache) => unknown): void {
    void this.#cache.then((cache) => cache && work(cache))
  }

  #fail(error: unknown): void {
    this.#become(this.shared ? 'failing' : 'unusable', error)
  }

  #become(status: DiskStatus, error: unknown): void {
    this.#status = status
    this.#error = error
    this.onStatusChange()
  }

  /**
   * Runs one operation on the outbox. Rejects with `message`, which callers compare, and with the original error as the
   * cause.
   */
  async #attempt<T>(message: string, work: () => Promise<T>): Promise<T> {
    try {
      if (!this.shared) throw this.#error
      return await work()
    } catch (e) {
      throw new WeftError('unavailable', message, e)
    }
  }
}
