import type { Mutation, Receipt } from '../model/mutation.ts'
import { type Database, result } from './database.ts'
import { type OutboxRow, type OutboxRows, type OutboxStores, outboxStores } from './outbox-rows.ts'

/** Changes the saved writes of a page. Every method is one transaction; it rejects with the error of IndexedDB. */
export class OutboxChanges {
  readonly #db: Database
  readonly #rows: OutboxRows

  constructor(db: Database, rows: OutboxRows) {
    this.#db = db
    this.#rows = rows
  }

  /** Replaces writes, all or none. Writes that no longer exist are not added again. */
  replace(mutations: readonly Mutation[]): Promise<void> {
    return this.#db.run(['outbox'], 'strict', (outbox: IDBObjectStore) =>
      replaceRows(this.#rows, outbox, mutations),
    )
  }

  /** Removes writes, and logs the real ids for their local ids. */
  async settle(keys: readonly string[], receipt: Receipt | undefined): Promise<void> {
    await this.#db.run(
      ['outbox', 'pair'],
      'strict',
      (outbox: IDBObjectStore, pair: IDBObjectStore) =>
        settleRows(this.#rows, [outbox, pair], keys, receipt),
    )
    for (const key of keys) this.#rows.rowOf.delete(key)
  }

  /** Saves the identity of the server's store, and replaces `mutations`. Removes the id pairs of another store. */
  replaceStore(store: string, mutations: readonly Mutation[]): Promise<void> {
    return this.#db.run(
      outboxStores,
      'strict',
      async (...[outbox, pair, counter]: OutboxStores) => {
        const old = (await result<string | undefined>(counter.get('store'))) ?? store
        counter.put(store, 'store')
        if (old !== store) pair.clear()
        await replaceRows(this.#rows, outbox, mutations)
      },
    )
  }
}

/** Replaces writes in their rows. Writes that no longer exist are not added again. */
export const replaceRows = (
  rows: OutboxRows,
  outbox: IDBObjectStore,
  mutations: readonly Mutation[],
): Promise<void> => updateRows(rows, outbox, new Map(mutations.map((m) => [m.key, m])))

/** Removes writes, and logs the id pairs of the receipt, if there is one. */
export function settleRows(
  rows: OutboxRows,
  [outbox, pair]: readonly [outbox: IDBObjectStore, pair: IDBObjectStore],
  keys: readonly string[],
  receipt: Receipt | undefined,
): Promise<void> {
  if (receipt) pair.add({ conceptIds: receipt.conceptIds, connectionIds: receipt.connectionIds })
  return updateRows(rows, outbox, new Map(keys.map((key) => [key, undefined])))
}

/** Rewrites the rows of the given writes: each key is replaced, or removed if its value is undefined. */
async function updateRows(
  rows: OutboxRows,
  outbox: IDBObjectStore,
  changes: ReadonlyMap<string, Mutation | undefined>,
): Promise<void> {
  const keys = [...changes.keys()]
  if (keys.some((key) => !rows.rowOf.has(key))) await rows.readNew(outbox)
  const changed = new Set(keys.map((key) => rows.rowOf.get(key) ?? 0))
  await Promise.all(
    [...changed].map(async (rowKey) => {
      const row = [(await result<OutboxRow | undefined>(outbox.get(rowKey))) ?? []].flat()
      const kept = row.flatMap((m) => (changes.has(m.key) ? (changes.get(m.key) ?? []) : m))
      if (kept.length > 0) outbox.put(kept, rowKey)
      else outbox.delete(rowKey)
    }),
  )
}
