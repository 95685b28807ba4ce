import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logic } from '@weft/client/internal'
import { expect, test } from 'vitest'
import { addFilter, addHop, addOrder, addSelector, removeHop } from '../../src/ask/question/edit.ts'
import { type NodePath, nodesOf, setMembers } from '../../src/ask/question/nodes.ts'
import {
  joinWithNext,
  type LogicPath,
  logicOf,
  negate,
  setFilter,
  setLogicAt,
  sharedNode,
  unusedFilters,
  withLogic,
  writeLogic,
} from '../../src/ask/question/where.ts'
import {
  formatQuestion,
  keptParts,
  parseQuestion,
  readQuestion,
  type WireQuery,
} from '../../src/ask/question/wire.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../../docs/query.md'), 'utf8')
/** The queries of the guide: blocks of JSON that are followed by a block with the answer. */
const examples = [...guide.matchAll(/```json\n(\{[\s\S]*?)```\n```json\n/g)].map(
  ([, text = '']) => text,
)

test('the guide has its examples', () => {
  expect(2 * examples.length).toBe(guide.split('```json\n').length - 1)
  expect(examples.length).toBe(19)
})

test.each(examples)('reads and builds %s', (text) => {
  const query = readQuestion(JSON.parse(text))
  if (!query) throw new Error('not a query')
  expect(keptParts(query)).toEqual([])
  expect(JSON.parse(formatQuestion(query))).toEqual(JSON.parse(text))
  expect(parseQuestion(formatQuestion(query))).toEqual(query)
  expect(build(query)).toEqual(JSON.parse(text))
})

/** Builds a query by the steps of the builder, without entering JSON. */
function build(target: WireQuery): WireQuery {
  let query: WireQuery = {}
  const { freeschemaQueries, filters, filterLogic, selectors, orderBy, ...members } = target
  query = setMembers(query, [], members)
  for (const key of orderBy ?? []) query = addOrder(query, key)
  query = addBelow(query, [], target)
  for (const filter of filters ?? []) {
    const node = nodesOf(query).find(({ node }) => node.name === filter.operateon)
    query = addFilter(query, filter.operateon === undefined ? [] : (node?.path ?? []), filter)
  }
  return buildLogic(query, target)
}

function addBelow(query: WireQuery, path: NodePath, target: WireQuery): WireQuery {
  let built = query
  for (const selector of target.selectors ?? []) built = addSelector(built, path, selector)
  for (const [i, hop] of (target.freeschemaQueries ?? []).entries()) {
    const { freeschemaQueries, selectors, ...members } = hop
    built = addHop(built, path, { typeConnection: members.typeConnection ?? '' })
    built = setMembers(built, [...path, i], members)
    built = addBelow(built, [...path, i], hop)
  }
  return built
}

/** Groups the conditions as the target does. A malformed expression is written as text, as a user would type it. */
function buildLogic(query: WireQuery, target: WireQuery): WireQuery {
  const logic = logicOf(target)
  if (logic.status === 'broken') return setMembers(query, [], { filterLogic: logic.text })
  if (!logic.tree) return withLogic(query, undefined)
  return group(query, [], logic.tree)
}

/** Converts the expression at `path`, an AND of all conditions, to the wanted expression, from the outside in. */
function group(query: WireQuery, path: LogicPath, wanted: Logic): WireQuery {
  if (wanted.op === 'leaf') return query
  if (wanted.op === 'not') {
    const [inner] = wanted.of
    return setLogicAt(group(query, path, inner), path, negate)
  }
  let built = setLogicAt(query, path, (one) =>
    'of' in one ? ({ ...one, op: wanted.op } as Logic) : one,
  )
  const inner = wanted.of.map((side) => (side.op === 'not' ? side.of[0] : side))
  for (const [i, side] of inner.entries())
    for (let n = 1; n < leaves(side); n++)
      built = joinWithNext(built, [...path, i], side.op as 'and' | 'or' | 'exand')
  for (const [i, side] of wanted.of.entries()) built = group(built, [...path, i], side)
  return built
}

const leaves = (logic: Logic): number =>
  logic.op === 'leaf' ? 1 : logic.of.reduce((sum, side) => sum + leaves(side), 0)

test.each([
  'a',
  'NOT a',
  'a AND b AND c',
  'a OR b AND c',
  '(a OR b) AND c',
  'a EXAND b',
  'NOT a EXAND b OR c',
  'a EXAND b AND NOT c',
  '(a OR b) EXAND c',
  'a OR b AND (c OR d)',
])('forms the groups of %s', (text) => {
  const names = [...new Set(text.match(/[a-d]/g))]
  const target = { filterLogic: text, filters: names.map((name) => ({ name, search: '1' })) }
  expect(build(target)).toEqual(target)
  const logic = logicOf(target)
  expect(logic.status === 'tree' && logic.tree && writeLogic(logic.tree)).toBe(text)
})

test('removing a hop also removes its conditions', () => {
  const line = {
    typeConnection: 'the_order_s_line',
    name: 'line',
    freeschemaQueries: [{ typeConnection: 'the_line_quantity', name: 'quantity' }],
  }
  const query = {
    type: 'the_order',
    freeschemaQueries: [{ typeConnection: 'the_order_date', name: 'date' }, line],
    filters: [
      { name: 'many', operateon: 'quantity', search: '10' },
      { name: 'march', operateon: 'date', search: '2024-03-01' },
    ],
    filterLogic: 'march AND NOT many',
  }
  expect(removeHop(query, [1])).toEqual({
    type: 'the_order',
    freeschemaQueries: [{ typeConnection: 'the_order_date', name: 'date' }],
    filters: [{ name: 'march', operateon: 'date', search: '2024-03-01' }],
    filterLogic: 'march',
  })
  const renamed = setFilter(query, 'many', { name: 'ten' })
  expect(renamed.filterLogic).toBe('march AND NOT ten')
})

test('names a node once, and gives each of its conditions another name', () => {
  let query: WireQuery = { type: 'the_order' }
  query = addHop(query, [], { typeConnection: 'the_order_status' })
  query = addFilter(query, [0], { logicoperator: '=', search: 'open' })
  query = addFilter(query, [0], { logicoperator: '=', search: 'paid' })
  expect(query.freeschemaQueries?.[0]?.name).toBe('status')
  expect(query.filterLogic).toBe('status AND status2')
})

test('keeps parts of a query that the builder cannot show, as written', () => {
  const query = parseQuestion(
    '{"TYPE": "the_order", "colour": 1, "selectors": "date", "freeschemaqueries": [{"Typeconnection": "self", "x": [2]}], "filters": [{"composition": true}]}',
  )
  expect(query && keptParts(query)).toEqual([
    { path: 'colour', text: '1' },
    { path: 'selectors', text: '"date"' },
    { path: 'freeschemaQueries[0].x', text: '[2]' },
    { path: 'filters[0].composition', text: 'true' },
  ])
  expect(query?.type).toBe('the_order')
  expect(query && JSON.parse(formatQuestion(setMembers(query, [], { type: 'the_line' })))).toEqual({
    type: 'the_line',
    colour: 1,
    selectors: 'date',
    freeschemaQueries: [{ typeConnection: 'self', x: [2] }],
    filters: [{ composition: true }],
  })
  expect(parseQuestion('[1]')).toBeUndefined()
  expect(parseQuestion('{')).toBeUndefined()
})

test('finds conditions without effect, and the node that an EXAND shares', () => {
  const nested = examples.find((text) => text.includes('pens EXAND many'))
  const query = parseQuestion(nested ?? '')
  const logic = query && logicOf(query)
  if (!query || logic?.status !== 'tree' || !logic.tree) throw new Error('no logic')
  expect(sharedNode(query, logic.tree)).toEqual([0])
  expect(unusedFilters({ ...query, filterLogic: 'pens' }).map(({ name }) => name)).toEqual(['many'])
})
