import { isType } from '../graph/concept.ts'
import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Names } from '../wire/sync.ts'
import { needs, others } from './needs.ts'

/** Writes that are taken together or not at all: one, or all of a transaction. */
export type Unit = readonly Mutation[]

/** The most records of several units in one request. A unit of more goes alone, because it stays whole. */
const mostRecords = 2_000
/** Likewise of characters in their values: servers limit requests, to 32 MiB unless they say otherwise. */
const mostText = 2 ** 20
/** Whether a server took writes that somebody made before signing in is asked for so many at a time. */
const mostAsked = 50

/**
 * What goes next as one request, oldest first: nothing when all writes wait for others. User is who is signed in.
 * Writes go together that the server would take for those of one sender.
 */
export function groupOf(
  waiting: readonly Mutation[],
  names: Names,
  user: string | undefined,
): readonly Unit[] {
  const units = unitsOf(waiting)
  for (const inTurn of [true, false]) {
    const group = taken(units, names, user, inTurn)
    if (group.length > 0) return group
  }
  return entangled(units, names)
}

/** As many of those that can go as fit in one request. In turn none overtakes another that is about the same concepts. */
function taken(
  units: readonly Unit[],
  names: Names,
  user: string | undefined,
  inTurn: boolean,
): readonly Unit[] {
  const group: Unit[] = []
  const brought = new Set<Id>()
  const late = new Set<Id>()
  let [records, text] = [0, 0]
  for (const unit of units) {
    const about = unit.flatMap((m) => [names.real(m.id), ...others(m, names)])
    if (!isReady(unit, brought, names) || about.some((id) => late.has(id))) {
      if (inTurn) for (const id of about) late.add(id)
      continue
    }
    const [first] = group
    const removes = unit.some((m) => m.removeConcepts.length > 0)
    // Of what goes with a removal its request leaves something out, which would be missing were it sent again without.
    if (first && removes) break
    records += unit.reduce((sum, m) => sum + sizeOf(m), 0)
    text += unit.reduce((sum, m) => sum + textOf(m), 0)
    const isFull = records > mostRecords || text > mostText
    if (first && (isFull || !isOneSender(first, unit))) break
    if (user !== undefined && !senderOf(unit) && group.length >= mostAsked) break
    group.push(unit)
    bring(unit, brought)
    // A value that is removed and made again in one request would be gone.
    if (removes) break
  }
  return group
}

/** Units that wait for each other, which happens to a transaction and what was written beside it: they go as one. */
function entangled(units: readonly Unit[], names: Names): readonly Unit[] {
  let left = units
  for (;;) {
    const brought = new Set<Id>()
    for (const unit of left) bring(unit, brought)
    const ready = left.filter((unit) => isReady(unit, brought, names))
    if (ready.length === left.length) return left.length > 0 ? [left.flat()] : []
    left = ready
  }
}

/** The writes that pass; of transactions of which a part does not, none. */
export function wholly(
  writes: readonly Mutation[],
  passes: (m: Mutation) => boolean,
): readonly Mutation[] {
  const ready = writes.filter(passes)
  if (ready.length === writes.length) return writes
  const broken = new Set(writes.filter((m) => !passes(m)).map((m) => m.batch))
  return ready.filter((m) => m.batch === undefined || !broken.has(m.batch))
}

/** Says whether a unit can go after what was brought. */
export function isReady(unit: Unit, brought: ReadonlySet<Id>, names: Names): boolean {
  const own = new Set<Id>()
  bring(unit, own)
  return unit.every((m) => needs(m, names).every((id) => own.has(id) || brought.has(id)))
}

function bring(unit: Unit, brought: Set<Id>): void {
  for (const m of unit) for (const c of [...m.concepts, ...m.connections]) brought.add(c.id)
}

/** In the order of their last writes: one may build on what was written beside it before that. */
function unitsOf(waiting: readonly Mutation[]): Unit[] {
  const units = new Map<string, Mutation[]>()
  for (const m of waiting) {
    const key = m.batch ?? m.key
    const unit = units.get(key) ?? []
    unit.push(m)
    units.delete(key)
    units.set(key, unit)
  }
  return [...units.values()]
}

/** Who made a unit, if anybody. */
export const senderOf = (unit: Unit): string | undefined => unit[0]?.user

/** What nobody made is known to the server by the session. */
const isOneSender = (a: Unit, b: Unit): boolean =>
  senderOf(a) === senderOf(b) && (senderOf(a) !== undefined || a[0]?.session === b[0]?.session)

/** Types travel as records only where connections speak of them. */
const sizeOf = (m: Mutation): number =>
  m.concepts.filter((c) => !isType(c)).length +
  m.connections.length +
  m.removeConcepts.length +
  m.removeConnections.length

const textOf = (m: Mutation): number => m.concepts.reduce((sum, c) => sum + c.value.length, 0)
