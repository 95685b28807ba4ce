import { byAge, type Reader } from '../composition/reader.ts'
import { type Concept, isType, same } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { type Id, isLocal } from '../graph/id.ts'
import type { Mutation, Receipt, Records } from '../graph/mutation.ts'
import { ConceptIndex } from './concept-index.ts'
import { ConnectionIndex } from './connection-index.ts'
import { Counts } from './counts.ts'
import { Names } from './names.ts'
import { Watchers } from './watchers.ts'

type Once = 'more' | 'less'

/**
 * The graph of this page: what the server confirmed, with the pending mutations projected on top.
 *
 * A mutation adds records under ids of its own and hides records by id, and nothing is ever edited. The
 * projection is therefore the same in any order, and taking a mutation back costs what it touched.
 */
export class Graph implements Reader {
  readonly #concepts = new Map<Id, Concept>()
  readonly #connections = new Map<Id, Connection>()
  #names = new Names()
  readonly #index = new ConceptIndex(this.#concepts)
  /** Hidden connections are not in it, so that edits that wait make reading no slower. */
  readonly #byEnd = new ConnectionIndex(() =>
    [...this.#connections.values()].filter((c) => !this.#hiddenConnections.has(c.id)),
  )

  /** How many pending mutations need a concept besides the one that brought it. */
  readonly #held = new Counts()
  /** How many hide a concept, hide a connection. */
  readonly #hidden = new Counts()
  readonly #hiddenConnections = new Counts()
  /** What the server removed. Ids are never given twice, so a late answer cannot bring them back. */
  readonly #gone = new Set<Id>()
  readonly #goneConnections = new Set<Id>()

  /** The store the real ids here are from, once known. */
  store: string | undefined
  /** Who may see what is here. */
  user: string | undefined
  readonly watchers = new Watchers()
  /** Counts settled mutations: an answer asked for before the last of them may not know of it. */
  confirmations = 0
  /** Counts touches. */
  version = 0
  /** Told at once, before watchers, that something about an id changed. */
  touched: (id: Id) => void = () => {}
  /** Told at once of each concept and connection that came, went, or is shown or hidden from now on. */
  changed: ((c: Concept | Connection) => void) | undefined
  /** Told of concepts asked for that are not here. */
  missed: ((id: Id) => void) | undefined

  concept(id: Id): Concept | undefined {
    const name = this.name(id)
    const c = this.#concepts.get(name)
    if (c !== undefined && !this.#hidden.has(name)) return c
    this.missed?.(id)
    return undefined
  }

  connection(id: Id): Connection | undefined {
    const c = this.#connections.get(this.realConnection(id))
    return c && !this.#hiddenConnections.has(c.id) && this.#shows(c) ? c : undefined
  }

  type(name: string): Id | undefined {
    return this.#index.type(name)
  }

  /** A value of the type of that name, if it is here. */
  find(type: string, value: string): Concept | undefined {
    for (const c of this.#index.find(this.type(type) ?? 0, value))
      if (!this.#hidden.has(c.id)) return c
    return undefined
  }

  instances(type: Id): readonly Id[] {
    const instances = this.ofType(type).filter((c) => !this.#hidden.has(c.id) && !isType(c))
    return instances.map((c) => c.id).sort((a, b) => byAge(this.real(a), this.real(b)))
  }

  /** The concepts of a type, those hidden among them, by the age of the names they have here. */
  ofType(type: Id): readonly Concept[] {
    return this.#index.ofType(this.name(type))
  }

  out(id: Id, type?: Id): readonly Connection[] {
    return this.#shown(this.#byEnd.out.get(this.name(id)), type)
  }

  in(id: Id, type?: Id): readonly Connection[] {
    return this.#shown(this.#byEnd.in.get(this.name(id)), type)
  }

  /** Connections of a type. For the main concept of a composition: everything inside the record. */
  links(type: Id): readonly Connection[] {
    return this.#shown(this.#byEnd.ofType.get(this.name(type)))
  }

  /** The id a concept goes by here. */
  name(id: Id): Id {
    return this.#names.name(id)
  }

  /** The id the server knows: the same for real ids, and for local ones not known there yet. */
  real(id: Id): Id {
    return this.#names.real(id)
  }

  /** As real, for connections. */
  realConnection(id: Id): Id {
    return this.#names.connection(id)
  }

  /** A concept, hidden or not. */
  known(id: Id): Concept | undefined {
    return this.#concepts.get(this.name(id))
  }

  /** Takes in what the server said. */
  add(records: Records): void {
    if (this.#concepts.size + this.#connections.size === 0) {
      this.#fill(records)
      return
    }
    for (const c of records.concepts) this.#addConcept(c)
    for (const c of records.connections) this.#addConnection(c)
  }

  /** Lets go of what was not found any more. A concept takes its connections along. */
  forget(concepts: Iterable<Id>, connections: Iterable<Id>): void {
    for (const id of concepts) this.#dropConcept(this.name(id))
    for (const id of connections) this.#dropConnection(this.realConnection(id))
  }

  /** Lets go, for good, of what was removed. */
  drop(concepts: readonly Id[] = [], connections: readonly Id[] = []): void {
    for (const id of concepts) this.#gone.add(this.real(id))
    for (const id of connections) this.#goneConnections.add(this.realConnection(id))
    this.forget(concepts, connections)
  }

  /** Projects a pending mutation. */
  apply(m: Mutation): void {
    for (const c of m.concepts) this.#hold(this.#names.ofConcept(c))
    let told = 0
    for (const c of m.connections) told = this.#putConnection(this.#names.ofEnds(c), told)
    for (const id of m.removeConcepts) this.#cover(this.name(id), 'more')
    for (const id of m.removeConnections) this.#coverConnection(this.realConnection(id), 'more')
  }

  /** Takes a pending mutation back. */
  undo(m: Mutation): void {
    for (const id of m.removeConnections) this.#coverConnection(this.realConnection(id), 'less')
    for (const id of m.removeConcepts) this.#cover(this.name(id), 'less')
    for (const c of m.connections) {
      if (isLocal(this.realConnection(c.id))) this.#dropConnection(c.id)
    }
    for (const c of m.concepts) this.#release(this.name(c.id))
  }

  /** Learns which real id each local one became. */
  join({ conceptIds, connectionIds }: Receipt): void {
    for (const [local, real] of conceptIds) this.#joinConcept(local, real)
    for (const [local, real] of connectionIds) this.#joinConnection(local, real)
  }

  /** Lets go of everything. Pending mutations were taken back before. */
  clear(): void {
    this.confirmations++
    this.forget(this.#concepts.keys(), this.#connections.keys())
  }

  /** Ids mean other things from now on. */
  move(): void {
    this.#gone.clear()
    this.#goneConnections.clear()
    this.#names = new Names()
  }

  /** Calls back, once per microtask, after anything about the id changed. */
  watch(id: Id, changed: () => void): () => void {
    this.watchers.add(this.name(id), changed)
    return () => this.watchers.delete(this.name(id), changed)
  }

  /** Takes in all that there is to be, for whoever watches anything: its indexes are empty and built when asked for. */
  #fill({ concepts, connections }: Records): void {
    for (const c of concepts)
      if (!this.#gone.has(c.id)) this.#concepts.set(this.name(c.id), this.#names.ofConcept(c))
    for (const c of connections)
      if (!this.#goneConnections.has(c.id)) this.#connections.set(c.id, this.#names.ofEnds(c))
    this.version++
    for (const id of this.watchers.byId.keys()) this.#touch(id as Id)
  }

  #addConcept(c: Concept): void {
    if (this.#gone.has(c.id)) return
    const next = this.#names.ofConcept(c)
    const old = this.#concepts.get(next.id)
    if (old !== undefined && same(old, next)) return
    if (old !== undefined) this.#index.delete(old)
    this.#putConcept(next)
  }

  #putConcept(c: Concept): void {
    this.#concepts.set(c.id, c)
    this.#index.add(c)
    this.#touchConcept(c)
  }

  #dropConcept(id: Id): void {
    const c = this.#concepts.get(id)
    if (c === undefined) return
    for (const link of this.allConnections(id)) this.#dropConnection(link.id)
    this.#concepts.delete(id)
    this.#index.delete(c)
    this.#touchConcept(c)
  }

  #addConnection(c: Connection): void {
    if (this.#goneConnections.has(c.id) || this.#connections.has(c.id)) return
    this.#putConnection(this.#names.ofEnds(c))
  }

  /** Told is an id that was touched just before. Returns one that was by then. */
  #putConnection(c: Connection, told?: Id): Id {
    this.#connections.set(c.id, c)
    if (!this.#hiddenConnections.has(c.id)) this.#byEnd.add(c)
    this.#touchOne(c, told)
    return c.type
  }

  #dropConnection(id: Id): void {
    const c = this.#connections.get(id)
    if (c === undefined) return
    this.#connections.delete(id)
    this.#byEnd.delete(c)
    this.#touchOne(c)
  }

  /** Every connection that has the concept as an end or as its type, hidden or not. */
  allConnections(id: Id): Set<Connection> {
    const all = this.#byEnd.at(id)
    for (const hidden of this.#hiddenConnections.ids()) {
      const c = this.#connections.get(hidden)
      if (c && [c.from, c.to, c.type].includes(id)) all.add(c)
    }
    return all
  }

  /** A type that is here goes by the id it has here. Values are told to be one only by the server. */
  #hold(c: Concept): void {
    const here = this.#concepts.has(c.id) ? c.id : isType(c) && this.type(c.value)
    if (here) this.#held.more(here)
    else this.#putConcept(c)
    if (here && here !== c.id) this.#names.rename(c.id, here)
  }

  #release(id: Id): void {
    if (this.#held.has(id)) this.#held.less(id)
    else if (isLocal(this.real(id))) this.#dropConcept(id)
  }

  /** Hides a concept once more, or once less. */
  #cover(id: Id, once: Once): void {
    if (!this.#hidden[once](id)) return
    const c = this.#concepts.get(id)
    if (c) this.#touchConcept(c)
    for (const link of this.allConnections(id)) this.#touchOne(link)
  }

  #coverConnection(id: Id, once: Once): void {
    const c = this.#connections.get(id)
    if (!this.#hiddenConnections[once](id) || c === undefined) return
    this.#byEnd[once === 'more' ? 'delete' : 'add'](c)
    this.#touchOne(c)
  }

  #touchConcept(c: Concept): void {
    this.#touch(c.id)
    this.#touchOne(c)
  }

  #touchOne(c: Concept | Connection, told?: Id): void {
    if (c.type !== told) this.#touch(c.type)
    this.changed?.(c)
  }

  #touch(id: Id): void {
    this.version++
    this.touched(id)
    this.watchers.touch(id)
  }

  #joinConcept(local: Id, real: Id): void {
    this.#names.learn(local, real)
    const [mine, theirs] = [this.name(local), this.name(real)]
    if (mine === theirs) return
    // What goes by an id that another tab gave its type is there now, whatever becomes of that tab's write.
    this.#names.learn(mine, real)
    // A value the server already had goes by the name it has had here; a record keeps its own.
    const keep = this.#concepts.has(theirs) && !this.#concepts.get(mine)?.composition
    const [from, to] = keep ? [mine, theirs] : [theirs, mine]
    this.#names.rename(from, to)
    this.#absorb(from, to)
    this.watchers.move(from, to)
    this.#touch(from)
    this.#touch(to)
  }

  /** Two ids turn out to be one concept: whatever referred to the first refers to the second. */
  #absorb(from: Id, to: Id): void {
    // Looking builds indexes, which cost less when built of all that is there.
    if (this.#concepts.size + this.#connections.size > 0) {
      for (const c of this.allConnections(from)) {
        this.#dropConnection(c.id)
        this.#putConnection(this.#names.ofEnds(c))
      }
      for (const c of [...this.#index.ofType(from)]) {
        this.#index.delete(c)
        this.#putConcept(this.#names.ofConcept(c))
      }
    }
    this.#hidden.move(from, to)
    this.#held.move(from, to)
    this.#dropConcept(from)
  }

  #joinConnection(local: Id, real: Id): void {
    if (this.realConnection(local) === real) return
    const c = this.#connections.get(local)
    const there = this.#connections.get(real)
    this.#dropConnection(local)
    if (there) this.#byEnd.delete(there)
    this.#names.renameConnection(local, real)
    this.#hiddenConnections.move(local, real)
    const now = there ?? (c && { ...c, id: real })
    if (now) this.#putConnection(now)
  }

  /** Those of a type, or all, without those that hang on hidden concepts. */
  #shown(list: readonly Connection[], type?: Id): readonly Connection[] {
    const name = type && this.name(type)
    const fits = (c: Connection) => (name === undefined || c.type === name) && this.#shows(c)
    return list.every(fits) ? list : list.filter(fits)
  }

  #shows({ from, to, type }: Connection): boolean {
    const hidden = this.#hidden
    return !hidden.has(from) && !hidden.has(to) && !hidden.has(type)
  }
}
