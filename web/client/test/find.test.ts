import { expect, test } from 'vitest'
import type { Concept } from '../src/graph/concept.ts'
import { categoryInstance, word } from '../src/graph/fixed.ts'
import { Graph } from '../src/local/graph.ts'

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

test('a value is found by the name of its type, as it comes and goes', () => {
  const graph = new Graph()
  expect(graph.find('the_name', 'Ann')).toBeUndefined()
  graph.add({ concepts: [name], connections: [] })
  expect(graph.find('the_name', 'Ann')).toBeUndefined()
  graph.add({ concepts: [ann], connections: [] })
  expect(graph.find('the_name', 'Ann')?.id).toBe(ann.id)
  expect(graph.find('the_name', 'Bea')).toBeUndefined()
  graph.drop([ann.id])
  expect(graph.find('the_name', 'Ann')).toBeUndefined()
})

test('of two equal values one is found until both are gone', () => {
  const graph = new Graph()
  const twin = { ...ann, id: 2_001 }
  graph.add({ concepts: [name, ann, twin], connections: [] })
  expect(graph.find('the_name', 'Ann')?.value).toBe('Ann')
  graph.drop([twin.id])
  expect(graph.find('the_name', 'Ann')?.id).toBe(ann.id)
  graph.drop([ann.id])
  expect(graph.find('the_name', 'Ann')).toBeUndefined()
})

test('a value that a pending write hides does not hide its twin', () => {
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
