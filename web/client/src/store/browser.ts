import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb'
import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Answer } from '../query/query.ts'
import { memoryStorage } from './memory.ts'
import { merge, type Row, randomNumber, type Saved, type Storage } from './storage.ts'

interface Schema extends DBSchema {
  /** Mutations by order of arrival, whichever tab they came from. */
  outbox: { key: number; value: Mutation; indexes: { key: string } }
  /** What was seen, an append-only log. */
  seen: { key: number; value: Row }
  answer: { key: string; value: Answer }
  /** `concept` and `connection` count down; `randomizer` stays. */
  counter: { key: string; value: number }
}

type Db = IDBPDatabase<Schema>
type Stores = ('outbox' | 'seen' | 'answer')[]

/** Rows hold about this many records: fewer, larger rows make reading at start ten times faster. */
const chunk = 500
/** The most rows kept; the oldest go first, to be fetched again when needed. */
const maxRows = 400
const maxAnswers = 500
const counterStart = { concept: -100, connection: -200 }

/** Storage in IndexedDB, or in memory where IndexedDB does not work. */
export async function browserStorage(name: string): Promise<Storage> {
  try {
    const storage = new BrowserStorage(name)
    await storage.open()
    return storage
  } catch {
    return memoryStorage()
  }
}

class BrowserStorage implements Storage {
  readonly durable = true
  readonly #name: string
  #db: Promise<Db> | undefined
  #closed = false
  #appends: { m: Mutation; done: () => void; failed: (e: unknown) => void }[] = []
  #appending = false
  #unseen: Row[] = []
  #answers = new Map<string, Answer>()
  #flushing = false

  constructor(name: string) {
    this.#name = name
  }

  open(): Promise<Db> {
    this.#db ??= openDB<Schema>(this.#name, 1, {
      upgrade(db) {
        db.createObjectStore('outbox', { autoIncrement: true }).createIndex('key', 'key')
        db.createObjectStore('seen', { autoIncrement: true })
        db.createObjectStore('answer')
        db.createObjectStore('counter')
      },
      // A newer version of the application wants the database: give way, nothing here is unsaved.
      blocking: () => this.#drop(),
      terminated: () => this.#drop(),
    })
    return this.#db
  }

  async load(): Promise<Saved> {
    const db = await this.open()
    const tx = db.transaction(['outbox', 'seen', 'answer', 'counter'], 'readwrite')
    const randomizer = (await tx.objectStore('counter').get('randomizer')) ?? randomNumber()
    await tx.objectStore('counter').put(randomizer, 'randomizer')
    const mutations = await tx.objectStore('outbox').getAll()
    const keys = await tx.objectStore('seen').getAllKeys()
    const rows = await tx.objectStore('seen').getAll()
    const queries = await tx.objectStore('answer').getAllKeys()
    const answers = await tx.objectStore('answer').getAll()
    await tx.done
    const seen = merge(rows.slice(-maxRows))
    await this.#compact(keys, seen)
    if (queries.length > maxAnswers) await db.clear('answer')
    return {
      randomizer,
      mutations,
      seen,
      answers: new Map(queries.map((q, i) => [q, answers[i] as Answer])),
    }
  }

  async mutations(): Promise<readonly Mutation[]> {
    return this.#retry((db) => db.getAll('outbox'))
  }

  async reserve(kind: 'concept' | 'connection', n: number): Promise<number> {
    return this.#retry(async (db) => {
      const tx = db.transaction('counter', 'readwrite')
      const above = (await tx.store.get(kind)) ?? counterStart[kind]
      await tx.store.put(above - n, kind)
      await tx.done
      return above
    })
  }

  /** Mutations that come while a transaction runs share the next one. */
  append(m: Mutation): Promise<void> {
    return new Promise((done, failed) => {
      this.#appends.push({ m, done, failed })
      if (!this.#appending) void this.#append()
    })
  }

  async #append(): Promise<void> {
    this.#appending = true
    await Promise.resolve()
    while (this.#appends.length > 0) {
      const group = this.#appends
      this.#appends = []
      try {
        await this.#strict(['outbox'], (tx) => {
          for (const { m } of group) void tx.objectStore('outbox').add(m)
        })
        for (const { done } of group) done()
      } catch (e) {
        for (const { failed } of group) failed(e)
      }
    }
    this.#appending = false
  }

  settle(key: string, row: Row): Promise<void> {
    return this.#strict(['outbox', 'seen'], async (tx) => {
      const seq = await tx.objectStore('outbox').index('key').getKey(key)
      if (seq !== undefined) void tx.objectStore('outbox').delete(seq)
      void tx.objectStore('seen').add(row)
    })
  }

  mark(key: string, failed: Mutation['failed']): Promise<void> {
    return this.#strict(['outbox'], async (tx) => {
      const cursor = await tx.objectStore('outbox').index('key').openCursor(key)
      if (!cursor) return
      const { failed: _, ...m } = cursor.value
      void cursor.update(failed ? { ...m, failed } : m)
    })
  }

  discard(keys: readonly string[]): Promise<void> {
    return this.#strict(['outbox'], async (tx) => {
      for (const key of keys) {
        const seq = await tx.objectStore('outbox').index('key').getKey(key)
        if (seq !== undefined) void tx.objectStore('outbox').delete(seq)
      }
    })
  }

  cache(row: Row): void {
    this.#unseen.push(row)
    this.#flushSoon()
  }

  remember(query: string, answer: Answer): void {
    this.#answers.set(query, answer)
    this.#flushSoon()
  }

  async forget(): Promise<void> {
    this.#unseen = []
    this.#answers.clear()
    await this.#strict(['seen', 'answer'], (tx) => {
      void tx.objectStore('seen').clear()
      void tx.objectStore('answer').clear()
    })
  }

  close(): void {
    void this.#flush()
    this.#closed = true
    this.#drop()
  }

  #drop(): void {
    const db = this.#db
    this.#db = undefined
    db?.then((open) => open.close()).catch(() => {})
  }

  #flushSoon(): void {
    if (this.#flushing) return
    this.#flushing = true
    setTimeout(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    const rows = this.#unseen.length > 0 ? chunks(merge(this.#unseen)) : []
    const answers = this.#answers
    this.#unseen = []
    this.#answers = new Map()
    this.#flushing = false
    if (rows.length === 0 && answers.size === 0) return
    try {
      await this.#retry(async (db) => {
        const tx = db.transaction(['seen', 'answer'], 'readwrite', { durability: 'relaxed' })
        for (const row of rows) void tx.objectStore('seen').add(row)
        for (const [query, answer] of answers) void tx.objectStore('answer').put(answer, query)
        await tx.done
      })
    } catch {
      // A cache that cannot be written is fetched again next time.
    }
  }

  /** Rewrites the log when it is too long, or made of crumbs. Rows that others add meanwhile stay. */
  async #compact(keys: readonly number[], seen: Row): Promise<void> {
    const rows = chunks(seen)
    const last = keys.at(-1)
    if (last === undefined || (keys.length <= maxRows && keys.length < 2 * rows.length + 50)) return
    await this.#retry(async (db) => {
      const tx = db.transaction('seen', 'readwrite', { durability: 'relaxed' })
      void tx.store.delete(IDBKeyRange.upperBound(last))
      for (const row of rows.slice(-maxRows)) void tx.store.add(row)
      await tx.done
    })
  }

  #strict<S extends Stores>(
    stores: S,
    work: (tx: IDBPTransaction<Schema, S, 'readwrite'>) => Promise<void> | void,
  ): Promise<void> {
    return this.#retry(async (db) => {
      const tx = db.transaction(stores, 'readwrite', { durability: 'strict' })
      await work(tx)
      await tx.done
    })
  }

  /** Browsers close databases of pages they think asleep. Opens again, once. */
  async #retry<T>(work: (db: Db) => Promise<T>): Promise<T> {
    try {
      return await work(await this.open())
    } catch (e) {
      if (this.#closed || !(e instanceof DOMException && e.name === 'InvalidStateError')) throw e
      this.#drop()
      return work(await this.open())
    }
  }
}

/** Cuts a row into pieces of about 500 records. */
function chunks(row: Row): Row[] {
  const rows: { concepts: Concept[]; connections: Connection[] }[] = []
  const count = Math.max(row.concepts.length, row.connections.length)
  for (let i = 0; i < count; i += chunk / 2) {
    const [concepts, connections] = [row.concepts, row.connections].map((l) =>
      l.slice(i, i + chunk / 2),
    )
    rows.push({ concepts: concepts as Concept[], connections: connections as Connection[] })
  }
  const { concepts: _, connections: __, ...rest } = row
  if (Object.values(rest).some((list) => list.length > 0)) {
    rows.push({ concepts: [], connections: [], ...rest })
  }
  return rows
}
