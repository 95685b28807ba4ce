import { isType } from '../model/concept.ts'
import type { Id } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import type { ServerIds } from '../wire/sync-codec.ts'
import { referencesOf } from './dependencies.ts'
import { prerequisitesOf } from './dependents.ts'

/** Writes that the server accepts together or not at all: one write, or all writes of a transaction. */
export type Unit = readonly Mutation[]

/**
 * Maximum number of records in a request with several units. A larger unit is sent alone, because units are never
 * split.
 */
const maxRecords = 2_000
/** Maximum number of characters in the values of a request. Servers limit its size, to 32 MiB by default. */
const maxCharacters = 2 ** 20
/** Maximum number of guest writes in a group, because `Sender.#adoptGuestWrites` asks the server about each. */
const maxGuestUnits = 50

/**
 * Chooses the units of the next request, oldest first. Returns none if all writes wait for other writes. `user` is the
 * user who is signed in. All units of a request have the same sender.
 *
 * The first choice is units that overtake no older unit about the same concepts. The second choice is any units that
 * can be sent. The third choice is units that refer to each other, such as a transaction and writes made during it.
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

/** Chooses as many units as fit in one request. With `inOrder`, also skips units about a concept of a skipped unit. */
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
    // A request that removes a concept omits links to it. A retry in another group would lose these links, so the unit
    // is sent alone.
    const isAlone = removes || unit.some((m) => m.upserts)
    if (first && isAlone) break
    records += unit.reduce((sum, m) => sum + recordCount(m), 0)
    characters += unit.reduce((sum, m) => sum + characterCount(m), 0)
    const isFull = records > maxRecords || characters > maxCharacters
    if (first && (isFull || !haveSameSender(first, unit))) break
    if (user !== undefined && !senderOf(unit) && group.length >= maxGuestUnits) break
    group.push(unit)
    addCreated(unit, created)
    // A value that one request both removes and creates would end up removed. Of two upserts of one key, the second
    // must find the record that the first stored.
    if (isAlone) break
  }
  return group
}

/** Returns units that refer to each other, merged into one unit. */
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

/** Returns the writes that pass the test. Leaves out a transaction as a whole if one of its writes does not pass. */
export function filterWholeUnits(
  writes: readonly Mutation[],
  passes: (m: Mutation) => boolean,
): readonly Mutation[] {
  const passing = writes.filter(passes)
  if (passing.length === writes.length) return writes
  const incomplete = new Set(writes.filter((m) => !passes(m)).map((m) => m.batch))
  return passing.filter((m) => m.batch === undefined || !incomplete.has(m.batch))
}

/** Reports whether every record that a unit refers to is on the server or in `created`. */
export function isReady(unit: Unit, created: ReadonlySet<Id>, names: ServerIds): boolean {
  const own = new Set<Id>()
  addCreated(unit, own)
  return unit.every((m) => prerequisitesOf(m, names).every((id) => own.has(id) || created.has(id)))
}

function addCreated(unit: Unit, created: Set<Id>): void {
  for (const m of unit) for (const c of [...m.concepts, ...m.connections]) created.add(c.id)
}

/**
 * Groups writes by transaction. Units are in the order of their last writes, because a last write may refer to any
 * earlier write.
 */
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

/**
 * Reports whether two units have the same user or, if guests made them, the same session. A session identifies a guest.
 */
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
