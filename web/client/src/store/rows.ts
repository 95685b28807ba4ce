import type { Mutation } from '../graph/mutation.ts'
import { result } from './database.ts'

/** A row of the outbox: writes of one task, in order. In the first layout, a write. */
export type OutboxRow = readonly Mutation[] | Mutation

/** Rows end with the write that brings them to so many records: taking one write out writes the rest anew. */
const rowSize = 500

/** Adds writes at the end. */
export function addRows(outbox: IDBObjectStore, mutations: readonly Mutation[]): void {
  let row: Mutation[] = []
  let size = 0
  for (const m of mutations) {
    row.push(m)
    size += m.concepts.length + m.connections.length
    if (size < rowSize && m !== mutations.at(-1)) continue
    outbox.add(row)
    row = []
    size = 0
  }
}

/** The rows of the outbox, and in which of them the writes are, as far as this page has read. */
export class Rows {
  readonly #places = new Map<string, IDBValidKey>()
  /** The last row that was read, with all before it. */
  #last: IDBValidKey = 0

  /** All writes, oldest first. */
  async all(outbox: IDBObjectStore): Promise<Mutation[]> {
    this.#places.clear()
    this.#last = 0
    return this.#readOn(outbox)
  }

  /** Where writes are, by their keys, or were: no row comes back. */
  async places(outbox: IDBObjectStore, keys: readonly string[]) {
    if (keys.some((key) => !this.#places.has(key))) await this.#readOn(outbox)
    return this.#places
  }

  /** What was added after the last row that was read. */
  async #readOn(outbox: IDBObjectStore): Promise<Mutation[]> {
    const range = IDBKeyRange.lowerBound(this.#last, true)
    const [rows, places] = await Promise.all([
      result<OutboxRow[]>(outbox.getAll(range)),
      result(outbox.getAllKeys(range)),
    ])
    const all = rows.map((row) => [row].flat())
    for (const [i, row] of all.entries())
      for (const { key } of row) this.#places.set(key, places[i] as IDBValidKey)
    this.#last = places.at(-1) ?? this.#last
    return all.flat()
  }
}
