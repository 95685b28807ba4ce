import type { Mutation, Receipt } from '../model/mutation.ts'
import { result } from './database.ts'
import { randomNumber } from './local-ids.ts'

/** The stores of the outbox database. See `storage.ts` for their contents. */
export const outboxStores = ['outbox', 'pair', 'counter']

export type OutboxStores = [outbox: IDBObjectStore, pair: IDBObjectStore, counter: IDBObjectStore]

/** A row of the store `outbox`: the writes of one task, in order. In layout version 1 a row is one write. */
export type OutboxRow = readonly Mutation[] | Mutation

/** A row of the store `pair`: local ids, each with the real id that replaced it when its write was settled. */
export type IdPairs = Pick<Receipt, 'conceptIds' | 'connectionIds'>

/** The contents of an outbox database. */
export interface StoredOutbox {
  /** The number of the browser profile, chosen at random once. */
  readonly randomizer: number
  /** The identity of the store that real ids belong to, once known. */
  readonly store: string | undefined
  /** The unsent writes, oldest first. */
  readonly mutations: readonly Mutation[]
  /** A receipt with the known id pairs. After `Storage.load` it also has the cached records. */
  readonly seen: Receipt
}

/** A row is closed when its writes have this many records. Rows are small because removing a write rewrites its row. */
const recordsPerRow = 500

/** Appends writes, in rows of about `recordsPerRow` records. */
export function addRows(outbox: IDBObjectStore, mutations: readonly Mutation[]): void {
  let row: Mutation[] = []
  let size = 0
  for (const m of mutations) {
    row.push(m)
    size += m.concepts.length + m.connections.length
    if (size < recordsPerRow && m !== mutations.at(-1)) continue
    outbox.add(row)
    row = []
    size = 0
  }
}

/** Reads an outbox database. Chooses its randomizer if it has none. */
export async function readOutbox(
  rows: OutboxRows,
  ...[outbox, pair, counter]: OutboxStores
): Promise<StoredOutbox> {
  const [mutations, pairs, store, known] = await Promise.all([
    rows.readAll(outbox),
    result<IdPairs[]>(pair.getAll()),
    result<string | undefined>(counter.get('store')),
    result<number | undefined>(counter.get('randomizer')),
  ])
  const randomizer = known ?? randomNumber()
  counter.put(randomizer, 'randomizer')
  const seen = {
    concepts: [],
    connections: [],
    conceptIds: pairs.flatMap((row) => row.conceptIds),
    connectionIds: pairs.flatMap((row) => row.connectionIds),
  }
  return { randomizer, store, mutations, seen }
}

/** The rows of an outbox that this page has read, with an index from writes to rows. */
export class OutboxRows {
  readonly #rowOf = new Map<string, IDBValidKey>()
  /** The key of the last row that was read. */
  #last: IDBValidKey = 0

  /** Reads all writes, oldest first. */
  async readAll(outbox: IDBObjectStore): Promise<Mutation[]> {
    this.#rowOf.clear()
    this.#last = 0
    return this.#readNew(outbox)
  }

  /** Replaces writes in their rows. Writes that no longer exist are not added again. */
  replace(outbox: IDBObjectStore, mutations: readonly Mutation[]): Promise<void> {
    return this.#update(outbox, new Map(mutations.map((m) => [m.key, m])))
  }

  /** Removes writes, and logs the id pairs of the receipt, if there is one. */
  settle(
    outbox: IDBObjectStore,
    pair: IDBObjectStore,
    keys: readonly string[],
    receipt: Receipt | undefined,
  ): Promise<void> {
    if (receipt) pair.add({ conceptIds: receipt.conceptIds, connectionIds: receipt.connectionIds })
    return this.#update(outbox, new Map(keys.map((key) => [key, undefined])))
  }

  /** Drops writes from the index. To be called once the transaction that settled them is committed. */
  drop(keys: readonly string[]): void {
    for (const key of keys) this.#rowOf.delete(key)
  }

  /** Rewrites the rows of the given writes: each key is replaced, or removed if its value is undefined. */
  async #update(
    outbox: IDBObjectStore,
    changes: ReadonlyMap<string, Mutation | undefined>,
  ): Promise<void> {
    const keys = [...changes.keys()]
    if (keys.some((key) => !this.#rowOf.has(key))) await this.#readNew(outbox)
    const rows = new Set(keys.map((key) => this.#rowOf.get(key) ?? 0))
    await Promise.all(
      [...rows].map(async (rowKey) => {
        const row = [(await result<OutboxRow | undefined>(outbox.get(rowKey))) ?? []].flat()
        const kept = row.flatMap((m) => (changes.has(m.key) ? (changes.get(m.key) ?? []) : m))
        if (kept.length > 0) outbox.put(kept, rowKey)
        else outbox.delete(rowKey)
      }),
    )
  }

  /** Reads the rows that were added after the last one read. */
  async #readNew(outbox: IDBObjectStore): Promise<Mutation[]> {
    const range = IDBKeyRange.lowerBound(this.#last, true)
    const [rows, keys] = await Promise.all([
      result<OutboxRow[]>(outbox.getAll(range)),
      result(outbox.getAllKeys(range)),
    ])
    const all = rows.map((row) => [row].flat())
    for (const [i, row] of all.entries())
      for (const { key } of row) this.#rowOf.set(key, keys[i] as IDBValidKey)
    this.#last = keys.at(-1) ?? this.#last
    return all.flat()
  }
}
