import { type Receipt, type Records, withoutRecords } from '../model/mutation.ts'
import type { Answer } from '../query/query.ts'
import { createCacheStores, maxAnswers } from './cache-layout.ts'
import { type CacheChange, CacheLog, type CacheRow, isSmallRow, readCacheLog } from './cache-log.ts'
import { compactCache, compactPairs, maxRows } from './compact.ts'
import { Database, result } from './database.ts'
import { delay } from './delay.ts'
import type { StoredOutbox } from './outbox-rows.ts'

/** The user and the store of the cached data. */
export interface CacheOwner {
  readonly store: string | undefined
  readonly user: string | undefined
}

interface CachedState {
  readonly records: Records
  readonly answers: ReadonlyMap<string, Answer>
}

type CacheStores = [seen: IDBObjectStore, answer: IDBObjectStore, whose: IDBObjectStore]

/** If there are more id pairs than this, a start checks whether their log needs compaction. */
const minPairsToCompact = 1_000
/** Maximum number of small rows before the log is compacted. */
const maxSmallRows = 50
/** Delay of a compaction after the start, in ms. */
const compactionDelay = 5_000
/** Maximum time that `evictAll` waits for other tabs to close the database, in ms. */
const evictionTimeout = 3_000
/** Time after which the browser has noticed the freed space, in ms. */
const quotaDelay = 1_000

/**
 * Data of the server, for the next visit: records and answers, in a separate database. It may be lost at any time, and
 * errors are ignored: missing data is fetched again. Additions of one task are saved together, in one transaction of
 * the next task.
 */
export class Cache {
  owner: CacheOwner = { store: undefined, user: undefined }
  readonly #name: string
  readonly #db: Database
  /** The changes and answers that are not saved yet. */
  #changes: CacheChange[] = []
  #answers = new Map<string, Answer>()
  #flushScheduled = false

  constructor(name: string) {
    this.#name = name
    this.#db = new Database(`${name} cache`, { create: createCacheStores })
  }

  /** Returns the data cached for a user and for the store of the outbox. A cache that cannot be read is deleted. */
  async load(user: string | undefined, outbox: Promise<StoredOutbox>): Promise<CachedState> {
    const reading = this.#load(user).catch((e) => {
      // A newer layout belongs to a newer page. Any other cache is created again by the next addition.
      if ((e as Error).name !== 'VersionError') void this.#delete().catch(() => {})
      return nothing
    })
    const { store, seen } = await outbox
    if (seen.conceptIds.length > minPairsToCompact) this.#scheduleCompaction()
    const found = await reading
    return isOther({ store, user }, this.owner) ? nothing : found
  }

  /** Saves a receipt now: its records and removals if it was for the current user, otherwise only its removals. */
  async addReceipt(receipt: Receipt, user: string | undefined): Promise<void> {
    this.add(user === this.owner.user ? receipt : withoutRecords(receipt))
    await this.flush()
  }

  /** Evicts data of another user or store. */
  async setOwner(owner: CacheOwner): Promise<void> {
    if (isSame(owner, this.owner)) return
    if (isOther(owner, this.owner)) {
      this.#changes = []
      this.#answers.clear()
    }
    this.owner = owner
    await this.#run(async (seen, answer, whose) => {
      const old = await result<CacheOwner | undefined>(whose.get(0))
      whose.put(owner, 0)
      if (old && isOther(owner, old)) for (const store of [seen, answer]) store.clear()
    })
  }

  add(change: CacheChange): void {
    this.#changes.push(change)
    this.#scheduleFlush()
  }

  addAnswer(query: string, answer: Answer): void {
    this.#answers.set(query, answer)
    this.#scheduleFlush()
  }

  /** Saves all additions now. */
  async flush(): Promise<void> {
    const [changes, answers] = [this.#changes, this.#answers]
    this.#changes = []
    this.#answers = new Map()
    this.#flushScheduled = false
    if (changes.length + answers.size === 0) return
    const log = new CacheLog()
    for (const change of changes) log.add(change)
    const owner = this.owner
    await this.#run(async (seen, answer, whose) => {
      // Another tab may have changed the owner. A cache that was created again has no owner.
      if (!isSame(owner, (await result<CacheOwner | undefined>(whose.get(0))) ?? owner)) return
      whose.put(owner, 0)
      for (const row of log.rows()) seen.add(row)
      for (const [query, found] of answers) answer.put(found, query)
    })
  }

  close(): void {
    void this.flush()
    this.#db.close()
  }

  /** Deletes the cache to make room on the disk, unless a frozen tab blocks that. */
  async evictAll(): Promise<void> {
    await Promise.race([this.#delete(), delay(evictionTimeout)])
    await delay(quotaDelay)
  }

  async #load(user: string | undefined): Promise<CachedState> {
    const [owner, rows, answers, queries] = await this.#db.run(
      cacheStores,
      'relaxed',
      (...[seen, answer, whose]: CacheStores) =>
        Promise.all([
          result<CacheOwner | undefined>(whose.get(0)),
          result<CacheRow[]>(seen.getAll()),
          result<Answer[]>(answer.getAll()),
          result(answer.getAllKeys()),
        ]),
    )
    this.owner = owner ?? this.owner
    if (owner?.user !== user) return nothing
    const small = rows.filter(isSmallRow)
    const hasManyRows = small.length > maxSmallRows || rows.length - small.length > maxRows
    if (hasManyRows || answers.length > maxAnswers) this.#scheduleCompaction()
    return {
      records: readCacheLog(rows),
      answers: new Map(queries.map((query, i) => [query as string, answers[i] as Answer])),
    }
  }

  /** Deletes the database. Pages that have it open are notified and close it. */
  async #delete(): Promise<void> {
    await result(indexedDB.deleteDatabase(`${this.#name} cache`))
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled) return
    this.#flushScheduled = true
    setTimeout(() => void this.flush())
  }

  #scheduleCompaction(): void {
    const compact = async () => {
      await this.#run(compactCache)
      await compactPairs(this.#name)
    }
    setTimeout(() => void compact().catch(() => {}), compactionDelay)
  }

  async #run(work: (...stores: CacheStores) => Promise<void>): Promise<void> {
    await this.#db.run(cacheStores, 'relaxed', work).catch(() => {})
  }
}

const cacheStores = ['seen', 'answer', 'whose']

const nothing: CachedState = { records: { concepts: [], connections: [] }, answers: new Map() }

/**
 * Reports whether data of one owner must not be shown to the other. A store that is not known yet matches any store.
 */
const isOther = (a: CacheOwner, b: CacheOwner): boolean =>
  a.user !== b.user || (b.store !== undefined && a.store !== b.store)

const isSame = (a: CacheOwner, b: CacheOwner): boolean => a.store === b.store && a.user === b.user
