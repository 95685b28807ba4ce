import { expect, test } from 'vitest'
import { Graph } from '../src/local/graph.ts'
import type { Concept } from '../src/model/concept.ts'
import { categoryInstance, word } from '../src/model/fixed.ts'

const concept = (id: number, type: number, category: number, value: string): Concept => ({
  id,
  type,
  category,
  value,
  owner: 999,
  access: 4,
  composition: false,
  created: '',
})
const name = concept(1_000, word, 1, 'the_name')
const ann = concept(2_000, name.id, categoryInstance, 'Ann')

test('finds a value by the name of its type while it exists', () => {
  const graph = new Graph()
  expect(graph.find('the_name', 'Ann')).toBeUndefined()
  graph.add({ concepts: [name], connections: [] })
  expect(graph.find('the_name', 'Ann')).toBeUndefined()
  graph.add({ concepts: [ann], connections: [] })
  expect(graph.find('the_name', 'Ann')?.id).toBe(ann.id)
  expect(graph.find('the_name', 'Bea')).toBeUndefined()
  graph.remove([ann.id])
  expect(graph.find('the_name', 'Ann')).toBeUndefined()
})

test('finds one of two equal values until both are removed', () => {
  const graph = new Graph()
  const twin = { ...ann, id: 2_001 }
  graph.add({ concepts: [name, ann, twin], connections: [] })
  expect(graph.find('the_name', 'Ann')?.value).toBe('Ann')
  graph.remove([twin.id])
  expect(graph.find('the_name', 'Ann')?.id).toBe(ann.id)
  graph.remove([ann.id])
  expect(graph.find('the_name', 'Ann')).toBeUndefined()
})

test('a value hidden by a pending write does not hide an equal one', () => {
  const graph = new Graph()
  const twin = { ...ann, id: 2_001 }
  graph.add({ concepts: [name, ann, twin], connections: [] })
  const first = graph.find('the_name', 'Ann')?.id ?? 0
  const none = { connections: [], concepts: [], removeConnections: [] }
  const removal = {
    ...none,
    key: 'k',
    kind: 'remove',
    id: first,
    at: '',
    removeConcepts: [first],
  } as const
  graph.apply(removal)
  expect(graph.find('the_name', 'Ann')?.id).toBe(ann.id + twin.id - first)
  graph.undo(removal)
  expect(graph.find('the_name', 'Ann')).toBeDefined()
})
