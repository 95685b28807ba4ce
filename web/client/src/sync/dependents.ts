import { type Id, isLocal } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import type { ServerIds } from '../wire/sync-codec.ts'
import { referencesOf } from './dependencies.ts'

/** Returns the keys of writes, in their order. */
export const keysOf = (writes: readonly { readonly key: string }[]): string[] =>
  writes.map(({ key }) => key)

/** Returns the ids that other writes must create on the server before this write can be sent. */
export const prerequisitesOf = (m: Mutation, names: ServerIds): Id[] =>
  referencesOf(m, names).filter(isLocal)

/**
 * Returns the keys of a write and of the other writes of its transaction. These writes are sent together and fail
 * together.
 */
export function unitKeysOf(writes: readonly Mutation[], key: string): string[] {
  const unit = transactionOf(writes.find((m) => m.key === key))
  return unit === '' ? [key] : keysOf(writes.filter((m) => transactionOf(m) === unit))
}

/**
 * Returns the given keys and the keys of all writes that depend on these writes, directly or indirectly, in the order
 * of `writes`. Write A depends on write B if A, or another write in the transaction of A, refers to a record that B
 * creates.
 */
export function withDependents(
  writes: readonly Mutation[],
  names: ServerIds,
  keys: readonly string[],
): string[] {
  const found = new Set(keys)
  const ids = new Set<Id>()
  const transactions = new Set<string>()
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const m of writes) {
      const transaction = transactionOf(m)
      if (!found.has(m.key)) {
        const depends = prerequisitesOf(m, names).some((id) => ids.has(id))
        if (!transactions.has(transaction) && !depends) continue
        found.add(m.key)
        if (transaction) transactions.add(transaction)
      }
      for (const c of [...m.concepts, ...m.connections]) ids.add(c.id)
    }
  }
  return keysOf(writes).filter((key) => found.has(key))
}

/** Returns the id of a write's transaction, committed or open; an empty string if the write has none. */
const transactionOf = (m: Mutation | undefined): string => m?.batch ?? m?.held ?? ''
