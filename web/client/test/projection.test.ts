import { expect, test } from 'vitest'
import { build } from '../src/composition/build.ts'
import { patch } from '../src/composition/patch.ts'
import { project, withoutPending } from '../src/live/filters/index.ts'
import type { View } from '../src/live/projection.ts'
import { Graph } from '../src/local/graph.ts'
import type { Id } from '../src/model/id.ts'
import type { Mutation, Records } from '../src/model/mutation.ts'
import type { Answer, Query } from '../src/query/query.ts'
import { executeFilteredQuery } from '../src/query/run-filtered.ts'
import { createRecordBuilder } from '../src/sync/record-builder.ts'
import { mulberry } from './dice.ts'
import { connection, typeConcept } from './vectors.ts'

// Applying pending writes to the server's answer must give the answer that the server would give after accepting them.
// When some are settled, removing the effect of the others must give the server's answer at that point.
test.each(Array.from({ length: 60 }, (_, i) => i + 1))(
  'optimistic answers equal those of the server after the sync, seed %i',
  (seed) => {
    const { graph, server, pending, step } = new Model(seed)
    let views: readonly View[] = []
    for (let n = 0; n < 12; n++) {
      const { settledCount } = graph
      step()
      views = queries.map((query, i) => {
        const serverAnswer = executeFilteredQuery(server, query)
        const text = JSON.stringify(query)
        const [view] = graph.settledCount === settledCount ? [] : views.slice(i)
        if (view)
          expect(canonicalAnswer(graph, withoutPending(graph, query, view, pending)), text).toEqual(
            canonicalAnswer(graph, serverAnswer),
          )
        const answer = project(graph, query, serverAnswer, pending)
        expect(canonicalAnswer(graph, answer), text).toEqual(
          canonicalAnswer(graph, executeFilteredQuery(graph, query)),
        )
        return { answer, serverAnswer, pending: [...pending] }
      })
    }
  },
)

/** Returns an answer with canonical ids. */
const canonicalAnswer = (graph: Graph, { roots, total, links, reverse, counts }: Answer) => ({
  roots: roots.map((id) => graph.canonical(id)),
  total,
  links: new Set(links.map((id) => graph.realConnection(id))),
  reverse: new Set(reverse.map((id) => graph.realConnection(id))),
  counts: new Set(counts.map((c) => `${graph.canonical(c.of)} ${graph.canonical(c.type)} ${c.n}`)),
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

/** Notes on the server, linked with each other, and pending writes. */
class Model {
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
    this.#addEverywhere({ concepts: [typeConcept(link, 'the_note_s_part')], connections: [] })
    for (let i = 0; i < 8; i++) this.#mains.push(this.#accept(this.#create()))
    for (let i = 0; i < 8; i++) {
      const [from, to] = [this.#pickMain(), this.#pickMain()].map((id) => this.graph.real(id))
      const part = connection(this.#real++, from as Id, to as Id, link)
      this.#addEverywhere({ concepts: [], connections: [part] })
    }
  }

  readonly step = (): void => {
    const chance = this.#random()
    const main = this.#pick(this.#mains.filter((id) => this.graph.concept(id)))
    if (chance < 0.3 || main === undefined) this.#mains.push(this.#write(this.#create()).id)
    else if (chance < 0.6) this.#write(this.#update(main))
    else if (chance < 0.7)
      this.#write(this.#mutation('remove', main, {}, [this.graph.canonical(main)]))
    else if (chance < 0.9 && this.pending.length > 0) this.#settle()
    else this.#undo()
  }

  #create(): Mutation {
    const draft = this.#builder.beginDraft('')
    const id = build(draft, 'the_note', this.#fields())
    return this.#mutation('create', id, this.#builder.recordsOf(draft))
  }

  #update(main: Id): Mutation {
    const draft = this.#builder.beginDraft('')
    const removedConnections = patch(
      this.graph,
      { main: this.graph.canonical(main) },
      this.#fields(),
      draft,
    )
    return this.#mutation('update', main, this.#builder.recordsOf(draft), [], removedConnections)
  }

  readonly #ids = { concept: () => --this.#local, connection: () => --this.#local }
  readonly #builder = createRecordBuilder(this.#ids, this.graph)

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

  #write(m: Mutation): Mutation {
    this.graph.apply(m)
    this.pending.push(m)
    return m
  }

  #settle(): void {
    const m = this.pending.shift()
    if (m) this.#accept(m)
  }

  /** Applies a write on the server, which may reuse existing values. Returns the real id of the written record. */
  #accept(m: Mutation): Id {
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
    const known = this.pending.length > 0 || this.graph.knownConcept(m.id) !== undefined
    this.graph.settle(receipt, known ? m : undefined)
    this.server.add(receipt)
    this.server.remove(
      m.removeConcepts.map((id) => this.graph.real(id)),
      m.removeConnections.map((id) => this.graph.realConnection(id)),
    )
    return m.id
  }

  #addEverywhere(records: Records): void {
    this.server.add(records)
    this.graph.add(records)
  }

  #undo(): void {
    const m = this.pending.pop()
    if (m) this.graph.undo(m)
  }

  #fields() {
    const value = () => this.#pick(['x', 'y', 'z']) as string
    return { a: value(), ...(this.#random() < 0.5 && { b: value() }), inner: { b: value() } }
  }

  readonly #pickMain = (): Id => this.graph.canonical(this.#pick(this.#mains) ?? 0)

  #pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#random() * list.length)]
  }
}
