import type { Client, Id } from '@weft/client'
import { internalsOf } from '@weft/client/internal'
import { begin, type Transaction } from '@weft/client/transaction'
import { currentClient } from './start.ts'
import { transactions } from './transaction-list.ts'

/*
 * Loaded with the first transaction, or when a page finds an open one.
 *
 * Only the page that creates a LocalTransaction knows its id. Once that page is closed, the transaction cannot be committed:
 * its writes would be shown for 7 days, with everything that depends on them, and never be sent. Another page of the
 * application therefore rolls it back. A transaction with an id that the application chose is continued by that id.
 *
 * A page holds a Web Lock for each of its transactions until the commit is on disk. A page that starts requests the lock
 * of each transaction that it finds. With the lock it reads the disk again: a transaction that is still open there is
 * abandoned. If the browser has no locks, an abandoned transaction ends after 7 days.
 */

/** Prefix of the ids of transactions that end with their page. */
const ofPage = 'page:'

const lockName = (id: string): string => `weft transaction ${id}`

/** The transactions of this page that other pages must not roll back, with the functions that release their locks. */
const kept = new Map<string, Promise<() => void>>()

/** Begins a transaction, or continues the one with the id. */
export async function openTransaction(id: string): Promise<Transaction> {
  if (id.startsWith(ofPage)) {
    if (!kept.has(id)) kept.set(id, holdLock(id))
    await kept.get(id)
  }
  const open = transactions.get(id) ?? begin(currentClient(), id)
  transactions.set(id, open)
  return open
}

/** Commits a transaction. Returns the key of its first write, if it has any. */
export async function commitTransaction(id: string): Promise<string> {
  const open = transactions.get(id)
  transactions.delete(id)
  const write = await open?.commit()
  // If the disk fails, the disk still has an open transaction: the lock is kept until the page is closed.
  write?.saved.then(() => release(id)).catch(() => {})
  return write?.key ?? ''
}

export async function rollbackTransaction(id: string): Promise<void> {
  const open = transactions.get(id)
  transactions.delete(id)
  await open?.rollback()
  await release(id)
}

async function release(id: string): Promise<void> {
  const unlock = await kept.get(id)
  kept.delete(id)
  unlock?.()
}

const holdLock = (id: string): Promise<() => void> =>
  new Promise((resolve) => {
    const hold = () => new Promise<void>((release) => resolve(release))
    const request = globalThis.navigator?.locks?.request(lockName(id), hold)
    const doNothing = () => resolve(() => {})
    if (request) request.catch(doNothing)
    else doNothing()
  })

/**
 * Rolls back the transactions of pages that are closed. Transactions of open pages are rolled back when these
 * pages close without a commit.
 */
export async function rollBackAbandoned(client: Client): Promise<void> {
  const { locks } = globalThis.navigator ?? {}
  const found = new Set(client.sync.writes().map((write) => write.held ?? ''))
  const others = [...found].filter((id) => id.startsWith(ofPage) && !kept.has(id))
  if (!locks) return
  for (const id of others) {
    const rollBack = () => rollBackOpen(client, id)
    const request = locks.request(lockName(id), { ifAvailable: true }, async (lock) => {
      if (lock) await rollBack()
      else locks.request(lockName(id), rollBack).catch(() => {})
    })
    await request.catch(() => {})
  }
}

/** Rolls back a transaction that is open on disk. The caller holds its lock. */
async function rollBackOpen(client: Client, id: string): Promise<void> {
  const saved = await internalsOf(client).storage()?.readOutbox()
  if (!saved?.mutations.some((m) => m.held === id)) return
  await begin(client, id).rollback()
}

/**
 * Returns the keys of the writes that are not sent before a transaction is committed: writes of open transactions, writes
 * that refer to records of these, and the other writes of their transactions.
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
