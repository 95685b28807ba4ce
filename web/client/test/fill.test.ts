import { expect, test } from 'vitest'
import type { Concept } from '../src/graph/concept.ts'
import type { Connection } from '../src/graph/connection.ts'
import { Graph } from '../src/local/graph.ts'
import { Records } from '../src/local/records.ts'

const [note, text, main, leaf, link] = [101, 102, 201, 202, 301]
const made = { owner: 999, access: 4, created: '' } as const
const type = (id: number, value: string): Concept => ({
  ...made,
  id,
  type: 51,
  category: 1,
  value,
  composition: false,
})
const concepts: readonly Concept[] = [
  type(note, 'the_note'),
  type(text, 'the_text'),
  { ...made, id: main, type: note, category: 4, value: '', composition: true },
  { ...made, id: leaf, type: text, category: 4, value: 'one', composition: false },
]
const connections: readonly Connection[] = [
  { ...made, id: link, from: main, to: leaf, type: main, order: 1 },
]

/** All that can be asked of a graph. */
const asked = (graph: Graph, records: Records) => ({
  type: graph.type('the_note'),
  found: graph.find('the_text', 'one')?.id,
  instances: graph.instances(note),
  out: graph.out(main).map((c) => c.id),
  in: graph.in(leaf).map((c) => c.id),
  links: graph.links(main).map((c) => c.id),
  record: records.get(main),
})
const all = {
  type: note,
  found: leaf,
  instances: [main],
  out: [link],
  in: [link],
  links: [link],
  record: { text: 'one' },
}

test('a graph of which everything was asked while it was empty knows what fills it, and tells who watches', async () => {
  const graph = new Graph()
  const records = new Records(graph)
  const none = { instances: [], out: [], in: [], links: [] }
  expect(asked(graph, records)).toEqual(none)
  const told: (string | number)[] = []
  for (const id of [main, leaf, link]) graph.watch(id, () => told.push(id))
  graph.watchers.add('the_note', () => told.push('the_note'))
  const { version } = graph
  graph.add({ concepts, connections })
  expect(asked(graph, records)).toEqual(all)
  expect(graph.version).toBeGreaterThan(version)
  await undefined
  expect(told).toEqual(expect.arrayContaining([main, leaf, 'the_note']))
})

test('a graph that was left empty is filled again, without what was removed, by the names things have here', () => {
  const graph = new Graph()
  const records = new Records(graph)
  graph.add({ concepts, connections })
  expect(asked(graph, records)).toEqual(all)
  graph.drop([leaf])
  graph.clear()
  expect(asked(graph, records)).toMatchObject({ instances: [], links: [] })
  graph.join({ concepts: [], connections: [], conceptIds: [[-5, main]], connectionIds: [] })
  graph.add({ concepts, connections: [] })
  expect(graph.concept(leaf)).toBeUndefined()
  expect(graph.instances(note)).toEqual([graph.name(main)])
  expect(graph.real(graph.name(main))).toBe(main)
  expect(graph.concept(-5)?.type).toBe(note)
})
