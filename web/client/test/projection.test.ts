import { expect, test } from 'vitest'
import { build } from '../src/composition/build.ts'
import { patch } from '../src/composition/patch.ts'
import type { Id } from '../src/graph/id.ts'
import type { Mutation, Records } from '../src/graph/mutation.ts'
import { project, settled } from '../src/live/filtered.ts'
import { Graph } from '../src/local/graph.ts'
import { settle } from '../src/local/settle.ts'
import { run } from '../src/query/filtered.ts'
import type { Answer, Query } from '../src/query/query.ts'
import { drafting } from '../src/sync/drafting.ts'
import { mulberry } from './dice.ts'
import { connection, typeConcept } from './vectors.ts'

// Whatever waits, an answer of the server with it is what the server would say if it had taken it, and without
// what still waits once some is settled, what the server says then.
test.each(Array.from({ length: 60 }, (_, i) => i + 1))('seed %i', (seed) => {
  const { graph, server, pending, step } = new World(seed)
  let views: readonly Answer[] = []
  for (let n = 0; n < 12; n++) {
    const { confirmations } = graph
    step()
    views = queries.map((query, i) => {
      const told = run(server, query)
      const text = JSON.stringify(query)
      const [view] = graph.confirmations === confirmations ? [] : views.slice(i)
      if (view)
        expect(named(graph, settled(graph, query, view, pending)), text).toEqual(named(graph, told))
      const now = project(graph, query, told, pending)
      expect(named(graph, now), text).toEqual(named(graph, run(graph, query)))
      return now
    })
  }
})

/** What an answer says, by the names things have here. */
const named = (graph: Graph, { roots, total, links, reverse, counts }: Answer) => ({
  roots: roots.map((id) => graph.name(id)),
  total,
  links: new Set(links.map((id) => graph.realConnection(id))),
  reverse: new Set(reverse.map((id) => graph.realConnection(id))),
  counts: new Set(counts.map((c) => `${graph.name(c.of)} ${graph.name(c.type)} ${c.n}`)),
})

const notes: Query = {
  type: 'the_note',
  pageSize: 1_000,
  hops: [
    { connection: 'self', name: 'inside' },
    {
      connection: 'the_note_s_part',
      name: 'part',
      hops: [{ connection: 'self', name: 'inside part' }],
    },
  ],
  filters: [
    { name: 'a', on: 'inside', type: 'the_a', search: 'x' },
    { name: 'b', on: 'inside', type: 'the_b', op: '>', search: 'x' },
    { name: 'p', on: 'inside part', type: 'the_a', search: 'y' },
  ],
}

const logics = ['a', 'NOT a', 'a AND NOT b', 'a OR b', 'a EXAND b', 'NOT (p OR b)', 'p']
const [inside, part] = notes.hops as [Query, Query]
const shapes: readonly Query[] = [
  notes,
  { ...notes, hops: [inside, { ...part, reverse: true }], order: 'ASC' },
  { ...notes, hops: [inside, { ...part, limit: true, pageSize: 1 }] },
]
const queries = shapes.flatMap((query) => logics.map((logic): Query => ({ ...query, logic })))

/** Notes that the server has, linked with others, and writes that it has not taken. */
class World {
  readonly graph = new Graph()
  readonly server = new Graph()
  readonly pending: Mutation[] = []
  readonly #random: () => number
  readonly #mains: Id[] = []
  #local = -100
  #real = 1_000

  constructor(seed: number) {
    this.#random = mulberry(seed)
    const link = this.#real++
    this.#say({ concepts: [typeConcept(link, 'the_note_s_part')], connections: [] })
    for (let i = 0; i < 8; i++) this.#mains.push(this.#take(this.#create()))
    for (let i = 0; i < 8; i++) {
      const [from, to] = [this.#name(), this.#name()].map((id) => this.graph.real(id))
      const part = connection(this.#real++, from as Id, to as Id, link)
      this.#say({ concepts: [], connections: [part] })
    }
  }

  readonly step = (): void => {
    const dice = this.#random()
    const main = this.#pick(this.#mains.filter((id) => this.graph.concept(id)))
    if (dice < 0.3 || main === undefined) this.#mains.push(this.#wait(this.#create()).id)
    else if (dice < 0.6) this.#wait(this.#update(main))
    else if (dice < 0.7) this.#wait(this.#mutation('remove', main, {}, [this.graph.name(main)]))
    else if (dice < 0.9 && this.pending.length > 0) this.#settle()
    else this.#undo()
  }

  #create(): Mutation {
    const draft = this.#drafting.begin('')
    const id = build(draft, 'the_note', this.#fields())
    return this.#mutation('create', id, this.#drafting.recordsOf(draft))
  }

  #update(main: Id): Mutation {
    const draft = this.#drafting.begin('')
    const gone = patch(this.graph, this.graph.name(main), this.#fields(), draft)
    return this.#mutation('update', main, this.#drafting.recordsOf(draft), [], gone)
  }

  readonly #ids = { concept: () => --this.#local, connection: () => --this.#local }
  readonly #drafting = drafting(this.#ids, (id) => this.graph.real(id))

  #mutation(
    kind: Mutation['kind'],
    id: Id,
    records: Partial<Records>,
    removeConcepts: Id[] = [],
    removeConnections: Id[] = [],
  ): Mutation {
    return {
      key: `${--this.#local}`,
      kind,
      id,
      at: '',
      concepts: [],
      connections: [],
      ...records,
      removeConcepts,
      removeConnections,
    }
  }

  #wait(m: Mutation): Mutation {
    this.graph.apply(m)
    this.pending.push(m)
    return m
  }

  #settle(): void {
    const m = this.pending.shift()
    if (m) this.#take(m)
  }

  /** The server takes a write, and may find values that it has. */
  #take(m: Mutation): Id {
    const ids = new Map<Id, Id>()
    const links = new Map<Id, Id>()
    const at = (id: Id): Id => ids.get(id) ?? this.graph.real(id)
    for (const c of m.concepts) {
      if (this.graph.real(c.id) > 0) continue
      const type = m.concepts.find(({ id }) => id === c.type)?.value ?? ''
      const twin = c.value && this.#random() < 0.5 && this.server.find(type, c.value)?.id
      ids.set(c.id, twin || this.#real++)
    }
    for (const c of m.connections) links.set(c.id, this.#real++)
    const concepts = m.concepts
      .filter((c) => ids.has(c.id))
      .map((c) => ({ ...c, id: at(c.id), type: at(c.type), category: at(c.category) }))
    const connections = m.connections.map((c) => ({
      ...c,
      id: links.get(c.id) ?? 0,
      from: at(c.from),
      to: at(c.to),
      type: at(c.type),
    }))
    const receipt = { concepts, connections, conceptIds: [...ids], connectionIds: [...links] }
    const known = this.pending.length > 0 || this.graph.known(m.id) !== undefined
    settle(this.graph, receipt, known ? m : undefined)
    this.server.add(receipt)
    this.server.drop(
      m.removeConcepts.map((id) => this.graph.real(id)),
      m.removeConnections.map((id) => this.graph.realConnection(id)),
    )
    return m.id
  }

  #say(records: Records): void {
    this.server.add(records)
    this.graph.add(records)
  }

  #undo(): void {
    const m = this.pending.pop()
    if (m) this.graph.undo(m)
  }

  #fields() {
    const some = () => this.#pick(['x', 'y', 'z']) as string
    return { a: some(), ...(this.#random() < 0.5 && { b: some() }), inner: { b: some() } }
  }

  readonly #name = (): Id => this.graph.name(this.#pick(this.#mains) ?? 0)

  #pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#random() * list.length)]
  }
}
