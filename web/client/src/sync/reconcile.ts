import { isType } from '../model/concept.ts'
import type { Mutation, Receipt } from '../model/mutation.ts'
import { ignoreError } from '../wire/retry.ts'
import { keysOf, prerequisitesOf, withDependents } from './dependents.ts'
import type { Outbox } from './outbox.ts'
import type { WriteChange } from './sync-event.ts'

/**
 * The failure of an orphan: a write that refers to a missing write. It is compared by identity and never saved, because
 * the missing write may still arrive.
 */
const orphaned = {
  kind: 'notFound',
  message: 'a write that this one depends on was discarded before it was sent',
} as const

/**
 * Brings the memory of this tab to the state of the disk, because it may have missed events. A write that is not on the
 * disk was settled or discarded by another tab, unless this tab or another tab could not save it. `unsavedElsewhere`
 * has the keys of the writes that another tab could not save.
 */
export async function reconcile(
  outbox: Outbox,
  unsavedElsewhere: ReadonlySet<string>,
): Promise<void> {
  const { opened, pending, graph } = outbox
  await opened
  const known = pending.all().filter(({ status }) => status !== 'draft')
  const before = new Map(known.map((write) => [write, write.mutation]))
  const { user } = graph
  const { storage } = outbox
  const saved = await storage?.readOutbox().catch(ignoreError)
  if (!saved) return
  const onDisk = new Map(saved.mutations.map((m) => [m.key, m]))
  const missing: Mutation[] = []
  for (const [{ mutation }, mutationBefore] of before) {
    const { key } = mutationBefore
    const stored = onDisk.get(key)
    const isUnsaved = storage?.unsaved.has(key) || unsavedElsewhere.has(key)
    if (!stored && !isUnsaved) missing.push(mutation)
    // A change made while the disk was read is newer than the disk.
    if (stored && mutation === mutationBefore && !haveSameFields(mutation, stored))
      pending.change([key], changeableFields(stored))
  }
  const isSettled = settledBy(saved.seen)
  const settled = missing.filter(isSettled)
  if (settled.length > 0) pending.settle(keysOf(settled), saved.seen, user)
  else graph.adoptRealIds(saved.seen)
  pending.discard(keysOf(missing.filter((m) => !isSettled(m))))
  pending.addSaved(saved.mutations)
  pending.sort(keysOf(saved.mutations))
  markOrphans(outbox)
}

/**
 * Marks orphans as failed, in memory only. Removes the mark when the missing write has arrived. A held write is never
 * an orphan.
 */
export function markOrphans({ pending, graph }: Outbox): void {
  const all = pending.mutations()
  const records = [...all, ...pending.saved()].flatMap((m) => [...m.concepts, ...m.connections])
  const created = new Set(records.map((c) => c.id))
  const isOrphan = (m: Mutation) => prerequisitesOf(m, graph).some((id) => !created.has(id))
  const orphans = keysOf(all.filter((m) => !m.held && isOrphan(m)))
  const lost = new Set(withDependents(all, graph, orphans))
  const isMarked = (key: string) => pending.mutation(key)?.failed === orphaned
  const recovered = keysOf(all).filter((key) => isMarked(key) && !lost.has(key))
  pending.change(recovered, { failed: undefined })
  const newlyLost = [...lost].filter((key) => !pending.mutation(key)?.failed)
  pending.change(newlyLost, { failed: orphaned })
}

/** Reports whether any visible write is marked as an orphan. */
export const hasOrphans = ({ pending }: Outbox): boolean =>
  pending.mutations().some((m) => m.failed === orphaned)

/**
 * Returns a function that reports whether a write that is missing from the disk was settled, not discarded. The log of id
 * pairs has the ids that a settled write created. A write that only removes creates none; it counts as settled.
 */
function settledBy({ conceptIds, connectionIds }: Receipt): (m: Mutation) => boolean {
  const known = new Set([...conceptIds, ...connectionIds].map(([local]) => local))
  return ({ id, concepts, connections }) => {
    const own = [...concepts.filter((c) => !isType(c)), ...connections]
    return id !== 0 && (own.length === 0 || own.some((c) => known.has(c.id)))
  }
}

const haveSameFields = (a: Mutation, b: Mutation): boolean =>
  JSON.stringify(changeableFields(a)) === JSON.stringify(changeableFields(b))

const changeableFields = ({ failed, held, batch, user }: Mutation): WriteChange => ({
  failed: failed === orphaned ? undefined : failed,
  held,
  batch,
  user,
})
