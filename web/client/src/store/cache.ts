import { idsOf, type Receipt, type Records } from '../graph/mutation.ts'
import type { Answer } from '../query/query.ts'
import { Database, result } from './database.ts'
import { maxAnswers } from './layout.ts'
import type { Left } from './left.ts'
import { isSmall, Log, type Row, readLog, type Seen } from './log.ts'
import { pause } from './pause.ts'

/** Whose a cache is, and of which store. */
export interface Whose {
  readonly store: string | undefined
  readonly user: string | undefined
}

interface Cached {
  readonly records: Records
  readonly answers: ReadonlyMap<string, Answer>
}

type Three = [seen: IDBObjectStore, answer: IDBObjectStore, whose: IDBObjectStore]

/** From so many on it is worth a look how the ids are kept that became others. */
const manyPairs = 1_000
/** More small rows are too many. */
const maxRows = 50

/**
 * What the server said, for the next visit. It may be lost at any time, is deleted when it cannot be read, and
 * is therefore in a database of its own:
 *
 *   seen     records, an append-only log
 *   answer   the last answer to each query
 *   whose    who saw that, and which store said it
 */
export class Cache {
  readonly #name: string
  readonly #db: Database
  whose: Whose = { store: undefined, user: undefined }
  #unseen: Seen[] = []
  #answers = new Map<string, Answer>()
  #flushing = false

  constructor(name: string) {
    this.#name = name
    this.#db = new Database(`${name} cache`, createCache)
  }

  /** What is there for a user, of the store that is found. Of what cannot be read nothing is left; of others, all is. */
  async load(user: string | undefined, finding: Promise<Left>): Promise<Cached> {
    const reading = this.#load(user).catch((e) => {
      // A layout to come is for a page to come. Any other is made anew when next written.
      if ((e as Error).name !== 'VersionError') void this.#delete().catch(() => {})
      return nothing
    })
    const { store, seen } = await finding
    if (seen.conceptIds.length > manyPairs) this.#compactLater()
    const found = await reading
    return isOther({ store, user }, this.whose) ? nothing : found
  }

  /** Writes down now what became of writes, as far as it is for whoever is here. */
  async keep(seen: Receipt, user: string | undefined): Promise<void> {
    this.add(user === this.whose.user ? seen : idsOf(seen))
    await this.flush()
  }

  /** From now on it is theirs: what is of others is forgotten. */
  async claim(whose: Whose): Promise<void> {
    if (isSame(whose, this.whose)) return
    if (isOther(whose, this.whose)) {
      this.#unseen = []
      this.#answers.clear()
    }
    this.whose = whose
    await this.#run(async (seen, answer, about) => {
      const old = await result<Whose | undefined>(about.get(0))
      about.put(whose, 0)
      if (old && isOther(whose, old)) for (const of of [seen, answer]) of.clear()
    })
  }

  /** Keeps what was seen, at leisure. */
  add(seen: Seen): void {
    this.#unseen.push(seen)
    this.#flushSoon()
  }

  remember(query: string, answer: Answer): void {
    this.#answers.set(query, answer)
    this.#flushSoon()
  }

  /** Writes now what is to be kept. What cannot be written is fetched again next time. */
  async flush(): Promise<void> {
    const [unseen, answers] = [this.#unseen, this.#answers]
    this.#unseen = []
    this.#answers = new Map()
    this.#flushing = false
    if (unseen.length + answers.size === 0) return
    const log = new Log()
    for (const seen of unseen) log.add(seen)
    const whose = this.whose
    await this.#run(async (seen, answer, about) => {
      // Another tab may know of another store, or user. One that was made anew is anybody's.
      if (!isSame(whose, (await result<Whose | undefined>(about.get(0))) ?? whose)) return
      about.put(whose, 0)
      for (const row of log.rows()) seen.add(row)
      for (const [query, found] of answers) answer.put(found, query)
    })
  }

  close(): void {
    void this.flush()
    this.#db.close()
  }

  /** Lets go of everything, unless a tab that is asleep does not, and gives the browser time to notice. */
  async makeRoom(): Promise<void> {
    await Promise.race([this.#delete(), pause(3_000)])
    await pause(1_000)
  }

  async #load(user: string | undefined): Promise<Cached> {
    const [whose, rows, answers, queries] = await this.#db.run(
      stores,
      'relaxed',
      (...[seen, answer, about]: Three) =>
        Promise.all([
          result<Whose | undefined>(about.get(0)),
          result<Row[]>(seen.getAll()),
          result<Answer[]>(answer.getAll()),
          result(answer.getAllKeys()),
        ]),
    )
    this.whose = whose ?? this.whose
    if (whose?.user !== user) return nothing
    const small = rows.filter(isSmall)
    if (small.length > maxRows || answers.length > maxAnswers) this.#compactLater()
    return {
      records: readLog(rows),
      answers: new Map(queries.map((query, i) => [query as string, answers[i] as Answer])),
    }
  }

  /** Whoever has it open is told, and lets go of it. */
  async #delete(): Promise<void> {
    await result(indexedDB.deleteDatabase(`${this.#name} cache`))
  }

  #flushSoon(): void {
    if (this.#flushing) return
    this.#flushing = true
    setTimeout(() => void this.flush())
  }

  #compactLater(): void {
    const work = async () => {
      const { compact, compactPairs } = await import('./compact.ts')
      await this.#run(compact)
      await compactPairs(this.#name)
    }
    setTimeout(() => void work().catch(() => {}), 5_000)
  }

  async #run(work: (...stores: Three) => Promise<void>): Promise<void> {
    await this.#db.run(stores, 'relaxed', work).catch(() => {})
  }
}

export function createCache(db: IDBDatabase): void {
  db.createObjectStore('seen', { autoIncrement: true })
  for (const name of ['answer', 'whose']) db.createObjectStore(name)
}

const stores = ['seen', 'answer', 'whose']

const nothing: Cached = { records: { concepts: [], connections: [] }, answers: new Map() }

/** Says whether a cache is of somebody else, or of another store. Where nobody knew the store yet it was the same. */
const isOther = (a: Whose, b: Whose): boolean =>
  a.user !== b.user || (b.store !== undefined && a.store !== b.store)

const isSame = (a: Whose, b: Whose): boolean => a.store === b.store && a.user === b.user
