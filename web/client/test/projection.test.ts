import { expect, test } from 'vitest'
import { build, type Drafts } from '../src/composition/build.ts'
import { patch } from '../src/composition/patch.ts'
import type { Id } from '../src/graph/id.ts'
import type { Mutation } from '../src/graph/mutation.ts'
import { Before } from '../src/live/before.ts'
import { project } from '../src/live/filtered.ts'
import { Graph } from '../src/local/graph.ts'
import { run } from '../src/query/filtered.ts'
import type { Query } from '../src/query/query.ts'
import { drafting } from '../src/sync/drafting.ts'
import { mulberry } from './dice.ts'
import { connection, typeConcept } from './vectors.ts'

// Whatever waits, an answer of the server with it is what the server would say if it had taken it.
test.each(Array.from({ length: 60 }, (_, i) => i + 1))('seed %i', (seed) => {
  const world = new World(seed)
  for (let step = 0; step < 12; step++) {
    world.step()
    for (const logic of ['a', 'NOT a', 'a AND NOT b', 'a OR b', 'a EXAND b', 'NOT (p OR b)']) {
      const query: Query = { ...notes, logic }
      const answer = run(new Before(world.graph, world.pending), query)
      const view = project(world.graph, query, answer, world.pending)
      const want = run(world.graph, query)
      expect(view.roots, logic).toEqual(want.roots)
      expect(view.total).toBe(want.total)
      expect(new Set(view.links)).toEqual(new Set(want.links))
    }
  }
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

/** Notes that the server has, linked with others, and writes that it has not taken. */
class World {
  readonly graph = new Graph()
  readonly pending: Mutation[] = []
  readonly #random: () => number
  readonly #mains: Id[] = []
  #local = -100
  #real = 1_000

  constructor(seed: number) {
    this.#random = mulberry(seed)
    const link = this.#real++
    this.graph.add({ concepts: [typeConcept(link, 'the_note_s_part')], connections: [] })
    for (let i = 0; i < 8; i++) this.#mains.push(this.#take(this.#create()))
    for (let i = 0; i < 8; i++) {
      const [from, to] = [this.#name(), this.#name()]
      this.graph.add({
        concepts: [],
        connections: [connection(this.#real++, this.graph.name(from), this.graph.name(to), link)],
      })
    }
  }

  step(): void {
    const dice = this.#random()
    const main = this.#pick(this.#mains.filter((id) => this.graph.concept(id)))
    if (dice < 0.3 || main === undefined) this.#mains.push(this.#wait(this.#create()).id)
    else if (dice < 0.6) this.#wait(this.#update(main))
    else if (dice < 0.7) this.#wait(this.#mutation('remove', main, {}, [this.graph.name(main)]))
    else if (dice < 0.9 && this.pending.length > 0) this.#settle()
    else this.#undo()
  }

  #create(): Mutation {
    const drafts: Drafts = { concepts: [], connections: [] }
    const id = build(drafts, 'the_note', this.#fields(), this.#ids)
    return this.#mutation('create', id, drafts)
  }

  #update(main: Id): Mutation {
    const drafts = patch(this.graph, this.graph.name(main), this.#fields(), this.#ids)
    return this.#mutation('update', main, drafts, [], drafts.removeConnections)
  }

  readonly #ids = { concept: () => --this.#local, connection: () => --this.#local }
  readonly #recordsOf = drafting(this.#ids, (id) => this.graph.real(id))

  #mutation(
    kind: Mutation['kind'],
    id: Id,
    drafts: Partial<Drafts>,
    removeConcepts: Id[] = [],
    removeConnections: Id[] = [],
  ): Mutation {
    const records = this.#recordsOf({ concepts: [], connections: [], ...drafts }, '')
    return {
      key: `${--this.#local}`,
      kind,
      id,
      at: '',
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

  /** The server takes a write, without finding anything that it has. */
  #take(m: Mutation): Id {
    const ids = new Map<Id, Id>()
    const links = new Map<Id, Id>()
    const at = (id: Id): Id => ids.get(id) ?? this.graph.real(id)
    for (const c of m.concepts) if (this.graph.real(c.id) < 0) ids.set(c.id, this.#real++)
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
    this.graph.settle(receipt, known ? m : undefined)
    return m.id
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
