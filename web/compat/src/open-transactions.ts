import type { Id } from '@weft/client'
import { internalsOf } from '@weft/client/internal'
import { begin, type Transaction } from '@weft/client/transaction'
import { currentClient } from './start.ts'
import { transactions } from './transaction-list.ts'

/*
 * Transactions of the client. This file is loaded with the first transaction, or when a call waits while a transaction
 * is open.
 *
 * The id of a LocalTransaction begins with `page:`, so the transaction ends with its page; see `begin` of the client.
 */

/** Begins the transaction with this id, or continues it. */
export function openTransaction(id: string): Transaction {
  const open = transactions.get(id) ?? begin(currentClient(), id)
  transactions.set(id, open)
  return open
}

/** Commits a transaction. Resolves with the key of its first write; empty if it has no writes. */
export async function commitTransaction(id: string): Promise<string> {
  const open = transactions.get(id)
  transactions.delete(id)
  const write = await open?.commit()
  return write?.key ?? ''
}

export async function rollbackTransaction(id: string): Promise<void> {
  const open = transactions.get(id)
  transactions.delete(id)
  await open?.rollback()
}

/**
 * Returns the keys of the writes that wait for the commit of an open transaction: the writes of open transactions, the
 * writes that refer to records of open transactions, and all writes that share a transaction with such a write.
 */
export function uncommittedKeys(): ReadonlySet<string> {
  const { graph, outbox } = internalsOf(currentClient())
  const writes = outbox.pending.mutations()
  const keys = new Set<string>()
  const batches = new Set<string | undefined>()
  const created = new Set<Id>()
  for (let before = -1; before < keys.size; ) {
    before = keys.size
    for (const { key, held, batch, concepts, connections, ...removed } of writes) {
      const own = new Set(concepts.map((c) => c.id))
      const ends = connections.flatMap((c) => [c.from, c.to, c.type])
      const ids = [...ends, ...removed.removeConcepts, ...removed.removeConnections]
      const waits = ids.some((id) => created.has(id) && !own.has(id) && graph.real(id) < 0)
      if (held === undefined && !batches.has(batch) && !waits) continue
      keys.add(key)
      if (batch !== undefined) batches.add(batch)
      for (const c of [...concepts, ...connections]) created.add(c.id)
    }
  }
  return keys
}
