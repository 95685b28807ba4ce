import { isType } from '../graph/concept.ts'
import type { Mutation, Receipt } from '../graph/mutation.ts'
import { ignore } from '../wire/wait.ts'
import { keysOf } from './keys.ts'
import { markOrphans, orphaned } from './orphans.ts'
import type { Outbox } from './outbox.ts'
import { drop, put, settle } from './outcome.ts'
import type { Mark } from './pending.ts'

/**
 * Reads from the disk what other tabs did unheard: writes they finished or made. Those afloat, by their keys, are not
 * there because somebody could not save them.
 */
export async function catchUp(outbox: Outbox, afloat: ReadonlySet<string>): Promise<void> {
  const { opened, pending, graph } = outbox
  await opened
  const known = pending.entries().filter((e) => e.saved)
  const before = new Map(known.map((e) => [e, e.m]))
  const { user } = graph
  const { storage } = outbox
  const saved = await storage?.left().catch(ignore)
  if (!saved) return
  const left = new Map(saved.mutations.map((m) => [m.key, m]))
  const gone: Mutation[] = []
  for (const [{ m }, was] of before) {
    const there = left.get(was.key)
    if (!there && !storage?.unsaved.has(m.key) && !afloat.has(m.key)) gone.push(m)
    // What happened to it while the disk was read is younger than that.
    if (there && m === was && JSON.stringify(markOf(m)) !== JSON.stringify(markOf(there)))
      put(pending, [m.key], markOf(there))
  }
  const isTaken = takenIn(saved.seen)
  const taken = gone.filter(isTaken)
  const discarded = gone.filter((m) => !isTaken(m))
  if (taken.length > 0) settle(outbox, keysOf(taken), saved.seen, user)
  else graph.join(saved.seen)
  drop(outbox, keysOf(discarded))
  for (const m of saved.mutations) pending.add({ m, saved: true })
  pending.order(keysOf(saved.mutations))
  markOrphans(outbox)
}

/** Says whether the server has a write that is gone, by which ids became which. Of a mere removal nobody can tell. */
function takenIn({ conceptIds, connectionIds }: Receipt): (m: Mutation) => boolean {
  const known = new Set([...conceptIds, ...connectionIds].map(([local]) => local))
  return ({ id, concepts, connections }) => {
    const own = [...concepts.filter((c) => !isType(c)), ...connections]
    return id !== 0 && (own.length === 0 || own.some((c) => known.has(c.id)))
  }
}

const markOf = ({ failed, held, batch, user }: Mutation): Mark => ({
  failed: failed === orphaned ? undefined : failed,
  held,
  batch,
  user,
})
