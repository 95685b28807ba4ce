import { csvLine } from '../../model/csv.ts'
import { fieldLabel, namesOf } from '../../model/names.ts'

/*
 * Rows of a live query in the format DATAID, as a table:
 *
 *   {id, data: {the_order: {the_order_customer: {id, data: {the_customer: {the_customer_name: {id, data: {the_name: "Ann"}}}}}}}}
 *   ──▶ a row with the cell "Ann" in the column Customer › Name
 */

/** A record or value of an answer. `data` has its content, under the name of its type, and the counts of paged and counted hops. */
export interface AnswerNode {
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
}

/** A column of a table of results. */
interface ResultColumn {
  /** A unique key: the connections that lead to the cells. */
  readonly key: string
  readonly label: string
  readonly isNumber: boolean
}

/** The texts at the end of a column for one row, and the records there that have no text. */
export interface ResultCell {
  readonly texts: readonly string[]
  readonly records: readonly { readonly id: number; readonly type: string }[]
}

/** A row: one root of the answer. */
export interface ResultRow {
  readonly id: number
  readonly type: string
  readonly name: string
  readonly cells: ReadonlyMap<string, ResultCell>
}

/** The roots of an answer as rows. */
export interface ResultTable {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly ResultRow[]
}

/** Returns the rows of an answer. Columns are in the order of their first value. */
export function tableOf(data: readonly unknown[]): ResultTable {
  const labels = new Map<string, string>()
  const rows = data.filter(isNode).map((node): ResultRow => {
    const cells = new Map<string, { texts: string[]; records: { id: number; type: string }[] }>()
    collect(node, [], [], (key, label, text, record) => {
      if (!labels.has(key)) labels.set(key, label)
      const cell = cells.get(key) ?? { texts: [], records: [] }
      cells.set(key, cell)
      if (text !== undefined) cell.texts.push(text)
      if (record) cell.records.push(record)
    })
    return { id: node.id, type: typeOf(node), name: nameOf(node), cells }
  })
  const columns = [...labels].map(([key, label]) => ({
    key,
    label,
    isNumber: isNumeric(rows, key),
  }))
  return { columns, rows }
}

type OnCell = (
  key: string,
  label: string,
  text: string | undefined,
  record?: { readonly id: number; readonly type: string },
) => void

/** Calls `onCell` for each text below a node, for each record without texts, and for each count. */
function collect(
  node: AnswerNode,
  keys: readonly string[],
  labels: readonly string[],
  onCell: OnCell,
) {
  const type = typeOf(node)
  const content = node.data[type]
  if (typeof content === 'string') {
    const isRoot = keys.length === 0
    onCell(isRoot ? type : keys.join('/'), isRoot ? namesOf(type).one : labels.join(' › '), content)
  } else if (isObject(content)) {
    const parts = Object.entries(content)
    if (parts.length === 0 && keys.length > 0)
      onCell(keys.join('/'), labels.join(' › '), undefined, { id: node.id, type })
    for (const [name, value] of parts)
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child))
          collect(child, [...keys, name], [...labels, partName(name, type, child)], onCell)
  }
  for (const [name, value] of Object.entries(node.data)) {
    if (name === type || typeof value !== 'number') continue
    const countedLabel = fieldLabel(name.replace(/_count$/, ''), type)
    onCell(
      [...keys, name].join('/'),
      [...labels, `Number of ${countedLabel.toLowerCase()}`].join(' › '),
      `${value}`,
    )
  }
}

/** Returns the name of a part in the words of a user. A reverse connection has the name of the records that it leads to. */
function partName(name: string, type: string, child: AnswerNode): string {
  return name.endsWith('_reverse') ? namesOf(typeOf(child)).many : fieldLabel(name, type)
}

/** Returns the name of the type of a node: the member of its data that is not a count. */
export function typeOf(node: AnswerNode): string {
  const names = Object.keys(node.data)
  return names.find((name) => typeof node.data[name] !== 'number') ?? names[0] ?? ''
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reports whether a value of an answer is a node. */
export const isNode = (value: unknown): value is AnswerNode => {
  const { id, data } = isObject(value) ? value : {}
  return typeof id === 'number' && isObject(data)
}

/** Returns the displayed name of a record: its first text, or the name of its type. */
export function nameOf(node: AnswerNode): string {
  const type = typeOf(node)
  const content = node.data[type]
  const parts = isObject(content) ? Object.values(content).flat() : []
  for (const part of parts) {
    const text = isNode(part) ? part.data[typeOf(part)] : undefined
    if (typeof text === 'string' && text !== '') return clip(text)
  }
  return namesOf(type).one
}

/** Reports whether all texts of a column are numbers. */
function isNumeric(rows: readonly ResultRow[], key: string): boolean {
  const texts = rows.flatMap(({ cells }) => cells.get(key)?.texts ?? [])
  return texts.length > 0 && texts.every(isNumberText)
}

/** Reports whether queries compare a string as a number: it must have the syntax of a JSON number. */
export const isNumberText = (text: string): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)

/** Returns a node without ids: the shape of `"outputFormat": 1`. */
export function plainData(value: unknown, isRoot = true): unknown {
  if (Array.isArray(value)) return value.map((item) => plainData(item, false))
  if (isNode(value)) {
    const members = Object.entries(value.data).map(([name, inner]) => [name, plainParts(inner)])
    return isRoot ? { ...Object.fromEntries(members), id: value.id } : Object.fromEntries(members)
  }
  return value
}

const plainParts = (content: unknown): unknown =>
  isObject(content)
    ? Object.fromEntries(
        Object.entries(content).map(([name, value]) => [name, plainData(value, false)]),
      )
    : content

/** Returns the content of a cell in one line: "Pen, Ink and 3 more". */
export function cellText(cell: ResultCell | undefined): string {
  const texts = cell?.texts ?? []
  const shown = texts.slice(0, maxShownTexts).map((text) => clip(text))
  const more = texts.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const maxShownTexts = 3
const maxCellLength = 200
const clip = (text: string): string =>
  text.length > maxCellLength ? `${text.slice(0, maxCellLength)}…` : text

/** Returns the rows as CSV with a header. Cells that a spreadsheet would run as a formula get an apostrophe in front. */
export function csvOf({ columns, rows }: ResultTable): string {
  const lines = rows.map((row) => [
    `${row.id}`,
    ...columns.map(({ key }) => (row.cells.get(key)?.texts ?? []).join('; ')),
  ])
  return [['id', ...columns.map(({ label }) => label)], ...lines].map(csvLine).join('')
}
