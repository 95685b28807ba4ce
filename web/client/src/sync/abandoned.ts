import type { Mutation } from '../model/mutation.ts'
import type { Http } from '../wire/http.ts'
import { ignoreError } from '../wire/retry.ts'
import { discardTransaction, lockName, ofPage } from './open-transaction.ts'
import type { Outbox } from './outbox.ts'

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
