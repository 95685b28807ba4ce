import { expect, test } from 'vitest'
import type { NodeInfo } from '../src/graph/api.ts'
import {
  addNodes,
  collapse,
  collapseGroup,
  type Drawing,
  emptyDrawing,
  groupKey,
  membersOf,
  parseGroup,
  refresh,
  remainders,
  setGroups,
  setHidden,
  shownNodes,
  toggleType,
} from '../src/graph/drawing.ts'

/*
 * ann (1) ◀─customer─ order 2, order 3; order 2 ─line▶ 4 ─product▶ 5; order 3 ─line▶ 6 ─product▶ 5
 */
const node = (id: number, type: string): NodeInfo => ({
  id,
  type,
  kind: 'record',
  label: `${type} ${id}`,
  owner: 7,
  access: 5,
})
const link = (id: number, from: number, type: string, to: number) => ({ id, from, to, type })
const shop: Drawing = addNodes(emptyDrawing, {
  nodes: [
    node(1, 'the_customer'),
    node(2, 'the_order'),
    node(3, 'the_order'),
    node(4, 'the_line'),
    node(5, 'the_product'),
    node(6, 'the_line'),
  ],
  edges: [
    link(20, 2, 'the_order_customer', 1),
    link(30, 3, 'the_order_customer', 1),
    link(24, 2, 'the_order_s_line', 4),
    link(36, 3, 'the_order_s_line', 6),
    link(45, 4, 'the_line_product', 5),
    link(65, 6, 'the_line_product', 5),
  ],
})
const ids = (drawing: Drawing) => [...drawing.nodes.keys()].toSorted()
const orders = { type: 'the_order_customer', reverse: true }

test('the first node is the root, and links to nodes outside the drawing are left out', () => {
  expect(shop.root).toBe(1)
  expect([...membersOf(shop, 1, orders)]).toEqual([2, 3])
  const more = addNodes(shop, { nodes: [], edges: [link(99, 9, 'the_order_customer', 1)] })
  expect(more.links.size).toBe(6)
})

test('collapsing a group removes the nodes that only it connects', () => {
  expect(ids(collapseGroup(shop, 1, orders))).toEqual([1])
  // The product is linked to both lines, so it stays with the other line.
  const lines = { type: 'the_order_s_line', reverse: false }
  expect(ids(collapseGroup(shop, 2, lines))).toEqual([1, 2, 3, 4, 5, 6])
  const alone = collapseGroup(collapseGroup(shop, 3, lines), 2, lines)
  expect(ids(alone)).toEqual([1, 2, 3, 4, 5, 6])
})

test('collapsing a node removes the nodes that only it connects to the root', () => {
  expect(ids(collapse(shop, 1))).toEqual([1])
  expect(ids(collapse(shop, 2))).toEqual([1, 2, 3, 4, 5, 6])
  const oneOrder = collapse(
    addNodes(emptyDrawing, {
      nodes: [node(1, 'the_customer'), node(2, 'the_order'), node(4, 'the_line')],
      edges: [link(20, 2, 'the_order_customer', 1), link(24, 2, 'the_order_s_line', 4)],
    }),
    2,
  )
  expect(ids(oneOrder)).toEqual([1, 2])
})

test('hidden nodes and types are left out until they are shown again', () => {
  const hidden = toggleType(setHidden(shop, [2], true), 'the_line')
  expect(shownNodes(hidden).map(({ id }) => id)).toEqual([1, 3, 5])
  expect(shownNodes(toggleType(setHidden(hidden, [2], false), 'the_line'))).toHaveLength(6)
})

test('a link group is read back from an address as it was written', () => {
  for (const [of, group] of [
    [1, { type: 'the_order_customer', reverse: true }],
    [2, { type: 'the_order_s_line', reverse: false }],
    [5, { type: '', reverse: true }],
  ] as const) {
    const parsed = parseGroup(groupKey(shop, of, group))
    expect({ ...parsed, of: parsed.of ?? shop.root }).toEqual({ of, ...group })
  }
})

test('a refresh follows renamed and removed nodes', () => {
  const nodes = [node(1, 'the_customer'), { ...node(2, 'the_order'), label: 'A-1' }]
  const fresh = refresh(shop, { nodes, edges: [link(20, 2, 'the_order_customer', 1)] })
  expect(ids(fresh)).toEqual([1, 2])
  expect(fresh.nodes.get(2)?.label).toBe('A-1')
  expect(fresh.links.size).toBe(1)
})

test('the remainder of a hub is the links that are not drawn', () => {
  const counted = setGroups(shop, 5, [
    { type: 'the_line_product', reverse: true, count: 20_000 },
    { type: 'the_product_category', reverse: false, count: 1 },
  ])
  expect(remainders(counted).map(({ shown, group }) => group.count - shown)).toEqual([19_998])
})
