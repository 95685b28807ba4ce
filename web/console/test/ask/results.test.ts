import { expect, test } from 'vitest'
import { queryOfGroup } from '../../src/ask/question/groups.ts'
import { readSentence } from '../../src/ask/question/plain-words.ts'
import { cellText, csvOf, plainData, tableOf } from '../../src/ask/results/rows.ts'

const value = (id: number, type: string, text: string) => ({ id, data: { [type]: text } })
const order = {
  id: 7,
  data: {
    the_order: {
      the_order_status: value(8, 'the_status', 'open'),
      the_order_s_line: [1, 2].map((n) => ({
        id: 10 + n,
        data: { the_line: { the_line_quantity: value(20 + n, 'the_quantity', `${n}`) } },
      })),
    },
    the_order_s_line_count: 5,
  },
}

test('a table has a column for each path to a value', () => {
  const table = tableOf([order])
  expect(table.columns.map(({ label, isNumber }) => [label, isNumber])).toEqual([
    ['Status', false],
    ['Lines › Quantity', true],
    ['Number of lines', true],
  ])
  expect(table.columns.map(({ key }) => cellText(table.rows[0]?.cells.get(key)))).toEqual([
    'open',
    '1, 2',
    '5',
  ])
  expect(table.rows[0]?.name).toBe('open')
})

test('data without ids has the shape of the HTTP API', () => {
  expect(plainData(order)).toEqual({
    id: 7,
    the_order: {
      the_order_status: { the_status: 'open' },
      the_order_s_line: [1, 2].map((n) => ({
        the_line: { the_line_quantity: { the_quantity: `${n}` } },
      })),
    },
    the_order_s_line_count: 5,
  })
})

test('CSV quotes cells and writes formulas as text', () => {
  const rows = tableOf([
    { id: 1, data: { the_note: { the_note_text: value(2, 'the_text', '=1+1, "x"') } } },
  ])
  expect(csvOf(rows)).toBe('id,Text\r\n1,"\'=1+1, ""x"""\r\n')
})

test('the query for the records of a group adds a condition and drops counting hops', () => {
  const query = {
    type: 'the_order',
    freeschemaQueries: [
      { typeConnection: 'the_order_status', aggregate: 'group' },
      { typeConnection: 'the_order_customer', aggregate: 'distinct' },
    ],
  }
  expect(queryOfGroup(query, 'the_order_status', 'open')).toEqual({
    type: 'the_order',
    inpage: 50,
    freeschemaQueries: [{ typeConnection: 'the_order_status', name: 'status' }],
    filters: [{ name: 'status', operateon: 'status', logicoperator: '=', search: 'open' }],
    filterLogic: 'status',
  })
})

const types = [{ name: 'the_order', names: { one: 'Order', many: 'Orders' } }]
const parts = [
  { words: 'Status', connection: 'the_order_status', part: undefined },
  { words: 'Date', connection: 'the_order_date', part: undefined },
  { words: 'Note', connection: undefined, part: 'the_note' },
]
const read = (sentence: string) => readSentence(sentence, types, () => parts)

test.each([
  ['orders', undefined, []],
  ['How many orders by status?', undefined, ['group by the_order_status']],
  ['show all orders where status is open', 'status', ['the_order_status', 'status: = open']],
  [
    'orders where status is open and date since 2024-03-01',
    'status AND date',
    ['the_order_status', 'the_order_date', 'status: = open', 'date: >= 2024-03-01'],
  ],
  ['orders without a note', 'NOT self', ['self', 'self: the_note exists']],
  [
    'orders whose note contains ring by status',
    'self',
    ['self', 'group by the_order_status', 'self: the_note like ring'],
  ],
])('reads %s', (sentence, logic, steps) => {
  const reading = read(sentence)
  if (reading.status === 'refused') throw new Error(reading.reason)
  const { filterLogic, freeschemaQueries = [], filters = [] } = reading.query
  const hops = freeschemaQueries.map(({ typeConnection, aggregate }) =>
    aggregate === undefined ? typeConnection : `${aggregate} by ${typeConnection}`,
  )
  const conditions = filters.map(({ name, type, logicoperator, search }) =>
    [`${name}:`, type, logicoperator, search].filter((word) => word !== undefined).join(' '),
  )
  expect(filterLogic).toBe(logic)
  expect([...hops, ...conditions]).toEqual(steps)
})

test.each([
  'planets',
  'orders that sing',
  'orders where status',
  'orders where colour is red',
  'orders by moon',
  'orders by note',
])('refuses %s with a reason', (sentence) => {
  const reading = read(sentence)
  expect(reading.status).toBe('refused')
  expect(reading.status === 'refused' && reading.reason).not.toBe('')
})
