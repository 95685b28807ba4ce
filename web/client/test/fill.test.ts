import { expect, test } from 'vitest'
import { Graph } from '../src/local/graph.ts'
import { RecordCache } from '../src/local/record-cache.ts'
import type { Concept } from '../src/model/concept.ts'
import type { Connection } from '../src/model/connection.ts'

const [note, text, main, leaf, link] = [101, 102, 201, 202, 301]
const metadata = { owner: 999, access: 4, created: '' } as const
const type = (id: number, value: string): Concept => ({
  ...metadata,
  id,
  type: 51,
  category: 1,
  value,
  composition: false,
})
const concepts: readonly Concept[] = [
  type(note, 'the_note'),
  type(text, 'the_text'),
  { ...metadata, id: main, type: note, category: 4, value: '', composition: true },
  { ...metadata, id: leaf, type: text, category: 4, value: 'one', composition: false },
]
const connections: readonly Connection[] = [
  { ...metadata, id: link, from: main, to: leaf, type: main, order: 1 },
]

/** Returns the results of every look-up in a graph. */
const contentsOf = (graph: Graph, records: RecordCache) => ({
  type: graph.type('the_note'),
  found: graph.find('the_text', 'one')?.id,
  instances: graph.instances(note),
  out: graph.out(main).map((c) => c.id),
  in: graph.in(leaf).map((c) => c.id),
  links: graph.connectionsOfType(main).map((c) => c.id),
  record: records.get(main),
})
const fullContents = {
  type: note,
  found: leaf,
  instances: [main],
  out: [link],
  in: [link],
  links: [link],
  record: { text: 'one' },
}

test('a graph that was queried while empty finds the records added later, and notifies watchers', async () => {
  const graph = new Graph()
  const records = new RecordCache(graph)
  const emptyContents = { instances: [], out: [], in: [], links: [] }
  expect(contentsOf(graph, records)).toEqual(emptyContents)
  const notified: (string | number)[] = []
  for (const id of [main, leaf, link]) graph.watch(id, () => notified.push(id))
  graph.watchers.add('the_note', () => notified.push('the_note'))
  const { version } = graph
  graph.add({ concepts, connections })
  expect(contentsOf(graph, records)).toEqual(fullContents)
  expect(graph.version).toBeGreaterThan(version)
  await undefined
  expect(notified).toEqual(expect.arrayContaining([main, leaf, 'the_note']))
})

test('a cleared graph that is filled again lacks removed records and keeps local ids', () => {
  const graph = new Graph()
  const records = new RecordCache(graph)
  graph.add({ concepts, connections })
  expect(contentsOf(graph, records)).toEqual(fullContents)
  graph.remove([leaf])
  graph.clear()
  expect(contentsOf(graph, records)).toMatchObject({ instances: [], links: [] })
  graph.adoptRealIds({ concepts: [], connections: [], conceptIds: [[-5, main]], connectionIds: [] })
  graph.add({ concepts, connections: [] })
  expect(graph.concept(leaf)).toBeUndefined()
  expect(graph.instances(note)).toEqual([graph.canonical(main)])
  expect(graph.real(graph.canonical(main))).toBe(main)
  expect(graph.concept(-5)?.type).toBe(note)
})
