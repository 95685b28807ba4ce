import { ignoreError } from '../wire/retry.ts'
import type { Outbox } from './outbox.ts'
import type { WriteChange } from './sync-event.ts'

/** Changes fields of writes here, in the other tabs and on disk. */
export async function changeWrites(
  outbox: Outbox,
  keys: readonly string[],
  change: WriteChange,
): Promise<void> {
  const changed = outbox.pending.change(keys, change)
  outbox.publish({ kind: 'marked', keys, mark: change })
  // If the disk fails, the next visit reads the old fields and sends the writes again, which is idempotent.
  await outbox.storage?.replace(...changed).catch(ignoreError)
}

/** Discards writes: first in this tab, so that none is sent any more, then on disk and in the other tabs. */
export async function discardWrites(outbox: Outbox, keys: readonly string[]): Promise<void> {
  const drafts = keys.flatMap((key) => outbox.pending.find(key)?.saved ?? [])
  outbox.pending.discard(keys)
  // A row can only be removed once it has been written.
  await Promise.allSettled(drafts)
  await outbox.storage?.settle(keys)
  outbox.publish({ kind: 'discarded', keys })
}
