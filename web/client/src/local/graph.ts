import { byAge, type Reader } from '../composition/reader.ts'
import type { Concept } from '../graph/concept.ts'
import { isShared } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { categoryInstance, categoryPrototype } from '../graph/fixed.ts'
import { type Id, isLocal, isReal } from '../graph/id.ts'
import type { Mutation, Receipt, Records } from '../graph/mutation.ts'
import { Adjacency } from './adjacency.ts'
import { Watchers } from './watchers.ts'

/**
 * The graph of this page: what the server confirmed, with the pending mutations projected on top.
 *
 * A mutation adds records under ids of its own and hides records by id, and nothing is ever edited. The
 * projection is therefore the same in any order, and taking a mutation back costs what it touched.
 *
 * A concept made here keeps its local id; the real one, once known, is another name of the same concept.
 * Connections take their real id, nobody holds on to those.
 */
export class Graph implements Reader {
  readonly #concepts = new Map<Id, Concept>()
  readonly #connections = new Map<Id, Connection>()
  /** Other name → name used here, for concepts and for connections. */
  readonly #names = new Map<Id, Id>()
  readonly #connectionNames = new Map<Id, Id>()
  readonly #realIds = new Map<Id, Id>()

  /** How many pending mutations need a concept besides the one that brought it. */
  readonly #held = new Map<Id, number>()
  /** How many hide a concept, hide a connection. */
  readonly #hidden = new Map<Id, number>()
  readonly #hiddenConnections = new Map<Id, number>()
  /** What the server removed. Ids are never given twice, so a late answer cannot bring them back. */
  readonly #gone = new Set<Id>()
  readonly #goneConnections = new Set<Id>()

  /** Built when first asked for, kept up to date from then on. */
  #byValue: Map<Id, Map<string, Concept>> | undefined
  #types: Map<string, Concept> | undefined
  #instances: Map<Id, Set<Concept>> | undefined
  #out: Adjacency | undefined
  #in: Adjacency | undefined
  #links: Adjacency | undefined

  readonly watchers = new Watchers()
  /** Counts settled mutations: an answer asked for before the last of them may not know of it. */
  confirmations = 0
  /** Counts touches. */
  version = 0
  /** Told at once, before watchers, that something about an id changed. */
  touched: (id: Id) => void = () => {}
  /** Told of concepts asked for that are not here. */
  missed: ((id: Id) => void) | undefined

  concept(id: Id): Concept | undefined {
    const name = this.#names.size === 0 ? id : this.name(id)
    const c = this.#concepts.get(name)
    if (c !== undefined && (this.#hidden.size === 0 || !this.#hidden.has(name))) return c
    this.missed?.(id)
    return undefined
  }

  connection(id: Id): Connection | undefined {
    const c = this.#connections.get(this.#connectionNames.get(id) ?? id)
    return c && !this.#hiddenConnections.has(c.id) && this.#shows(c) ? c : undefined
  }

  /** The instance of a type that has this value. */
  find(type: Id, value: string): Concept | undefined {
    this.#byValue ??= indexOf(this.#concepts, putValue)
    const found = this.#byValue.get(this.name(type))?.get(value)
    return found && this.#hidden.size > 0 && this.#hidden.has(found.id) ? undefined : found
  }

  type(name: string): Id | undefined {
    this.#types ??= indexOf(this.#concepts, putType)
    return this.#types.get(name)?.id
  }

  instances(type: Id): readonly Id[] {
    const found: Id[] = []
    for (const c of this.#byType.get(this.name(type)) ?? []) {
      if (!this.#hidden.has(c.id) && !isType(c)) found.push(c.id)
    }
    return found.sort((a, b) => byAge(this.real(a), this.real(b)))
  }

  out(id: Id, type?: Id): readonly Connection[] {
    return this.#shown(this.#outs.get(this.name(id)), type)
  }

  in(id: Id, type?: Id): readonly Connection[] {
    return this.#shown(this.#ins.get(this.name(id)), type)
  }

  /** Connections of a type. For the main concept of a composition: everything inside the record. */
  links(type: Id): readonly Connection[] {
    return this.#shown(this.#inside.get(this.name(type)))
  }

  /** The id a concept goes by here. */
  name(id: Id): Id {
    let name = id
    for (let next = this.#names.get(id); next !== undefined; next = this.#names.get(name))
      name = next
    return name
  }

  /** The id the server knows: the same for real ids, and for local ones not known there yet. */
  real(id: Id): Id {
    return isReal(id) ? id : (this.#realIds.get(id) ?? id)
  }

  /** As real, for connections. */
  realConnection(id: Id): Id {
    return this.#connectionNames.get(id) ?? id
  }

  /** Says whether the server, as far as is known here, has this concept no more. */
  isGone(id: Id): boolean {
    return this.#gone.has(this.real(id))
  }

  /** Takes in what the server said. */
  add(records: Records): void {
    for (const c of records.concepts) this.#addConcept(c)
    for (const c of records.connections) this.#addConnection(c)
  }

  /** Lets go of what was not found any more. A concept takes its connections along. */
  forget(concepts: Iterable<Id>, connections: Iterable<Id>): void {
    for (const id of concepts) this.#dropConcept(this.name(id))
    for (const id of connections) this.#dropConnection(this.realConnection(id))
  }

  /** Lets go, for good, of what was removed. */
  drop(concepts: Iterable<Id>, connections: Iterable<Id>): void {
    const [nodes, links] = [[...concepts], [...connections]]
    for (const id of nodes) this.#gone.add(this.real(id))
    for (const id of links) this.#goneConnections.add(this.realConnection(id))
    this.forget(nodes, links)
  }

  /** Projects a pending mutation. */
  apply(m: Mutation): void {
    for (const c of m.concepts) this.#hold(this.#renamed(c))
    for (const c of m.connections) this.#putConnection(this.#renamedEnds(c))
    for (const id of m.removeConcepts) this.#hide(this.name(id))
    for (const id of m.removeConnections) this.#hideConnection(this.realConnection(id))
  }

  /** Takes a pending mutation back. */
  undo(m: Mutation): void {
    for (const id of m.removeConnections) this.#showConnection(this.realConnection(id))
    for (const id of m.removeConcepts) this.#show(this.name(id))
    for (const c of m.connections) {
      if (!this.#connectionNames.has(c.id)) this.#dropConnection(c.id)
    }
    for (const c of m.concepts) this.#release(this.name(c.id))
  }

  /** Turns a pending mutation into what the server made of it. */
  settle(m: Mutation, receipt: Receipt): void {
    this.confirmations++
    this.join(receipt.conceptIds, receipt.connectionIds)
    this.add(receipt)
    this.drop(m.removeConcepts, m.removeConnections)
    this.undo(m)
  }

  /** Learns which real id each local one became. */
  join(
    concepts: Iterable<readonly [local: Id, real: Id]>,
    connections: Iterable<readonly [local: Id, real: Id]>,
  ): void {
    for (const [local, real] of concepts) this.#joinConcept(local, real)
    for (const [local, real] of connections) this.#joinConnection(local, real)
  }

  /** Calls back, once per microtask, after anything about the id changed. */
  watch(id: Id, changed: () => void): () => void {
    this.watchers.add(this.name(id), changed)
    return () => this.watchers.delete(this.name(id), changed)
  }

  #addConcept(c: Concept): void {
    if (this.#gone.size > 0 && this.#gone.has(c.id)) return
    const next = this.#renamed(c)
    const old = this.#concepts.get(next.id)
    if (old !== undefined && sameConcept(old, next)) return
    if (old !== undefined) this.#unindexConcept(old)
    this.#putConcept(next)
  }

  #putConcept(c: Concept): void {
    this.#concepts.set(c.id, c)
    if (this.#instances) putInstance(this.#instances, c)
    if (this.#byValue) putValue(this.#byValue, c)
    if (this.#types) putType(this.#types, c)
    this.#touchConcept(c)
  }

  #dropConcept(id: Id): void {
    const c = this.#concepts.get(id)
    if (c === undefined) return
    for (const link of [...this.#allConnections(id)]) this.#dropConnection(link.id)
    this.#concepts.delete(id)
    this.#unindexConcept(c)
    this.#indexTwin(c)
    this.#touchConcept(c)
  }

  /** Of two concepts with one value the indexes know one. When it goes, the other takes its place. */
  #indexTwin(c: Concept): void {
    if (isType(c)) this.#types = undefined
    if (!this.#byValue || c.composition) return
    for (const twin of this.#byType.get(c.type) ?? []) {
      if (twin.value === c.value) putValue(this.#byValue, twin)
    }
  }

  #unindexConcept(c: Concept): void {
    this.#instances?.get(c.type)?.delete(c)
    const values = this.#byValue?.get(c.type)
    if (values?.get(c.value) === c) values.delete(c.value)
    if (this.#types?.get(c.value) === c) this.#types.delete(c.value)
  }

  #addConnection(c: Connection): void {
    if (this.#goneConnections.size > 0 && this.#goneConnections.has(c.id)) return
    if (this.#connections.has(c.id)) return
    this.#putConnection(this.#renamedEnds(c))
  }

  #putConnection(c: Connection): void {
    this.#connections.set(c.id, c)
    if (!this.#hiddenConnections.has(c.id)) this.#indexConnection(c)
    this.#touch(c.type)
  }

  #dropConnection(id: Id): void {
    const c = this.#connections.get(id)
    if (c === undefined) return
    this.#connections.delete(id)
    this.#unindexConnection(c)
    this.#touch(c.type)
  }

  #indexConnection(c: Connection): void {
    if (this.#out) this.#out.add(c.from, c)
    if (this.#in) this.#in.add(c.to, c)
    if (this.#links) this.#links.add(c.type, c)
  }

  #unindexConnection(c: Connection): void {
    this.#out?.delete(c.from, c)
    this.#in?.delete(c.to, c)
    this.#links?.delete(c.type, c)
  }

  /** Every connection that has the concept as an end or as its type, hidden or not. */
  #allConnections(id: Id): Set<Connection> {
    const all = new Set([...this.#outs.get(id), ...this.#ins.get(id), ...this.#inside.get(id)])
    for (const hidden of this.#hiddenConnections.keys()) {
      const c = this.#connections.get(hidden)
      if (c && [c.from, c.to, c.type].includes(id)) all.add(c)
    }
    return all
  }

  #hold(c: Concept): void {
    if (!this.#concepts.has(c.id)) this.#putConcept(c)
    else more(this.#held, c.id)
  }

  #release(id: Id): void {
    if (!less(this.#held, id) && isLocal(id) && !this.#realIds.has(id)) this.#dropConcept(id)
  }

  #hide(id: Id): void {
    more(this.#hidden, id)
    this.#touchWithLinks(id)
  }

  #show(id: Id): void {
    if (less(this.#hidden, id) && !this.#hidden.has(id)) this.#touchWithLinks(id)
  }

  /** Hidden connections stand in no index, so that edits that wait make reading no slower. */
  #hideConnection(id: Id): void {
    more(this.#hiddenConnections, id)
    const c = this.#connections.get(id)
    if (c === undefined || this.#hiddenConnections.get(id) !== 1) return
    this.#unindexConnection(c)
    this.#touch(c.type)
  }

  #showConnection(id: Id): void {
    if (!less(this.#hiddenConnections, id) || this.#hiddenConnections.has(id)) return
    const c = this.#connections.get(id)
    if (c === undefined) return
    this.#indexConnection(c)
    this.#touch(c.type)
  }

  #touchWithLinks(id: Id): void {
    const c = this.#concepts.get(id)
    if (c) this.#touchConcept(c)
    for (const link of this.#allConnections(id)) this.#touch(link.type)
  }

  #touchConcept(c: Concept): void {
    this.#touch(c.id)
    this.#touch(c.type)
  }

  #touch(id: Id): void {
    this.version++
    this.touched(id)
    this.watchers.touch(id)
  }

  #joinConcept(local: Id, real: Id): void {
    this.#realIds.set(local, real)
    const [mine, theirs] = [this.name(local), this.name(real)]
    if (mine === theirs) return
    // A value the server already had goes by the name it has had here; a record keeps its own.
    const keep = this.#concepts.has(theirs) && !this.#concepts.get(mine)?.composition
    const [from, to] = keep ? [mine, theirs] : [theirs, mine]
    this.#names.set(from, to)
    this.#absorb(from, to)
    this.watchers.move(from, to)
    this.#touch(from)
    this.#touch(to)
  }

  /** Two ids turn out to be one concept: whatever referred to the first refers to the second. */
  #absorb(from: Id, to: Id): void {
    for (const c of this.#allConnections(from)) {
      this.#dropConnection(c.id)
      this.#putConnection(this.#renamedEnds(c))
    }
    for (const c of [...(this.#byType.get(from) ?? [])]) {
      this.#unindexConcept(c)
      this.#putConcept(this.#renamed(c))
    }
    const n = this.#hidden.get(from)
    if (n !== undefined) this.#hidden.set(to, (this.#hidden.get(to) ?? 0) + n)
    this.#hidden.delete(from)
    this.#held.delete(from)
    this.#dropConcept(from)
  }

  #joinConnection(local: Id, real: Id): void {
    if (this.#connectionNames.has(local)) return
    this.#connectionNames.set(local, real)
    const c = this.#connections.get(local)
    const there = this.#connections.get(real)
    const n = this.#hiddenConnections.get(local)
    if (n !== undefined) this.#hiddenConnections.set(real, n)
    if (n !== undefined && there) this.#unindexConnection(there)
    if (c) this.#dropConnection(local)
    if (c && !there) this.#putConnection({ ...c, id: real })
    this.#hiddenConnections.delete(local)
  }

  #renamed(c: Concept): Concept {
    if (this.#names.size === 0) return c
    const [id, type, category] = [this.name(c.id), this.name(c.type), this.name(c.category)]
    if (id === c.id && type === c.type && category === c.category) return c
    return { ...c, id, type, category }
  }

  #renamedEnds(c: Connection): Connection {
    if (this.#names.size === 0) return c
    const [from, to, type] = [this.name(c.from), this.name(c.to), this.name(c.type)]
    if (from === c.from && to === c.to && type === c.type) return c
    return { ...c, from, to, type }
  }

  /** Those of a type, or all, without those that hang on hidden concepts. */
  #shown(list: readonly Connection[], type?: Id): readonly Connection[] {
    const name = type && this.name(type)
    const fits = (c: Connection) => (name === undefined || c.type === name) && this.#shows(c)
    return list.every(fits) ? list : list.filter(fits)
  }

  #shows({ from, to, type }: Connection): boolean {
    return this.#hidden.size === 0 || ![from, to, type].some((id) => this.#hidden.has(id))
  }

  get #byType(): Map<Id, Set<Concept>> {
    this.#instances ??= indexOf(this.#concepts, putInstance)
    return this.#instances
  }

  get #outs(): Adjacency {
    this.#out ??= this.#indexConnections((c) => c.from)
    return this.#out
  }

  get #ins(): Adjacency {
    this.#in ??= this.#indexConnections((c) => c.to)
    return this.#in
  }

  get #inside(): Adjacency {
    this.#links ??= this.#indexConnections((c) => c.type)
    return this.#links
  }

  #indexConnections(by: (c: Connection) => Id): Adjacency {
    const index = new Adjacency()
    for (const c of this.#connections.values()) {
      if (!this.#hiddenConnections.has(c.id)) index.add(by(c), c)
    }
    return index
  }
}

function more(counts: Map<Id, number>, id: Id): void {
  counts.set(id, (counts.get(id) ?? 0) + 1)
}

/** Counts one down; false when there was nothing to count. */
function less(counts: Map<Id, number>, id: Id): boolean {
  const n = counts.get(id) ?? 0
  if (n > 1) counts.set(id, n - 1)
  else counts.delete(id)
  return n > 0
}

function indexOf<K, V>(
  concepts: ReadonlyMap<Id, Concept>,
  put: (index: Map<K, V>, c: Concept) => void,
): Map<K, V> {
  const index = new Map<K, V>()
  for (const c of concepts.values()) put(index, c)
  return index
}

function putType(index: Map<string, Concept>, c: Concept): void {
  if (isType(c)) index.set(c.value, c)
}

function putValue(index: Map<Id, Map<string, Concept>>, c: Concept): void {
  if (c.composition || !isShared(c.value)) return
  const values = index.get(c.type)
  if (values === undefined) index.set(c.type, new Map([[c.value, c]]))
  else if (!values.has(c.value)) values.set(c.value, c)
}

function putInstance(index: Map<Id, Set<Concept>>, c: Concept): void {
  const set = index.get(c.type)
  if (set) set.add(c)
  else index.set(c.type, new Set([c]))
}

const isType = (c: Concept): boolean =>
  c.category !== categoryInstance && c.category !== categoryPrototype

const sameConcept = (a: Concept, b: Concept): boolean =>
  (Object.keys(b) as (keyof Concept)[]).every((key) => a[key] === b[key])
