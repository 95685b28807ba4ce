import type { Id } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import { ignoreError } from '../wire/retry.ts'
import { discardWrites } from './change-writes.ts'
import { keysOf, withDependents } from './dependents.ts'
import type { Outbox } from './outbox.ts'
import { type OutboxWrite, settledOf, syncedOf } from './pending-writes.ts'
import { createEndedWrite, type Write } from './status.ts'

/** The ids of transactions that end with their page begin so. `abandoned.ts` ends those whose page was closed. */
export const ofPage = 'page:'

/** The Web Lock that a page holds for a transaction of its own. */
export const lockName = (transaction: string): string => `weft transaction ${transaction}`

/**
 * If the id has the prefix `page:`, holds the lock of the transaction until the returned function is called or the
 * client is closed. Must be called before the first write.
 */
export function holdTransaction(transaction: string, closed: AbortSignal): () => void {
  if (!transaction.startsWith(ofPage)) return () => {}
  let release!: () => void
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  closed.addEventListener('abort', release)
  // The lock is shared, because a page may begin its own transaction again to continue it.
  globalThis.navigator?.locks
    ?.request(lockName(transaction), { mode: 'shared' }, () => released)
    .catch(ignoreError)
  return () => {
    closed.removeEventListener('abort', release)
    release()
  }
}

/**
 * Commits the writes of an open transaction: held → queued, in one disk transaction, and then sent as one request. The
 * Write returned has the id and key of the first write. It is synced when the server has accepted all of them.
 */
export function commitTransaction(outbox: Outbox, transaction: string): Write {
  const writes = writesOf(outbox, transaction)
  const [first] = writes
  if (!first) return createEndedWrite(0, 0)
  const saved = saveCommit(outbox, writes, first.mutation.key)
  saved.catch(ignoreError)
  return {
    id: first.mutation.id,
    key: first.mutation.key,
    saved,
    get synced() {
      return allOf(writes, syncedOf)
    },
    get settled() {
      return allOf(writes, settledOf)
    },
  }
}

/** Resolves with the id of the first write when the promises of all writes have resolved. */
function allOf(writes: readonly OutboxWrite[], promiseOf: typeof syncedOf): Promise<Id> {
  const all = Promise.all(writes.map(promiseOf)).then(([id = 0]) => id)
  all.catch(ignoreError)
  return all
}

async function saveCommit(
  outbox: Outbox,
  writes: readonly OutboxWrite[],
  batch: string,
): Promise<void> {
  const change = { held: undefined, batch }
  try {
    await Promise.all(writes.map((write) => write.saved))
    const committed: Mutation[] = writes.map(({ mutation }) => ({ ...mutation, ...change }))
    await outbox.storage?.replace(...committed)
  } finally {
    const keys = writes.map((write) => write.mutation.key)
    outbox.pending.change(keys, change)
    outbox.publish({ kind: 'marked', keys, mark: change })
    outbox.send(true)
  }
}

/**
 * Discards the writes of an open transaction, or only those with the given keys, and all writes that depend on them.
 * They disappear from the graph immediately; the promise resolves when they are removed from the disk.
 */
export async function discardTransaction(
  outbox: Outbox,
  transaction: string,
  keys?: readonly string[],
): Promise<void> {
  const own = keysOf(writesOf(outbox, transaction).map((write) => write.mutation))
  const requested = own.filter((key) => !keys || keys.includes(key))
  const all = withDependents(outbox.pending.mutations(), outbox.graph, requested)
  if (all.length > 0) await discardWrites(outbox, all)
}

const writesOf = (outbox: Outbox, transaction: string): OutboxWrite[] =>
  outbox.pending.all().filter((write) => write.mutation.held === transaction)
