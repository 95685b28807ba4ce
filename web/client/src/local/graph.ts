import { byAge, type Reader } from '../composition/reader.ts'
import { type Concept, isSameConcept, isType } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { type Id, isLocal } from '../model/id.ts'
import type { Mutation, Receipt, Records } from '../model/mutation.ts'
import { Counts } from './collections.ts'
import { IdAliases } from './id-aliases.ts'
import { ConceptIndex, ConnectionIndex } from './indexes.ts'
import { Watchers } from './watchers.ts'

/**
 * The graph of this page: the records that the server confirmed, with pending mutations applied on top.
 *
 * A mutation adds records under its own ids and hides records by id; nothing is edited. The order of mutations
 * therefore does not matter, and undoing one costs only its own records.
 *
 * | structure | holds |
 * |---|---|
 * | two Maps by id | concepts and connections, confirmed and pending, by their canonical ids |
 * | `IdAliases` | the other ids of a concept: its real id, or the local ids of other tabs |
 * | `ConceptIndex` | concepts by type and by value, types by name; each built when first read |
 * | `ConnectionIndex` | visible connections by source, target and type; each built when first read |
 * | `Counts` | the number of pending mutations that need a concept, hide a concept, or hide a connection |
 * | tombstones | ids that the server removed, so that a late response cannot bring them back |
 * | `Watchers` | listeners by id, called once per microtask |
 *
 * | operation | cost |
 * |---|---|
 * | `concept`, `connection`, `type`, `find` | a few Map look-ups |
 * | `out`, `in`, `connectionsOfType` | the list itself; a copy of it if some are hidden or of another type |
 * | `instances` | sorts the instances of the type |
 * | `add`, `apply`, `undo`, `settle` | Map and index entries of the records passed, at the end of their groups |
 * | `evict`, `remove` of a concept | its connections, and a pass over all hidden connections |
 * | `adoptRealIds` | a Map entry for each id; if two ids turn out to be one concept, the connections of one of them |
 * | first read of an index | all records |
 *
 * Reasons for the design: docs/decisions/0019.
 */
export class Graph implements Reader {
  readonly #concepts = new Map<Id, Concept>()
  readonly #connections = new Map<Id, Connection>()
  #ids = new IdAliases()
  readonly #conceptIndex = new ConceptIndex(this.#concepts)
  /** The index leaves out hidden connections, so that pending writes do not slow down reading. */
  readonly #connectionIndex = new ConnectionIndex(() =>
    [...this.#connections.values()].filter((c) => !this.#hiddenConnections.has(c.id)),
  )

  /** Counts the pending mutations that need a concept, without the mutation that added it. */
  readonly #extraUses = new Counts()
  /** Counts the pending mutations that hide a concept or a connection. */
  readonly #hiddenConcepts = new Counts()
  readonly #hiddenConnections = new Counts()
  /** Ids that the server removed. Ids are never reused. */
  readonly #conceptTombstones = new Set<Id>()
  readonly #connectionTombstones = new Set<Id>()

  /** The store that the real ids here belong to, once known. */
  store: string | undefined
  /** The signed-in user. The graph contains the data that this user may read. */
  user: string | undefined
  readonly watchers = new Watchers()
  /** Counts settled mutations. The response to an earlier request may not contain the last of them. */
  settledCount = 0
  /** Increases with every change. */
  version = 0
  /**
   * Called synchronously with an id after its concept, value or connections changed, and before the listeners of the
   * id.
   */
  onTouched: (id: Id) => void = () => {}
  /** Called synchronously, before listeners, when mutations were settled. */
  onSettled: () => void = () => {}
  /** Called synchronously with each record that was added, removed, shown or hidden. */
  onRecordChanged: ((c: Concept | Connection) => void) | undefined
  /** Called with ids that `concept` did not find. */
  onMissing: ((id: Id) => void) | undefined

  concept(id: Id): Concept | undefined {
    const key = this.canonical(id)
    const c = this.#concepts.get(key)
    if (c !== undefined && !this.#hiddenConcepts.has(key)) return c
    this.onMissing?.(id)
    return undefined
  }

  connection(id: Id): Connection | undefined {
    const c = this.#connections.get(this.realConnection(id))
    return c && !this.#hiddenConnections.has(c.id) && this.#hasVisibleEnds(c) ? c : undefined
  }

  type(name: string): Id | undefined {
    return this.#conceptIndex.type(name)
  }

  find(type: string, value: string): Concept | undefined {
    return this.findAll(type, value)[0]
  }

  /**
   * Returns all values of a type with the given text. There may be several before the server has merged them into one
   * concept.
   */
  findAll(type: string, value: string): readonly Concept[] {
    const found = this.#conceptIndex.find(this.type(type) ?? 0, value)
    return this.#hiddenConcepts.isEmpty
      ? found
      : found.filter((c) => !this.#hiddenConcepts.has(c.id))
  }

  instances(type: Id): readonly Id[] {
    const instances = this.ofType(type).filter((c) => !this.#hiddenConcepts.has(c.id) && !isType(c))
    return instances.map((c) => c.id).sort((a, b) => byAge(this.real(a), this.real(b)))
  }

  /** Returns the concepts of a type, including hidden ones, oldest canonical id first. */
  ofType(type: Id): readonly Concept[] {
    return this.#conceptIndex.ofType(this.canonical(type))
  }

  out(id: Id, type?: Id): readonly Connection[] {
    return this.#visible(this.#connectionIndex.out.get(this.canonical(id)), type)
  }

  in(id: Id, type?: Id): readonly Connection[] {
    return this.#visible(this.#connectionIndex.in.get(this.canonical(id)), type)
  }

  /**
   * Returns the connections of a type. For the main concept of a composition, returns all connections inside the
   * record.
   */
  connectionsOfType(type: Id): readonly Connection[] {
    return this.#visible(this.#connectionIndex.ofType.get(this.canonical(type)))
  }

  /** Returns the id under which this page keeps a concept. */
  canonical(id: Id): Id {
    return this.#ids.canonical(id)
  }

  /** Returns the real id of a concept. A local id that has no real id yet is returned unchanged. */
  real(id: Id): Id {
    return this.#ids.real(id)
  }

  /** Like `real`, for connections. */
  realConnection(id: Id): Id {
    return this.#ids.connection(id)
  }

  /** Returns a concept, hidden or not. */
  knownConcept(id: Id): Concept | undefined {
    return this.#concepts.get(this.canonical(id))
  }

  /** Returns a connection, hidden or not. */
  knownConnection(id: Id): Connection | undefined {
    return this.#connections.get(this.realConnection(id))
  }

  /** Returns every connection that has the concept as source, target or type, hidden or not. */
  allConnections(id: Id): Set<Connection> {
    const all = this.#connectionIndex.at(id)
    for (const hidden of this.#hiddenConnections.ids()) {
      const c = this.#connections.get(hidden)
      if (c && [c.from, c.to, c.type].includes(id)) all.add(c)
    }
    return all
  }

  /**
   * Calls back, at most once per microtask, after the concept with this id or its connections changed. Returns a
   * function that unsubscribes.
   */
  watch(id: Id, changed: () => void): () => void {
    this.watchers.add(this.canonical(id), changed)
    return () => this.watchers.delete(this.canonical(id), changed)
  }

  /** Adds records from the server or the cache. */
  add(records: Records): void {
    if (this.#isEmpty()) {
      this.#fill(records)
      return
    }
    for (const c of records.concepts) this.#addConcept(c)
    for (const c of records.connections) this.#addConnection(c)
  }

  /**
   * Evicts records without a tombstone, so that a later response can add them again. The connections of an evicted
   * concept are also evicted.
   */
  evict(concepts: Iterable<Id>, connections: Iterable<Id>): void {
    for (const id of concepts) this.#deleteConcept(this.canonical(id))
    for (const id of connections) this.#deleteConnection(this.realConnection(id))
  }

  /** Removes records that the server removed, and leaves tombstones for their ids. */
  remove(concepts: readonly Id[] = [], connections: readonly Id[] = []): void {
    for (const id of concepts) this.#conceptTombstones.add(this.real(id))
    for (const id of connections) this.#connectionTombstones.add(this.realConnection(id))
    this.evict(concepts, connections)
  }

  /** Applies a pending mutation. */
  apply(m: Mutation): void {
    for (const c of m.concepts) this.#addPendingConcept(c)
    let lastTouched = 0
    for (const c of m.connections) {
      const link = this.#ids.canonicalConnection(c)
      this.#putConnection(link, lastTouched)
      lastTouched = link.type
    }
    for (const id of m.removeConcepts) this.#hideConcept(this.canonical(id))
    for (const id of m.removeConnections) this.#hideConnection(this.realConnection(id))
  }

  /** Undoes a pending mutation. */
  undo(m: Mutation): void {
    for (const id of m.removeConnections) this.#unhideConnection(this.realConnection(id))
    for (const id of m.removeConcepts) this.#unhideConcept(this.canonical(id))
    for (const c of m.connections)
      if (isLocal(this.realConnection(c.id))) this.#deleteConnection(c.id)
    for (const c of m.concepts) this.#deletePendingConcept(this.canonical(c.id))
  }

  /** Adds the server's result of a mutation. `m` is the mutation itself if it was applied here; it is undone. */
  settle(receipt: Receipt, m?: Mutation): void {
    this.settledCount++
    this.adoptRealIds(receipt)
    this.add(receipt)
    const { removeConcepts, removeConnections } = m ?? receipt
    this.remove(removeConcepts, removeConnections)
    if (m) this.undo(m)
  }

  /** Records the real id of each local one. */
  adoptRealIds({ conceptIds, connectionIds }: Receipt): void {
    for (const [local, real] of conceptIds) this.#adoptConceptId(local, real)
    for (const [local, real] of connectionIds) this.#adoptConnectionId(local, real)
  }

  /** Evicts everything. Pending mutations must have been undone before. */
  clear(): void {
    this.settledCount++
    this.evict(this.#concepts.keys(), this.#connections.keys())
  }

  /** Makes the ids of a removed record refer to the record that replaces it. */
  replaceRemoved(removed: Id, replacement: Id): void {
    this.#ids.replace(removed, replacement)
    this.watchers.move(removed, replacement)
    this.#touch(removed)
    this.#touch(replacement)
  }

  /** Drops all aliases and tombstones, because ids belong to another store from now on. */
  resetIds(): void {
    this.#conceptTombstones.clear()
    this.#connectionTombstones.clear()
    this.#ids = new IdAliases()
  }

  #isEmpty(): boolean {
    return this.#concepts.size + this.#connections.size === 0
  }

  /**
   * Adds records to the empty graph. No index exists that would find the affected listeners, so all listeners are
   * notified.
   */
  #fill({ concepts, connections }: Records): void {
    const ids = this.#ids
    for (const c of concepts) {
      if (this.#conceptTombstones.has(c.id)) continue
      const canonical = ids.canonicalConcept(c)
      this.#concepts.set(canonical.id, canonical)
    }
    for (const c of connections) {
      if (!this.#connectionTombstones.has(c.id))
        this.#connections.set(c.id, ids.canonicalConnection(c))
    }
    this.version++
    for (const id of this.watchers.byId.keys()) this.#touch(id as Id)
  }

  #addConcept(c: Concept): void {
    if (this.#conceptTombstones.has(c.id)) return
    const next = this.#ids.canonicalConcept(c)
    const old = this.#concepts.get(next.id)
    if (old !== undefined && isSameConcept(old, next)) return
    if (old !== undefined) this.#conceptIndex.delete(old)
    const sameType = isType(next) ? this.type(next.value) : undefined
    this.#putConcept(next)
    // Type names are unique, so this is the type that a pending mutation added, even before the receipt arrives.
    if (sameType !== undefined && isLocal(this.real(sameType)))
      this.#adoptConceptId(sameType, next.id)
  }

  #putConcept(c: Concept): void {
    this.#concepts.set(c.id, c)
    this.#conceptIndex.add(c)
    this.#touchConcept(c)
  }

  #deleteConcept(id: Id): void {
    const c = this.#concepts.get(id)
    if (c === undefined) return
    for (const link of this.allConnections(id)) this.#deleteConnection(link.id)
    this.#concepts.delete(id)
    this.#conceptIndex.delete(c)
    this.#touchConcept(c)
  }

  #addConnection(c: Connection): void {
    if (this.#connectionTombstones.has(c.id)) return
    const old = this.#connections.get(c.id)
    // The page only assumes the owner and the access of the connections that it creates; the server may choose others.
    if (old?.owner === c.owner && old.access === c.access) return
    if (old !== undefined) this.#connectionIndex.delete(old)
    this.#putConnection(this.#ids.canonicalConnection(c))
  }

  /** Listeners of `touched` are not notified, because they were notified just before. */
  #putConnection(c: Connection, touched?: Id): void {
    this.#connections.set(c.id, c)
    if (!this.#hiddenConnections.has(c.id)) this.#connectionIndex.add(c)
    this.#touchRecord(c, touched)
  }

  #deleteConnection(id: Id): void {
    const c = this.#connections.get(id)
    if (c === undefined) return
    this.#connections.delete(id)
    this.#connectionIndex.delete(c)
    this.#touchRecord(c)
  }

  /**
   * A type that is already loaded keeps its id. Equal values stay separate, because the server decides whether they
   * become one concept.
   */
  #addPendingConcept(c: Concept): void {
    const id = this.canonical(c.id)
    const existing = this.#concepts.has(id) ? id : isType(c) && this.type(c.value)
    if (existing) this.#extraUses.increment(existing)
    else this.#putConcept(this.#ids.canonicalConcept(c))
    if (existing && existing !== id) this.#ids.addAlias(id, existing)
  }

  #deletePendingConcept(id: Id): void {
    if (this.#extraUses.has(id)) this.#extraUses.decrement(id)
    else if (isLocal(this.real(id))) this.#deleteConcept(id)
  }

  #hideConcept(id: Id): void {
    if (this.#hiddenConcepts.increment(id)) this.#touchConceptAndConnections(id)
  }

  #unhideConcept(id: Id): void {
    if (this.#hiddenConcepts.decrement(id)) this.#touchConceptAndConnections(id)
  }

  #touchConceptAndConnections(id: Id): void {
    const c = this.#concepts.get(id)
    if (c) this.#touchConcept(c)
    for (const link of this.allConnections(id)) this.#touchRecord(link)
  }

  #hideConnection(id: Id): void {
    const c = this.#connections.get(id)
    if (!this.#hiddenConnections.increment(id) || c === undefined) return
    this.#connectionIndex.delete(c)
    this.#touchRecord(c)
  }

  #unhideConnection(id: Id): void {
    const c = this.#connections.get(id)
    if (!this.#hiddenConnections.decrement(id) || c === undefined) return
    this.#connectionIndex.add(c)
    this.#touchRecord(c)
  }

  #touchConcept(c: Concept): void {
    this.#touch(c.id)
    this.#touchRecord(c)
  }

  #touchRecord(c: Concept | Connection, touched?: Id): void {
    if (c.type !== touched) this.#touch(c.type)
    this.onRecordChanged?.(c)
  }

  #touch(id: Id): void {
    this.version++
    this.onTouched(id)
    this.watchers.notify(id)
  }

  #adoptConceptId(local: Id, real: Id): void {
    this.#ids.setRealId(local, real)
    const [pending, existing] = [this.canonical(local), this.canonical(real)]
    if (pending === existing) return
    // `pending` may be the id that another tab gave to a type. The type is synced now, even if the write of that tab
    // fails.
    this.#ids.setRealId(pending, real)
    // A value that was loaded before keeps its id. A record keeps its local id, which the application may hold.
    const keepsExisting = this.#concepts.has(existing) && !this.#concepts.get(pending)?.composition
    const [from, to] = keepsExisting ? [pending, existing] : [existing, pending]
    this.#ids.addAlias(from, to)
    this.#mergeConcepts(from, to)
    this.watchers.move(from, to)
    this.#touch(from)
    this.#touch(to)
  }

  /** Merges two ids of one concept: makes every record that refers to `from` refer to `to`, and deletes `from`. */
  #mergeConcepts(from: Id, to: Id): void {
    // Reading builds the indexes. An empty graph has no references to change; its indexes are built later.
    if (!this.#isEmpty()) {
      for (const c of this.allConnections(from)) {
        this.#deleteConnection(c.id)
        this.#putConnection(this.#ids.canonicalConnection(c))
      }
      for (const c of [...this.#conceptIndex.ofType(from)]) {
        this.#conceptIndex.delete(c)
        this.#putConcept(this.#ids.canonicalConcept(c))
      }
    }
    this.#hiddenConcepts.move(from, to)
    this.#extraUses.move(from, to)
    this.#deleteConcept(from)
  }

  #adoptConnectionId(local: Id, real: Id): void {
    if (this.realConnection(local) === real) return
    const pending = this.#connections.get(local)
    const existing = this.#connections.get(real)
    this.#deleteConnection(local)
    if (existing) this.#connectionIndex.delete(existing)
    this.#ids.setRealConnectionId(local, real)
    this.#hiddenConnections.move(local, real)
    const merged = existing ?? (pending && { ...pending, id: real })
    if (merged) this.#putConnection(merged)
  }

  /**
   * Returns the connections of a type, or of all types, without those to hidden concepts. If nothing is left out,
   * returns the list itself.
   */
  #visible(list: readonly Connection[], type?: Id): readonly Connection[] {
    if (type === undefined && this.#hiddenConcepts.isEmpty) return list
    const wanted = type && this.canonical(type)
    const isVisible = (c: Connection) =>
      (wanted === undefined || c.type === wanted) && this.#hasVisibleEnds(c)
    return list.every(isVisible) ? list : list.filter(isVisible)
  }

  #hasVisibleEnds({ from, to, type }: Connection): boolean {
    const hidden = this.#hiddenConcepts
    return hidden.isEmpty || (!hidden.has(from) && !hidden.has(to) && !hidden.has(type))
  }
}
