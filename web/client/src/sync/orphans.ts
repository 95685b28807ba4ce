import { dependents } from './dependents.ts'
import { keysOf } from './keys.ts'
import { needs } from './needs.ts'
import type { Outbox } from './outbox.ts'
import { put } from './outcome.ts'

/** Why a write fails that can never be sent. Where it is known by this very object it is on no disk. */
export const orphaned = {
  kind: 'notFound',
  message: 'what this changes or links was discarded before it was sent',
} as const

/**
 * Shows those writes as failed that build on one of which nobody knows any more, as where it was discarded while the tab
 * that wrote upon it died; and those no more whose base turns up, as one that another tab could not save. Held ones
 * wait for their transaction.
 */
export function markOrphans(outbox: Outbox): void {
  const { pending, graph } = outbox
  const all = pending.mutations()
  const records = [...all, ...pending.saved()].flatMap((m) => [...m.concepts, ...m.connections])
  const made = new Set(records.map((c) => c.id))
  const alone = all.filter((m) => !m.held && needs(m, graph).some((id) => !made.has(id)))
  const lost = new Set(dependents(outbox, keysOf(alone)))
  const isMarked = (key: string) => pending.mutation(key)?.failed === orphaned
  const found = keysOf(all).filter((key) => isMarked(key) && !lost.has(key))
  put(pending, found, { failed: undefined })
  const newly = [...lost].filter((key) => !pending.mutation(key)?.failed)
  put(pending, newly, { failed: orphaned })
}
