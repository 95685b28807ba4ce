import { expect, test } from 'vitest'
import { build } from '../src/composition/build.ts'
import { readFields } from '../src/composition/read.ts'
import { Graph } from '../src/local/graph.ts'
import type { Id } from '../src/model/id.ts'
import type { Mutation } from '../src/model/mutation.ts'
import { createRecordBuilder } from '../src/sync/record-builder.ts'

const created = '2026-01-01T00:00:00Z'
let last = -100
const ids = { concept: () => --last, connection: () => --last }

/** Returns the write of a tab that creates a note, with local ids of types that no other tab uses. */
function createNoteInTab(graph: Graph, text: string): Mutation {
  const { beginDraft, recordsOf } = createRecordBuilder(ids, graph)
  const draft = beginDraft(created)
  const id = build(draft, 'the_note', { text })
  const nothing = { removeConcepts: [], removeConnections: [] }
  return { key: text, kind: 'create', id, ...recordsOf(draft), ...nothing, store: '', at: created }
}

test('a type created by two tabs remains when one write is discarded and the other synced', () => {
  const graph = new Graph()
  const [first, second] = [createNoteInTab(graph, 'one'), createNoteInTab(graph, 'other')]
  graph.apply(first)
  graph.apply(second)

  let next = 100_000
  const real = ({ id }: { readonly id: Id }): readonly [Id, Id] => [id, ++next]
  const conceptIds = second.concepts.map(real)
  const connectionIds = second.connections.map(real)
  const realIds = new Map(conceptIds)
  const realOf = (id: Id) => realIds.get(id) ?? id
  const concepts = second.concepts.map((c) => ({ ...c, id: realOf(c.id), type: realOf(c.type) }))
  const connections = second.connections.map((c, i) => ({
    ...c,
    id: connectionIds[i]?.[1] ?? 0,
    from: realOf(c.from),
    to: realOf(c.to),
    type: realOf(c.type),
  }))
  graph.settle({ conceptIds, connectionIds, concepts, connections }, second)
  graph.undo(first)

  expect(readFields(graph, graph.canonical(second.id))).toEqual({ text: 'other' })
})
