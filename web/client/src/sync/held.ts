import { WeftError } from '../graph/error.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Http } from '../wire/http.ts'
import { ignore } from '../wire/wait.ts'
import { dependents } from './dependents.ts'
import type { Outbox, Written } from './outbox.ts'
import { forget, put } from './outcome.ts'
import { type Entry, syncedOf } from './pending.ts'

/** For how long a transaction may lie that nobody goes on with, in milliseconds: 7 days. */
const longest = 7 * 24 * 3_600_000

/**
 * Commits the writes that are held for a transaction: all go as one request, whole or not at all. The write
 * returned is saved once that is on disk, in one piece, and synced, with the id of the first, once the server has
 * all of them. Nothing is sent before it is saved.
 */
export function release(outbox: Outbox, held: string): Written {
  const entries = heldFor(outbox, held)
  const [first] = entries
  if (!first) return { id: 0, key: '', saved: Promise.resolve(), synced: Promise.resolve(0) }
  const saved = releaseAll(outbox, entries, first.m.key)
  const all = Promise.all(entries.map(syncedOf)).then(() => syncedOf(first))
  saved.catch(ignore)
  all.catch(ignore)
  return { id: first.m.id, key: first.m.key, saved, synced: all }
}

async function releaseAll(outbox: Outbox, entries: readonly Entry[], batch: string): Promise<void> {
  const mark = { held: undefined, batch }
  try {
    await Promise.all(entries.map((e) => e.saving))
    const marked: Mutation[] = entries.map(({ m }) => ({ ...m, ...mark }))
    await outbox.storage?.replace(...marked)
  } catch (e) {
    throw new WeftError('unavailable', 'this browser did not save it', e)
  } finally {
    const keys = entries.map((e) => e.m.key)
    put(outbox.pending, keys, mark)
    outbox.tell({ kind: 'marked', keys, mark })
    outbox.send(true)
  }
}

/**
 * Drops writes that are held for a transaction, all or those with some keys, and what builds on them, at once. Resolves
 * when they are off the disk.
 */
export async function discardHeld(
  outbox: Outbox,
  held: string,
  keys?: readonly string[],
): Promise<void> {
  const asked = heldFor(outbox, held).map((e) => e.m.key)
  const gone = dependents(
    outbox,
    asked.filter((key) => !keys || keys.includes(key)),
  )
  if (gone.length > 0) await forget(outbox, gone)
}

/** Drops transactions that nobody went on with for too long. This clock may be wrong: the server's has to agree. */
export async function dropExpired(outbox: Outbox, http: Http): Promise<void> {
  if (expired(outbox, Date.now()).length === 0) return
  const { answer } = await http.ask('/api/health', {})
  const now = Math.min(Date.now(), Date.parse(answer.headers.get('Date') ?? ''))
  for (const held of expired(outbox, now)) await discardHeld(outbox, held)
}

/** Transactions whose last write was too long before now. */
function expired(outbox: Outbox, now: number): string[] {
  const last = new Map<string, number>()
  for (const { held, at } of outbox.pending.mutations())
    if (held) last.set(held, Math.max(Date.parse(at), last.get(held) ?? 0))
  return [...last].flatMap(([held, at]) => (at < now - longest ? held : []))
}

const heldFor = (outbox: Outbox, held: string): Entry[] =>
  outbox.pending.entries().filter((e) => e.m.held === held)
