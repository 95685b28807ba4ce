import { describe, expect, test } from 'vitest'
import { buildQuery } from '../src/records/build-query.ts'
import { cellOf, inputOf, readRow } from '../src/records/cell.ts'
import { readTable, writeTable } from '../src/records/clipboard.ts'
import type { Column } from '../src/records/columns.ts'
import { planImport, proposeMapping } from '../src/records/import-rows.ts'
import { readTableFile } from '../src/records/read-file.ts'
import { moveSelection, rangeOf, single } from '../src/records/selection.ts'
import { readView, writeView } from '../src/records/view-state.ts'

const column = (key: string, change: Partial<Column> = {}): Column => ({
  key,
  label: key,
  kind: 'text',
  target: undefined,
  choices: [],
  isRequired: false,
  readOnly: undefined,
  ...change,
})

describe('tables on the clipboard', () => {
  test.each([
    [
      [
        ['a', 'b'],
        ['c', ''],
      ],
    ],
    [
      [
        ['with\ttab', 'with\nline'],
        ['a "quote"', '"'],
      ],
    ],
    [[['']]],
    [[['=1+1', '  spaces  ']]],
  ])('a written table is read as the same cells: %j', (table) => {
    expect(readTable(writeTable(table))).toEqual(table[0]?.[0] === '' ? [] : table)
  })

  test.each([
    [
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a\t\n\tb',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['5" nail\tb', [['5" nail', 'b']]],
    ['"open\tb', [['open\tb']]],
    ['"a"b\tc', [['ab', 'c']]],
  ])('reads %j', (text, cells) => {
    expect(readTable(text)).toEqual(cells)
  })
})

describe('the state of a grid in an address', () => {
  test('is read back as it was written', () => {
    const text =
      '?filter=status%3Ais%3Aopen&filter=note%3Acontains%3Aa%3Ab&sort=-total%2Cdate&cols=number%2Cthe_order_customer%3Ecity&group=status&q=pen'
    expect(writeView(readView(new URLSearchParams(text)))).toBe(text)
  })

  test('leaves out filters that cannot be read', () => {
    const view = readView(new URLSearchParams('filter=status&filter=:is:x&filter=a:drop:b&sort=,'))
    expect(view).toEqual({ conditions: [], sort: [], columns: [], group: '', text: '' })
  })
})

test('a filter on a field behind a link follows the link', () => {
  const columns = [column('the_order_customer>city'), column('total', { kind: 'number' })]
  const view = readView(new URLSearchParams('filter=the_order_customer>city:is:Graz&sort=-total'))
  expect(buildQuery('the_order', columns, view, [])).toEqual({
    type: 'the_order',
    selectors: ['self'],
    hops: [
      { connection: 'the_order_customer', include: true, selectors: ['self'], hops: [] },
      {
        connection: 'the_order_customer',
        hops: [{ connection: 'self', direct: true, name: 'c0' }],
      },
    ],
    orderBy: [{ field: 'the_total', direction: 'DESC' }],
    filters: [{ name: 'c0', on: 'c0', type: 'the_city', op: '=', search: 'Graz' }],
    logic: '(c0)',
  })
})

test('a record without a name is named by its first link and its quantity', () => {
  const name = { id: 3, data: { the_name: 'Pen' } }
  const line = { quantity: { id: 2, data: { the_quantity: '12' } } }
  const product = { the_line_product: { id: 1, data: { the_product: { name } } } }
  const lines = [{ id: 4, data: { the_line: { ...line, ...product } } }]
  const row = readRow({ id: 5, data: { the_order: { the_order_s_lines: lines } } })
  expect(cellOf(row, column('the_order_s_lines')).links).toEqual([
    { id: 4, type: 'the_line', label: 'Pen × 12' },
  ])
  expect(cellOf(row, column('the_order_s_lines>the_line_product>name')).text).toBe('Pen')
})

describe('texts for a column', () => {
  test.each([
    [{ kind: 'number' }, '1,299.50', '1299.50'],
    [{ kind: 'boolean' }, 'Yes', 'true'],
    [{ kind: 'text' }, '  Ann ', 'Ann'],
    [{ kind: 'longText' }, ' two\nlines ', ' two\nlines '],
    [{ kind: 'text' }, '  ', undefined],
  ] as const)('%j stores %j as %j', (change, text, stored) => {
    expect(inputOf(column('field', change), text)).toBe(stored)
  })

  test.each([
    [{ kind: 'number' }, 'many', 'field must be a number; “many” is not one.'],
    [
      { kind: 'date' },
      '1.2.2026',
      'field must be a date such as 2026-02-28; “1.2.2026” is not one.',
    ],
    [
      { kind: 'choice', choices: ['open', 'sent', 'paid'] },
      'lost',
      'field must be open, sent or paid; “lost” is not one of them.',
    ],
    [{ isRequired: true }, ' ', 'field is required.'],
  ] as const)('%j refuses %j', (change, text, sentence) => {
    expect(() => inputOf(column('field', change), text)).toThrow(sentence)
  })
})

describe('a file to import', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)

  test('lists rows with a wrong number of cells and rows with invalid values', () => {
    const csv = 'Name;Price;Of\n"Pen; blue";1.5;x\nInk;dear;y\nshort\n\nDesk;99;z;more\n'
    const table = readTableFile(bytes(csv), 'a.csv')
    expect(table.header).toEqual(['Name', 'Price', 'Of'])
    expect(table.ragged).toEqual([
      { number: 4, cells: 1 },
      { number: 6, cells: 4 },
    ])
    const columns = [
      column('name', { label: 'Name' }),
      column('price', { label: 'Price', kind: 'number' }),
    ]
    const mapping = proposeMapping(table.header, columns)
    expect(mapping.map((one) => one?.key)).toEqual(['name', 'price', undefined])
    const plan = planImport(table, mapping)
    expect(plan.records.map(({ fields }) => fields)).toEqual([{ name: 'Pen; blue', price: '1.5' }])
    expect(plan.bad).toEqual([{ number: 3, reason: 'Price must be a number; “dear” is not one.' }])
  })

  test('reads a file that is not UTF-8, and adds a note about it', () => {
    const latin = Uint8Array.from([...'Name\nM\xfchle'].map((c) => c.charCodeAt(0)))
    const { rows, notes } = readTableFile(latin, 'a.csv')
    expect(rows).toEqual([['Mühle']])
    expect(notes[0]).toMatch(
      /^The file is not UTF-8\. Read as Windows-1252, it begins: “Name Mühle”/,
    )
  })

  test('reads JSON, even with a record on each line, and refuses malformed JSON', () => {
    const list = readTableFile(bytes('[{"name":"Pen"},{"price":2,"name":null},7]'), 'a.json')
    expect(list.rows).toEqual([
      ['Pen', ''],
      ['', '2'],
    ])
    expect(list.notes).toEqual(['1 entry is not a record and is left out.'])
    const numbers = bytes(`[{"a":1},${[...Array(1200).keys()]}]`)
    expect(readTableFile(numbers, 'a.json').notes).toEqual([
      '1,200 entries are not records and are left out.',
    ])
    expect(readTableFile(bytes('{"a":1}\n{"a":2}\n'), 'a.jsonl').rows).toEqual([['1'], ['2']])
    expect(() => readTableFile(bytes('{"a":'), 'a.json')).toThrow(/^The file is not valid JSON/)
    expect(() => readTableFile(bytes(''), 'a.csv')).toThrow('a.csv is empty.')
  })
})

test('a selection moves, grows and stays inside the grid', () => {
  const size = { rows: 3, columns: 2 }
  const grown = moveSelection(single(0, 0), { rows: 1, columns: 0, extends: true }, size)
  expect(rangeOf(grown)).toEqual({ top: 0, bottom: 1, left: 0, right: 0 })
  expect(moveSelection(grown, { rows: 9, columns: 9 }, size)).toEqual(single(2, 1))
  expect(moveSelection(grown, { rows: -1, columns: 0, toEdge: true }, size)).toEqual(single(0, 0))
})
