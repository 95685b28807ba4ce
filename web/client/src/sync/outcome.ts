import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import { idsOf, type Mutation, type Receipt } from '../graph/mutation.ts'
import { settle as settleIn } from '../local/settle.ts'
import { ignore } from '../wire/wait.ts'
import type { Outbox } from './outbox.ts'
import type { Entry, Mark, Pending } from './pending.ts'

/** Of writes that are over, all at once, with what the server said of them to a user. */
export function settle(
  { pending, graph }: Outbox,
  keys: readonly string[],
  receipt: Receipt,
  user: string | undefined,
): void {
  const entries = keys.flatMap((key) => pending.remove(key) ?? [])
  settleIn(graph, user === graph.user ? receipt : idsOf(receipt), undefined)
  for (const { m } of entries) {
    if (pending.isShown(m)) settleIn(graph, nothing, m)
    pending.touch(m)
  }
  for (const entry of entries) end(entry, Promise.resolve(graph.real(entry.m.id)))
}

const nothing: Receipt = { concepts: [], connections: [], conceptIds: [], connectionIds: [] }

/** Forgets writes as if they had never been made. */
export function drop({ pending, graph }: Outbox, keys: readonly string[]): void {
  for (const key of keys.toReversed()) {
    const entry = pending.remove(key)
    if (!entry) continue
    if (pending.isShown(entry.m)) graph.undo(entry.m)
    pending.touch(entry.m)
    end(entry, Promise.reject(new WeftError('conflict', 'discarded')))
  }
}

/** Whoever waited, or will, for the server hears what became of a write. */
function end(entry: Entry, outcome: Promise<Id>): void {
  entry.end?.(outcome)
  entry.synced ??= outcome
  entry.synced.catch(ignore)
}

/** Forgets writes: here at once, so that none is sent any more, and then on disk and in the other tabs. */
export async function forget(outbox: Outbox, keys: readonly string[]): Promise<void> {
  const gone = new Set(keys)
  const entries = outbox.pending.entries().filter((e) => gone.has(e.m.key))
  drop(outbox, keys)
  // What is still on its way to the disk cannot be taken off it.
  await Promise.allSettled(entries.map((e) => e.saving))
  await outbox.storage?.settle(keys)
  outbox.tell({ kind: 'discarded', keys })
}

/** Writes down, for every tab and the next visit, that something about writes is another now. */
export async function note(outbox: Outbox, keys: readonly string[], mark: Mark): Promise<void> {
  const marked = put(outbox.pending, keys, mark)
  outbox.tell({ kind: 'marked', keys, mark })
  // Should this fail, the next visit finds them as they were, and sends them again.
  await outbox.storage?.replace(...marked).catch(ignore)
}

/** Something about writes is another now. Returns them as they are from then on. */
export const put = (pending: Pending, keys: readonly string[], mark: Mark): Mutation[] =>
  keys.flatMap((key) => change(pending, key, mark) ?? [])

function change(pending: Pending, key: string, mark: Mark): Mutation | undefined {
  const entry = pending.find(key)
  if (!entry) return undefined
  const next = { ...entry.m, ...mark }
  pending.touch(entry.m)
  if (pending.isShown(entry.m) && !pending.isShown(next)) pending.hide(entry)
  entry.m = next
  return next
}
