import { byAge } from '../composition/reader.ts'
import { type Concept, isType } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import type { Id } from '../model/id.ts'

interface WithId {
  readonly id: Id
}

const none: readonly never[] = []

/**
 * Groups records by a key, each group oldest first.
 *
 * The first `get` builds the groups from all records; later changes keep them up to date. A page that never reads an
 * index does not pay for it. `get` costs one Map look-up. `add` usually appends, because a new record is nearly always
 * the youngest; otherwise it costs a binary search and a splice of the group, as `delete` always does.
 */
export class SortedGroups<T extends WithId, K = Id> {
  readonly #keyOf: (record: T) => K
  readonly #all: () => Iterable<T>
  readonly #groups = new Map<K, T[]>()

  /** `all` lists the records that belong in the groups. */
  constructor(keyOf: (record: T) => K, all: () => Iterable<T>) {
    this.#keyOf = keyOf
    this.#all = all
  }

  get(key: K): readonly T[] {
    if (this.#groups.size === 0) for (const record of this.#all()) this.#insert(record)
    return this.#groups.get(key) ?? none
  }

  add(record: T): void {
    if (this.#groups.size > 0) this.#insert(record)
  }

  delete(record: T): void {
    const key = this.#keyOf(record)
    const group = this.#groups.get(key)
    if (group === undefined) return
    const i = positionOf(group, record.id)
    if (group[i] === record) group.splice(i, 1)
    if (group.length === 0) this.#groups.delete(key)
  }

  #insert(record: T): void {
    const key = this.#keyOf(record)
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, [record])
    else if (byAge((group[group.length - 1] as T).id, record.id) < 0) group.push(record)
    else group.splice(positionOf(group, record.id), 0, record)
  }
}

/** Returns the position of the first record whose id is not older than the given id. */
function positionOf(group: readonly WithId[], id: Id): number {
  let [low, high] = [0, group.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (byAge((group[middle] as WithId).id, id) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Finds type concepts by name, and concepts by type and by value. */
export class ConceptIndex {
  readonly #concepts: ReadonlyMap<Id, Concept>
  readonly #byType: SortedGroups<Concept>
  readonly #types = new Map<string, Id>()
  /** The concepts of a type by their values, for each type that `find` was called with. */
  readonly #byValue = new Map<Id, SortedGroups<Concept, string>>()

  constructor(concepts: ReadonlyMap<Id, Concept>) {
    this.#concepts = concepts
    this.#byType = new SortedGroups(
      (c) => c.type,
      () => concepts.values(),
    )
  }

  /** Returns the id of the type concept with that name; undefined if it is not loaded. */
  type(name: string): Id | undefined {
    if (this.#types.size === 0) for (const c of this.#concepts.values()) this.#addType(c)
    return this.#types.get(name)
  }

  ofType(type: Id): readonly Concept[] {
    return this.#byType.get(type)
  }

  /** Returns the concepts of a type that have that value. */
  find(type: Id, value: string): readonly Concept[] {
    let values = this.#byValue.get(type)
    if (values === undefined) {
      values = new SortedGroups(
        (c) => c.value,
        () => this.ofType(type),
      )
      this.#byValue.set(type, values)
    }
    return values.get(value)
  }

  add(c: Concept): void {
    this.#byType.add(c)
    this.#byValue.get(c.type)?.add(c)
    if (this.#types.size > 0) this.#addType(c)
  }

  delete(c: Concept): void {
    this.#byType.delete(c)
    this.#byValue.get(c.type)?.delete(c)
    // Another type concept may have the same name. The next look-up rebuilds the names and finds it.
    if (this.#types.get(c.value) === c.id) this.#types.clear()
  }

  #addType(c: Concept): void {
    if (isType(c)) this.#types.set(c.value, c.id)
  }
}

/** Finds connections by source, target and type. */
export class ConnectionIndex {
  readonly out: SortedGroups<Connection>
  readonly in: SortedGroups<Connection>
  readonly ofType: SortedGroups<Connection>

  /** `all` lists the connections that belong in the index. */
  constructor(all: () => Iterable<Connection>) {
    this.out = new SortedGroups((c: Connection) => c.from, all)
    this.in = new SortedGroups((c: Connection) => c.to, all)
    this.ofType = new SortedGroups((c: Connection) => c.type, all)
  }

  add(c: Connection): void {
    this.out.add(c)
    this.in.add(c)
    this.ofType.add(c)
  }

  delete(c: Connection): void {
    this.out.delete(c)
    this.in.delete(c)
    this.ofType.delete(c)
  }

  /** Returns every connection that has the concept as source, target or type. */
  at(id: Id): Set<Connection> {
    return new Set([...this.out.get(id), ...this.in.get(id), ...this.ofType.get(id)])
  }
}
