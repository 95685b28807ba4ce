import { expect, test } from 'vitest'
import { build } from '../src/composition/build.ts'
import { readFields } from '../src/composition/read.ts'
import type { Id } from '../src/graph/id.ts'
import type { Mutation } from '../src/graph/mutation.ts'
import { Graph } from '../src/local/graph.ts'
import { settle } from '../src/local/settle.ts'
import { drafting } from '../src/sync/drafting.ts'

const created = '2026-01-01T00:00:00Z'
let last = -100
const ids = { concept: () => --last, connection: () => --last }

/** A note as a tab makes it, whose types have ids that no other tab gave. */
function noteOfATab(graph: Graph, text: string): Mutation {
  const { begin, recordsOf } = drafting(ids, (id) => graph.real(id))
  const draft = begin(created)
  const id = build(draft, 'the_note', { text })
  const nothing = { removeConcepts: [], removeConnections: [] }
  return { key: text, kind: 'create', id, ...recordsOf(draft), ...nothing, store: '', at: created }
}

test('a type that two tabs made stays when one of the writes is discarded and the server has the other', () => {
  const graph = new Graph()
  const [first, second] = [noteOfATab(graph, 'one'), noteOfATab(graph, 'other')]
  graph.apply(first)
  graph.apply(second)

  let next = 100_000
  const real = ({ id }: { readonly id: Id }): readonly [Id, Id] => [id, ++next]
  const conceptIds = second.concepts.map(real)
  const connectionIds = second.connections.map(real)
  const named = new Map(conceptIds)
  const nameOf = (id: Id) => named.get(id) ?? id
  const concepts = second.concepts.map((c) => ({ ...c, id: nameOf(c.id), type: nameOf(c.type) }))
  const connections = second.connections.map((c, i) => ({
    ...c,
    id: connectionIds[i]?.[1] ?? 0,
    from: nameOf(c.from),
    to: nameOf(c.to),
    type: nameOf(c.type),
  }))
  settle(graph, { conceptIds, connectionIds, concepts, connections }, second)
  graph.undo(first)

  expect(readFields(graph, graph.name(second.id))).toEqual({ text: 'other' })
})
