import type { Id } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import type { Http } from '../wire/http.ts'
import { ignoreError } from '../wire/retry.ts'
import { discardWrites } from './change-writes.ts'
import { keysOf, withDependents } from './dependents.ts'
import type { Outbox } from './outbox.ts'
import { type OutboxWrite, settledOf, syncedOf } from './pending-writes.ts'
import { createEndedWrite, type Write } from './status.ts'

/*
 * When an open transaction ends without a commit or a rollback:
 *
 * id                 ends
 * of the application 7 days after its last write: any page may continue it by its id
 * `page:…`           with its page, which alone knows the id: no other page could commit the writes
 *
 * A page holds a Web Lock for each of its own transactions until the commit or rollback is on disk. Every other page requests the
 * lock of each such transaction that it knows. When it gets the lock, it reads the disk: a transaction that is still open there
 * is abandoned, and discarded. Where the browser has no locks, such a transaction ends after 7 days.
 */

/** How long a transaction stays open after its last write, in ms: 7 days. */
const maxOpenTime = 7 * 24 * 3_600_000

/** The ids of transactions that end with their page begin so. */
export const ofPage = 'page:'

const lockName = (transaction: string): string => `weft transaction ${transaction}`

/**
 * Marks a transaction as one of this page, if its id says so, until the function returned is called or the client is closed. To
 * be called before the first write.
 */
export function holdTransaction(transaction: string, closed: AbortSignal): () => void {
  if (!transaction.startsWith(ofPage)) return () => {}
  let release!: () => void
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  closed.addEventListener('abort', release)
  // Shared: a page may continue a transaction of its own.
  globalThis.navigator?.locks
    ?.request(lockName(transaction), { mode: 'shared' }, () => released)
    .catch(ignoreError)
  return () => {
    closed.removeEventListener('abort', release)
    release()
  }
}

/**
 * Discards those of the transactions of these writes that end with their page, as soon as their pages are closed. `followed` has
 * the transactions that are waited for.
 */
export function followTransactions(
  outbox: Outbox,
  writes: readonly Mutation[],
  followed: Set<string>,
  closed: AbortSignal,
): void {
  const { locks } = globalThis.navigator ?? {}
  if (!locks || !outbox.storage) return
  for (const { held } of writes) {
    if (!held?.startsWith(ofPage) || followed.has(held)) continue
    followed.add(held)
    locks
      .request(lockName(held), { signal: closed }, () => discardAbandoned(outbox, held))
      .catch(ignoreError)
      .finally(() => followed.delete(held))
  }
}

/** Discards a transaction that is open on disk. */
async function discardAbandoned(outbox: Outbox, transaction: string): Promise<void> {
  const saved = await outbox.storage?.readOutbox()
  if (saved?.mutations.some((m) => m.held === transaction))
    await discardTransaction(outbox, transaction)
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

/** Resolves with the id of the first write when all writes have resolved. */
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
 * Discards the writes of an open transaction, or those with the given keys, and all that depend on them. They disappear
 * from the graph immediately; the promise resolves when they are removed from the disk.
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

/**
 * Discards the transactions that have been open for too long. The clock of this device may be wrong, so the clock of
 * the server must agree.
 */
export async function discardExpiredTransactions(outbox: Outbox, http: Http): Promise<void> {
  if (expiredTransactions(outbox, Date.now()).length === 0) return
  const { response } = await http.requestText('/api/health', {}, { guest: '' })
  const now = Math.min(Date.now(), Date.parse(response.headers.get('Date') ?? ''))
  for (const expired of expiredTransactions(outbox, now)) await discardTransaction(outbox, expired)
}

/** Returns the open transactions whose last write is older than `maxOpenTime` at the time `now`. */
function expiredTransactions(outbox: Outbox, now: number): string[] {
  const last = new Map<string, number>()
  for (const { held, at } of outbox.pending.mutations())
    if (held) last.set(held, Math.max(Date.parse(at), last.get(held) ?? 0))
  return [...last].flatMap(([held, at]) => (at < now - maxOpenTime ? held : []))
}

const writesOf = (outbox: Outbox, transaction: string): OutboxWrite[] =>
  outbox.pending.all().filter((write) => write.mutation.held === transaction)
