import { describe, expect, test } from 'vitest'
import { build } from '../src/composition/build.ts'
import { patch } from '../src/composition/patch.ts'
import { readFields } from '../src/composition/read.ts'
import { byAge } from '../src/composition/reader.ts'
import type { Fields } from '../src/composition/value.ts'
import { type Concept, isType } from '../src/graph/concept.ts'
import type { Connection } from '../src/graph/connection.ts'
import { categoryInstance, word } from '../src/graph/fixed.ts'
import { type Id, isLocal } from '../src/graph/id.ts'
import type { Mutation, Receipt } from '../src/graph/mutation.ts'
import { Graph } from '../src/local/graph.ts'
import { Records } from '../src/local/records.ts'
import { settle } from '../src/local/settle.ts'
import { drafting } from '../src/sync/drafting.ts'
import { mulberry } from './dice.ts'

const seeds = Array.from({ length: 20 }, (_, i) => i + 1) // 1, 15 and 20 found what was wrong once

describe('the graph and the obvious model agree after every step', () => {
  test.each(seeds)('seed %i', (seed) => {
    const world = new World(seed)
    for (let step = 0; step < 80; step++) {
      world.step()
      world.compare()
    }
    while (world.pending.length > 0) world.settle()
    world.compare()
  })
})

/** A server that never loses anything, a list of what arrived here, and a list of what waits. */
class World {
  readonly graph = new Graph()
  readonly records = new Records(this.graph)
  readonly random: () => number
  // The server.
  readonly stored = new Map<Id, Concept>()
  readonly links = new Map<Id, Connection>()
  nextReal = 100_000
  // The model.
  readonly arrived = new Set<Id>()
  readonly arrivedLinks = new Set<Id>()
  readonly real = new Map<Id, Id>()
  readonly realLinks = new Map<Id, Id>()
  readonly called = new Map<Id, Id>()
  readonly pending: Mutation[] = []
  readonly mains: Id[] = []
  // Local ids.
  next = { concept: -100, connection: -200 }
  readonly ids = { concept: () => --this.next.concept, connection: () => --this.next.connection }
  readonly drafting = drafting(this.ids, (id) => this.graph.real(id))
  /** Names of records, which must never change, and what the watchers say. */
  readonly names = new Map<Id, Id>()

  constructor(seed: number) {
    this.random = mulberry(seed)
  }

  step(): void {
    const dice = this.random()
    if (dice < 0.25) this.create()
    else if (dice < 0.45) this.update()
    else if (dice < 0.52) this.remove()
    else if (dice < 0.67) this.settle()
    else if (dice < 0.72) this.undo()
    else if (dice < 0.82) this.others()
    else this.arrive()
  }

  create(): void {
    const draft = this.drafting.begin('')
    const id = build(draft, 'the_note', this.fields())
    this.write({ kind: 'create', id }, draft)
    this.mains.push(id)
    this.names.set(id, id)
  }

  update(): void {
    const id = this.pick(this.mains.filter((main) => this.graph.concept(main)?.composition))
    if (id === undefined) return
    const draft = this.drafting.begin('')
    const removeConnections = patch(this.graph, this.graph.name(id), this.fields(), draft)
    this.write({ kind: 'update', id, removeConnections }, draft)
  }

  remove(): void {
    const id = this.pick(this.mains.filter((main) => this.graph.concept(main)))
    if (id !== undefined) this.write({ kind: 'remove', id, removeConcepts: [this.graph.name(id)] })
  }

  write(
    rest: Partial<Mutation> & Pick<Mutation, 'kind' | 'id'>,
    draft = this.drafting.begin(''),
  ): void {
    const made = this.drafting.recordsOf(draft)
    const key = String(this.next.concept)
    const m = { key, at: '', removeConcepts: [], removeConnections: [], ...made, ...rest }
    this.graph.apply(m)
    for (const c of made.concepts) if (isType(c)) this.call(c)
    this.pending.push(m)
  }

  /** A type that is here already keeps the name it has. */
  call({ id, value }: Concept): void {
    if (this.real.has(id) || this.pending.some((m) => m.concepts.some((c) => c.id === id))) return
    const named = (there: Id) => {
      const c = this.stored.get(there)
      return c && isType(c) && c.value === value
    }
    const there = [...this.arrived].find(named)
    if (there) this.called.set(id, there)
  }

  undo(): void {
    const m = this.pending.pop()
    if (m) this.graph.undo(m)
  }

  /** The server takes the oldest write. Some of it may be heard of before the answer. */
  settle(): void {
    const m = this.pending.shift()
    if (!m) return
    const receipt = this.serve(m)
    for (const c of receipt.concepts) if (this.random() < 0.2) this.hear(c, undefined)
    for (const c of receipt.connections) if (this.random() < 0.2) this.hear(undefined, c)
    this.compareWith([m, ...this.pending])
    settle(this.graph, receipt, m)
    for (const [local, real] of receipt.conceptIds) this.real.set(local, real)
    for (const [local, real] of receipt.connectionIds) this.realLinks.set(local, real)
    for (const c of receipt.concepts) this.arrived.add(c.id)
    for (const c of receipt.connections) this.arrivedLinks.add(c.id)
  }

  serve(m: Mutation): Receipt {
    const ids = new Map<Id, Id>()
    const at = (id: Id): Id => ids.get(id) ?? this.real.get(id) ?? id
    const links: [Id, Id][] = []
    const made = [...m.concepts].sort((a, b) => Number(b.type === word) - Number(a.type === word))
    for (const c of made) {
      if (!isLocal(c.id) || this.real.has(c.id)) continue
      ids.set(c.id, this.findOrMake({ ...c, type: at(c.type) }))
    }
    for (const c of m.connections) {
      const id = this.nextReal++
      this.links.set(id, { ...c, id, from: at(c.from), to: at(c.to), type: at(c.type) })
      links.push([c.id, id])
    }
    for (const id of m.removeConnections) this.links.delete(this.realLinks.get(id) ?? id)
    for (const id of m.removeConcepts) this.unstore(at(id))
    return {
      concepts: [...ids.values()].flatMap((id) => this.stored.get(id) ?? []),
      connections: links.flatMap(([, id]) => this.links.get(id) ?? []),
      conceptIds: [...ids],
      connectionIds: links,
    }
  }

  findOrMake(c: Concept): Id {
    const same = (d: Concept) => d.type === c.type && d.value === c.value && !d.composition
    const found = c.composition || c.value === '' ? undefined : [...this.stored.values()].find(same)
    if (found) return found.id
    const id = this.nextReal++
    this.stored.set(id, { ...c, id })
    return id
  }

  unstore(id: Id): void {
    this.stored.delete(id)
    for (const [key, c] of this.links)
      if ([c.from, c.to, c.type].includes(id)) this.links.delete(key)
  }

  /** Somebody else writes a record of the same values. */
  others(): void {
    const type = (name: string) => this.findOrMake(concept(0, word, 1, name))
    const main = this.findOrMake(concept(0, type('the_note'), categoryInstance, '', true))
    const value = this.findOrMake(concept(0, type('the_a'), categoryInstance, this.text()))
    const id = this.nextReal++
    this.links.set(id, connection(id, main, value, main))
    this.mains.push(main)
  }

  /** Something the server has comes here, in no particular order. */
  arrive(): void {
    for (let i = 0; i < 3; i++) {
      this.hear(this.pick([...this.stored.values()]), undefined)
      this.hear(undefined, this.pick([...this.links.values()]))
    }
  }

  hear(c: Concept | undefined, link: Connection | undefined): void {
    this.graph.add({ concepts: c ? [c] : [], connections: link ? [link] : [] })
    if (c) this.arrived.add(c.id)
    if (link) this.arrivedLinks.add(link.id)
  }

  compare(): void {
    this.compareWith(this.pending)
  }

  /** What should be here, worked out from nothing. */
  compareWith(pending: readonly Mutation[]): void {
    const at = (id: Id) => this.real.get(id) ?? this.called.get(id) ?? id
    const linkAt = (id: Id) => this.realLinks.get(id) ?? id
    const concepts = new Map<Id, string>()
    const links = new Map<Id, string>()
    const put = (c: Concept) => concepts.set(at(c.id), show(at(c.type), c.value))
    const link = (c: Connection) => links.set(linkAt(c.id), show(at(c.from), at(c.to), at(c.type)))
    for (const id of this.arrived) if (this.stored.has(id)) put(this.stored.get(id) as Concept)
    for (const id of this.arrivedLinks)
      if (this.links.has(id)) link(this.links.get(id) as Connection)
    for (const m of pending) {
      for (const c of m.concepts) if (!concepts.has(at(c.id))) put(c)
      for (const c of m.connections) link(c)
    }
    const hidden = new Set(pending.flatMap((m) => m.removeConcepts.map(at)))
    for (const m of pending) for (const id of m.removeConnections) links.delete(linkAt(id))
    for (const id of hidden) concepts.delete(id)
    for (const [id, text] of links) {
      if ((JSON.parse(text) as Id[]).some((end) => hidden.has(end))) links.delete(id)
    }
    this.check(concepts, links)
  }

  check(concepts: Map<Id, string>, links: Map<Id, string>): void {
    const { graph } = this
    const wrong: string[] = []
    const must = (what: string, holds: boolean) => holds || wrong.push(what)
    const seen = new Map<Id, string>()
    const everything = [...this.stored.keys(), ...down(this.next.concept), ...concepts.keys()]
    for (const id of everything) {
      const c = graph.concept(id)
      if (!c) continue
      seen.set(graph.real(c.id), show(graph.real(c.type), c.value))
      must(`${id} is one object`, graph.concept(c.id) === c && graph.concept(graph.real(id)) === c)
      must(`${id} is found by name`, !isType(c) || graph.type(c.value) !== undefined)
    }
    const seenLinks = new Map<Id, string>()
    for (const id of [...this.links.keys(), ...down(this.next.connection), ...links.keys()]) {
      const c = graph.connection(id)
      if (c) seenLinks.set(c.id, show(graph.real(c.from), graph.real(c.to), graph.real(c.type)))
    }
    expect(sorted(seen)).toEqual(sorted(concepts))
    expect(sorted(seenLinks)).toEqual(sorted(links))

    const ends = [...links].map(([id, text]) => [id, JSON.parse(text)] as const)
    for (const id of concepts.keys()) {
      const at = (end: 0 | 1 | 2) => ends.filter(([, of]) => of[end] === id).map(([link]) => link)
      const same = (list: readonly Connection[], end: 0 | 1 | 2) =>
        show(...list.map((c) => c.id)) === show(...at(end).sort(byAge))
      must(`what leaves ${id}`, same(graph.out(id), 0))
      must(`what arrives at ${id}`, same(graph.in(id), 1))
      must(`what has the type ${id}`, same(graph.links(id), 2))
    }
    for (const main of this.mains) {
      if (!graph.concept(main)) continue
      const fresh = readFields(graph, graph.name(main))
      const snapshot = this.records.get(main)
      if (typeof fresh === 'object') must(`record ${main}`, show(fresh) === show(snapshot))
      must(`record ${main} stays`, this.records.get(main) === snapshot)
      const name = this.names.get(main) ?? graph.name(main)
      must(`${main} keeps its name`, graph.name(graph.real(main)) === name)
    }
    expect(wrong).toEqual([])
  }

  fields(): Fields {
    const inner = { a: this.text(), c: this.text() }
    return {
      a: this.text(),
      ...(this.random() < 0.6 ? { b: this.text() } : {}),
      ...(this.random() < 0.3 ? { inner } : {}),
    }
  }

  text = (): string => this.pick(['', 'x', 'y', 'z']) as string

  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)]
  }
}

const down = (next: number): Id[] => Array.from({ length: -next }, (_, i) => -i - 1)
const show = (...parts: readonly unknown[]): string => JSON.stringify(parts)
const sorted = (map: Map<Id, string>) => [...map].sort(([a], [b]) => a - b)

const concept = (id: Id, type: Id, category: Id, value: string, composition = false): Concept => ({
  id,
  type,
  category,
  value,
  owner: 999,
  access: 4,
  composition,
  created: '',
})

const connection = (id: Id, from: Id, to: Id, type: Id): Connection => ({
  id,
  from,
  to,
  type,
  order: 1,
  owner: 999,
  access: 4,
  created: '',
})
