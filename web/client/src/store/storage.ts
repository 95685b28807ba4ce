import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import { idsOf, type Mutation, type Receipt } from '../graph/mutation.ts'
import type { Answer } from '../query/query.ts'
import { committed, openDatabase, result } from './database.ts'
import { block, randomNumber } from './local-ids.ts'

/** What was found when the database was opened. */
export interface Saved {
  /** Chosen once per profile. */
  readonly randomizer: number
  /** The id above a block of local ids, which nobody else gets. */
  readonly above: Id
  /** The store that seen and answers are from, once known. */
  readonly store: string | undefined
  /** The outbox, oldest first. */
  readonly mutations: readonly Mutation[]
  readonly seen: Receipt
  readonly answers: ReadonlyMap<string, Answer>
}

/** A piece of the log of what was seen. */
type Row = Partial<Receipt>

/** Rows hold about this many records: fewer, larger rows make reading at start ten times faster. */
const chunk = 500
/** A log of more rows is written anew, half as long: the oldest are fetched again when needed. */
const maxRows = 400
const maxAnswers = 500

/**
 * What the browser keeps between visits, in IndexedDB:
 *
 *   outbox   mutations by order of arrival, whichever tab they came from
 *   seen     what the server said, an append-only log
 *   answer   the last answer to each query
 *   counter  the last local ids given, the randomizer, and the identity of the store
 */
export class Storage {
  readonly #name: string
  #db: Promise<IDBDatabase> | undefined
  #appends: Mutation[] = []
  /** The end of the transaction to come, and of the one before. */
  #appending: Promise<void> | undefined
  #appended = Promise.resolve()
  #unseen: Row[] = []
  #answers = new Map<string, Answer>()
  #flushing = false
  #closed = false
  #store: string | undefined
  #user: string | undefined

  constructor(name: string) {
    this.#name = name
  }

  /** What was seen by anybody else is forgotten. */
  load(user: string | undefined): Promise<Saved> {
    this.#user = user
    this.#unseen = []
    this.#answers.clear()
    return this.#write(stores, 'relaxed', async (outbox, seen, answer, counter) => {
      const randomizer = (await result(counter.get('randomizer'))) ?? randomNumber()
      counter.put(randomizer, 'randomizer')
      const above = (await result<Id | undefined>(counter.get('id'))) ?? -100
      counter.put(above - block, 'id')
      this.#store = await result<string | undefined>(counter.get('store'))
      const other = (await result(counter.get('user'))) !== user
      counter.put(user, 'user')
      if (other) answer.clear()
      const [mutations, rows, answers] = await Promise.all([
        result<Mutation[]>(outbox.getAll()),
        result<Row[]>(seen.getAll()),
        result<Answer[]>(answer.getAll()),
      ])
      const queries = (await result(answer.getAllKeys())) as string[]
      let all = merge(rows)
      if (other) all = idsOf(all)
      if (other || rows.length > maxRows) {
        seen.clear()
        for (const row of chunks(all).slice(-maxRows / 2)) seen.add(row)
      }
      if (queries.length > maxAnswers) answer.clear()
      return {
        randomizer,
        above,
        store: this.#store,
        mutations,
        seen: all,
        answers: new Map(queries.map((query, i) => [query, answers[i] as Answer])),
      }
    })
  }

  /** Resolves when the mutation is on disk. Those that come while one is written share a transaction. */
  append(m: Mutation): Promise<void> {
    this.#appends.push(m)
    this.#appending ??= this.#append()
    return this.#appending
  }

  /** Takes mutations out, at once and for good with what became of them, as far as it is for whoever is here now. */
  settle(keys: readonly string[], seen?: Receipt, user?: string): Promise<void> {
    return this.#write(['outbox', 'seen', 'counter'], 'strict', async (outbox, log, counter) => {
      if (seen) log.add(user === (await result(counter.get('user'))) ? seen : idsOf(seen))
      for (const key of keys) await replace(outbox, key)
    })
  }

  /** Writes a mutation anew in its place, unless it has gone. */
  replace(m: Mutation): Promise<void> {
    return this.#write(['outbox'], 'strict', (outbox) => replace(outbox, m.key, m))
  }

  /** The server has that store. What was seen of another is forgotten, and writes for it become these. */
  move(store: string, lost: readonly Mutation[]): Promise<void> {
    if (this.#store) {
      this.#unseen = []
      this.#answers.clear()
    }
    this.#store = store
    return this.#write(stores, 'strict', async (outbox, seen, answer, counter) => {
      const old = (await result(counter.get('store'))) ?? store
      counter.put(store, 'store')
      if (old !== store) for (const of of [seen, answer]) of.clear()
      for (const m of lost) await replace(outbox, m.key, m)
    })
  }

  /** Keeps what was seen, at leisure. */
  cache(row: Row): void {
    this.#unseen.push(row)
    this.#flushSoon()
  }

  remember(query: string, answer: Answer): void {
    this.#answers.set(query, answer)
    this.#flushSoon()
  }

  close(): void {
    void this.#flush()
    this.#closed = true
    this.#db?.then((db) => db.close()).catch(() => {})
  }

  async #append(): Promise<void> {
    await this.#appended
    const group = this.#appends
    this.#appends = []
    this.#appending = undefined
    const all = (outbox: IDBObjectStore) => group.forEach((m) => void outbox.add(m))
    const appended = this.#write(['outbox'], 'strict', all)
    this.#appended = appended.catch(() => {})
    await appended
  }

  #flushSoon(): void {
    if (this.#flushing) return
    this.#flushing = true
    setTimeout(() => void this.#flush())
  }

  /** A cache that cannot be written is fetched again next time. */
  async #flush(): Promise<void> {
    const [unseen, answers] = [this.#unseen, this.#answers]
    const rows = chunks({
      ...merge(unseen),
      removeConcepts: unseen.flatMap((row) => row.removeConcepts ?? []),
      removeConnections: unseen.flatMap((row) => row.removeConnections ?? []),
    })
    this.#unseen = []
    this.#answers = new Map()
    this.#flushing = false
    const [store, user] = [this.#store, this.#user]
    await this.#write(['seen', 'answer', 'counter'], 'relaxed', async (seen, answer, counter) => {
      // Another tab may know of another store, or user.
      if (store && store !== (await result(counter.get('store')))) return
      if (user !== (await result(counter.get('user')))) return
      for (const row of rows) seen.add(row)
      for (const [query, found] of answers) answer.put(found, query)
    }).catch(() => {})
  }

  /** Runs work in a transaction and waits for its end. Browsers close databases of pages they think asleep. */
  async #write<T>(
    stores: readonly string[],
    durability: IDBTransactionDurability,
    work: (...stores: IDBObjectStore[]) => Promise<T> | T,
  ): Promise<T> {
    const tx = await this.#begin(stores, durability).catch((e) => {
      if (this.#closed) throw e
      this.#db = undefined
      return this.#begin(stores, durability)
    })
    const end = committed(tx)
    const [done] = await Promise.all([work(...stores.map((name) => tx.objectStore(name))), end])
    return done
  }

  async #begin(
    stores: readonly string[],
    durability: IDBTransactionDurability,
  ): Promise<IDBTransaction> {
    this.#db ??= openDatabase(this.#name, create, () => {
      this.#db = undefined
    })
    return (await this.#db).transaction(stores, 'readwrite', { durability })
  }
}

const stores = ['outbox', 'seen', 'answer', 'counter']

function create(db: IDBDatabase): void {
  db.createObjectStore('outbox', { autoIncrement: true }).createIndex('key', 'key')
  db.createObjectStore('seen', { autoIncrement: true })
  db.createObjectStore('answer')
  db.createObjectStore('counter')
}

/** Puts a mutation, or nothing, in the place of the one with that key. */
async function replace(outbox: IDBObjectStore, key: string, m?: Mutation): Promise<void> {
  const seq = await result(outbox.index('key').getKey(key))
  if (seq === undefined) return
  if (m) outbox.put(m, seq)
  else outbox.delete(seq)
}

/** Reads a log from its start: later rows win, and what is gone takes its connections along. */
function merge(rows: Iterable<Row>): Receipt {
  const concepts = new Map<Id, Concept>()
  const connections = new Map<Id, Connection>()
  const conceptIds = new Map<Id, Id>()
  const connectionIds = new Map<Id, Id>()
  const gone = new Set<Id>()
  for (const row of rows) {
    for (const c of row.concepts ?? []) {
      concepts.set(c.id, c)
      gone.delete(c.id)
    }
    for (const c of row.connections ?? []) connections.set(c.id, c)
    for (const id of row.removeConcepts ?? []) {
      concepts.delete(id)
      gone.add(id)
    }
    for (const id of row.removeConnections ?? []) connections.delete(id)
    for (const [local, real] of row.conceptIds ?? []) conceptIds.set(local, real)
    for (const [local, real] of row.connectionIds ?? []) connectionIds.set(local, real)
  }
  for (const c of connections.values()) {
    if (gone.has(c.from) || gone.has(c.to) || gone.has(c.type)) connections.delete(c.id)
  }
  return {
    concepts: [...concepts.values()],
    connections: [...connections.values()],
    conceptIds: [...conceptIds],
    connectionIds: [...connectionIds],
  }
}

/** Cuts a log into rows of about 500 records. */
function chunks(all: Row): Row[] {
  const rows: Row[] = []
  const lists = Object.entries(all)
  const most = Math.max(...lists.map(([, list]) => list.length))
  for (let i = 0; i < most; i += chunk / 2) {
    rows.push(Object.fromEntries(lists.map(([name, list]) => [name, list.slice(i, i + chunk / 2)])))
  }
  return rows
}
