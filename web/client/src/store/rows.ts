import type { Mutation } from '../graph/mutation.ts'
import { result } from './database.ts'

/** A row of the outbox: writes of one task, in order. In the first layout, a write. */
type OutboxRow = readonly Mutation[] | Mutation

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

  /** Puts in the place of each write what change makes of it, if it is there still; nothing if undefined. */
  async change(
    outbox: IDBObjectStore,
    keys: readonly string[],
    change: (key: string) => Mutation | undefined,
  ): Promise<void> {
    const own = new Set(keys)
    if (keys.some((key) => !this.#places.has(key))) await this.#readOn(outbox)
    const places = new Set(keys.map((key) => this.#places.get(key) ?? 0))
    const changed = (m: Mutation) => (own.has(m.key) ? (change(m.key) ?? []) : m)
    outbox.transaction.addEventListener('complete', () => {
      for (const key of keys) if (!change(key)) this.#places.delete(key)
    })
    await Promise.all(
      [...places].map(async (place) => {
        const row = [(await result<OutboxRow | undefined>(outbox.get(place))) ?? []].flat()
        const next = row.flatMap(changed)
        if (next.length > 0) outbox.put(next, place)
        else if (row.length > 0) outbox.delete(place)
      }),
    )
  }

  async replace(outbox: IDBObjectStore, mutations: readonly Mutation[]): Promise<void> {
    const next = new Map(mutations.map((m) => [m.key, m]))
    await this.change(outbox, [...next.keys()], (key) => next.get(key))
  }

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
