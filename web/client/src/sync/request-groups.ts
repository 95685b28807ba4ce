import { isType } from '../model/concept.ts'
import type { Id } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import type { ServerIds } from '../wire/sync-codec.ts'
import { referencesOf } from './dependencies.ts'
import { prerequisitesOf } from './dependents.ts'

/** Writes that the server accepts together or not at all: one write, or all writes of a transaction. */
export type Unit = readonly Mutation[]

/**
 * Maximum number of records of several units in one request. A larger unit is sent alone, because it is never split.
 */
const maxRecords = 2_000
/** Maximum number of characters in the values of a request. Servers limit its size, to 32 MiB by default. */
const maxCharacters = 2 ** 20
/** Maximum number of guest writes in a group: the server is asked about each, see `Sender.adoptGuestWrites`. */
const maxGuestUnits = 50

/**
 * Chooses the units of the next request, oldest first; none when all writes wait for others. `user` is the user who is
 * signed in. All units of a request have the same sender.
 *
 * The first choice is units that overtake no other unit about the same concepts, the second choice any units that can
 * be sent, and the third choice units that refer to each other, such as a transaction and writes made during it.
 */
export function nextGroup(
  writes: readonly Mutation[],
  names: ServerIds,
  user: string | undefined,
): readonly Unit[] {
  const units = unitsOf(writes)
  for (const inOrder of [true, false]) {
    const group = readyUnits(units, names, user, inOrder)
    if (group.length > 0) return group
  }
  return mutualUnits(units, names)
}

/** Chooses as many units as fit in one request. With `inOrder`, units about a concept of a skipped unit are skipped. */
function readyUnits(
  units: readonly Unit[],
  names: ServerIds,
  user: string | undefined,
  inOrder: boolean,
): readonly Unit[] {
  const group: Unit[] = []
  const created = new Set<Id>()
  const skipped = new Set<Id>()
  let [records, characters] = [0, 0]
  for (const unit of units) {
    const concerned = unit.flatMap((m) => [names.real(m.id), ...referencesOf(m, names)])
    if (!isReady(unit, created, names) || concerned.some((id) => skipped.has(id))) {
      if (inOrder) for (const id of concerned) skipped.add(id)
      continue
    }
    const [first] = group
    const removes = unit.some((m) => m.removeConcepts.length > 0)
    // A request that removes a concept omits links to it. A retry with another group would lose these: send it alone.
    const isAlone = removes || unit.some((m) => m.upserts)
    if (first && isAlone) break
    records += unit.reduce((sum, m) => sum + recordCount(m), 0)
    characters += unit.reduce((sum, m) => sum + characterCount(m), 0)
    const isFull = records > maxRecords || characters > maxCharacters
    if (first && (isFull || !haveSameSender(first, unit))) break
    if (user !== undefined && !senderOf(unit) && group.length >= maxGuestUnits) break
    group.push(unit)
    addCreated(unit, created)
    // A value that one request both removes and creates would end up removed. Two upserts of one key are distinguished by
    // what is stored.
    if (isAlone) break
  }
  return group
}

/** Returns the units that refer to each other, as one unit. */
function mutualUnits(units: readonly Unit[], names: ServerIds): readonly Unit[] {
  let candidates = units
  for (;;) {
    const created = new Set<Id>()
    for (const unit of candidates) addCreated(unit, created)
    const ready = candidates.filter((unit) => isReady(unit, created, names))
    if (ready.length === candidates.length) return candidates.length > 0 ? [candidates.flat()] : []
    candidates = ready
  }
}

/** Returns the writes that pass, except those of a transaction in which another write does not pass. */
export function filterWholeUnits(
  writes: readonly Mutation[],
  passes: (m: Mutation) => boolean,
): readonly Mutation[] {
  const passing = writes.filter(passes)
  if (passing.length === writes.length) return writes
  const incomplete = new Set(writes.filter((m) => !passes(m)).map((m) => m.batch))
  return passing.filter((m) => m.batch === undefined || !incomplete.has(m.batch))
}

/** Reports whether every record that a unit refers to is known to the server, or among the `created`. */
export function isReady(unit: Unit, created: ReadonlySet<Id>, names: ServerIds): boolean {
  const own = new Set<Id>()
  addCreated(unit, own)
  return unit.every((m) => prerequisitesOf(m, names).every((id) => own.has(id) || created.has(id)))
}

function addCreated(unit: Unit, created: Set<Id>): void {
  for (const m of unit) for (const c of [...m.concepts, ...m.connections]) created.add(c.id)
}

/** Groups writes by transaction. Units are in the order of their last writes: these may refer to writes in between. */
function unitsOf(writes: readonly Mutation[]): Unit[] {
  const units = new Map<string, Mutation[]>()
  for (const m of writes) {
    const key = m.batch ?? m.key
    const unit = units.get(key) ?? []
    unit.push(m)
    units.delete(key)
    units.set(key, unit)
  }
  return [...units.values()]
}

/** Returns the user who made a unit; undefined for a guest. */
export const senderOf = (unit: Unit): string | undefined => unit[0]?.user

/** Reports whether two units have the same user or, if guests made them, the same session, which identifies a guest. */
const haveSameSender = (a: Unit, b: Unit): boolean =>
  senderOf(a) === senderOf(b) && (senderOf(a) !== undefined || a[0]?.session === b[0]?.session)

/** Counts the records in the request. Types are not counted: they are sent as records only if connections name them. */
const recordCount = (m: Mutation): number =>
  m.concepts.filter((c) => !isType(c)).length +
  m.connections.length +
  m.removeConcepts.length +
  m.removeConnections.length

const characterCount = (m: Mutation): number =>
  m.concepts.reduce((sum, c) => sum + c.value.length, 0)
