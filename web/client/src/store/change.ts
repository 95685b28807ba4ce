import type { Mutation, Receipt } from '../graph/mutation.ts'
import { result } from './database.ts'
import type { OutboxRow, Rows } from './rows.ts'

// Nothing changes in an outbox before there is somebody who sends it, so this is loaded then.

type Places = Map<string, IDBValidKey>

/** Takes mutations out, and notes what became of them. Once that is done nobody needs their places. */
export function settleLeft(
  rows: Rows,
  keys: readonly string[],
  seen: Receipt | undefined,
  outbox: IDBObjectStore,
  pair: IDBObjectStore,
): Promise<Places> {
  if (seen) pair.add({ conceptIds: seen.conceptIds, connectionIds: seen.connectionIds })
  return change(rows, outbox, new Map(keys.map((key) => [key, undefined])))
}

/** Writes mutations anew in their places; those that have gone stay gone. */
export const replace = (
  rows: Rows,
  outbox: IDBObjectStore,
  mutations: readonly Mutation[],
): Promise<Places> => change(rows, outbox, new Map(mutations.map((m) => [m.key, m])))

/** Puts in the place of each write what it is next, if it is there still; nothing if undefined. */
async function change(
  rows: Rows,
  outbox: IDBObjectStore,
  next: ReadonlyMap<string, Mutation | undefined>,
): Promise<Places> {
  const keys = [...next.keys()]
  const places = await rows.places(outbox, keys)
  await Promise.all(
    [...new Set(keys.map((key) => places.get(key) ?? 0))].map(async (at) => {
      const row = [(await result<OutboxRow | undefined>(outbox.get(at))) ?? []].flat()
      const left = row.flatMap((m) => (next.has(m.key) ? (next.get(m.key) ?? []) : m))
      if (left.length > 0) outbox.put(left, at)
      else outbox.delete(at)
    }),
  )
  return places
}
