import type { Id } from '../graph/id.ts'
import { needs } from './needs.ts'
import type { Outbox } from './outbox.ts'
import type { Pending } from './pending.ts'

/** Keys of the writes that go, fail, are retried and are discarded with one. */
export function together(pending: Pending, key: string): string[] {
  const all = pending.mutations()
  const m = all.find((m) => m.key === key)
  const whole = m?.batch ?? m?.held
  const mates = all.filter((o) => (o.batch ?? o.held) === whole)
  return whole === undefined ? [key] : mates.map((o) => o.key)
}

/** Keys of writes and of those that refer to what only they make, transactions whole, oldest first. */
export function dependents({ pending, graph }: Outbox, keys: readonly string[]): string[] {
  const gone = new Set(keys)
  const lost = new Set<Id>()
  const wholes = new Set<string>()
  const all = pending.mutations()
  for (let before = -1; before < gone.size; ) {
    before = gone.size
    for (const m of all) {
      const whole = m.batch ?? m.held ?? ''
      if (!gone.has(m.key)) {
        if (!wholes.has(whole) && !needs(m, graph).some((id) => lost.has(id))) continue
        gone.add(m.key)
        if (whole) wholes.add(whole)
      }
      for (const c of [...m.concepts, ...m.connections]) lost.add(c.id)
    }
  }
  return all.flatMap((m) => (gone.has(m.key) ? m.key : []))
}
