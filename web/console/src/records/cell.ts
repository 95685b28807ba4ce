import type { FieldInput } from '@weft/client'
import { type Column, isLabel, labelRank } from './columns.ts'

/** A linked record in a cell. */
export interface LinkedRecord {
  readonly id: number
  readonly type: string
  readonly label: string
}

/** The content of a cell. */
export interface Cell {
  /** The text for display, copying and sorting; empty without a value. */
  readonly text: string
  /** The linked records, for columns of links. */
  readonly links: readonly LinkedRecord[]
}

/** A row of a grid. */
export interface Row {
  readonly id: number
  /** The data of the record, in the format DATAID of queries. */
  readonly data: Stored
  readonly created: string
}

/** A value or record in the format DATAID: `{ id, data: { the_name: 'Ann' } }`. */
interface StoredNode {
  readonly id?: number
  readonly data?: Readonly<Record<string, unknown>>
  readonly created_on?: string
}
type Stored = Readonly<Record<string, unknown>>

/** Reads a row of an answer in the format DATAID. */
export function readRow(answer: unknown): Row {
  const { id = 0, data = {}, created_on = '' } = answer as StoredNode
  const inner = Object.values(data)[0]
  return { id, data: isObject(inner) ? inner : {}, created: created_on }
}

const empty: Cell = { text: '', links: [] }

/** Returns the content of a row's cell in a column. */
export function cellOf(row: Row, column: Column): Cell {
  return cellAt(row.data, column.key.split('>'))
}

function cellAt(data: Stored, [step = '', ...rest]: readonly string[]): Cell {
  const found = data[step]
  if (found === undefined || found === null) return empty
  const nodes = (Array.isArray(found) ? found : [found]) as readonly StoredNode[]
  if (rest.length > 0) return join(nodes.map((node) => cellAt(innerOf(node), rest)))
  if (step.startsWith('the_')) return linkCell(nodes)
  return { text: nodes.map(textOf).join(', '), links: [] }
}

/** Returns the cells of several records as one cell. */
const join = (cells: readonly Cell[]): Cell => ({
  text: cells
    .map(({ text }) => text)
    .filter(Boolean)
    .join(', '),
  links: cells.flatMap(({ links }) => links),
})

function linkCell(nodes: readonly StoredNode[]): Cell {
  const links = nodes.map((node): LinkedRecord => {
    const type = Object.keys(node.data ?? {})[0] ?? ''
    return { id: node.id ?? 0, type, label: textOf(node) }
  })
  return { text: links.map(({ label }) => label).join(', '), links }
}

function innerOf({ data = {} }: StoredNode): Stored {
  const inner = Object.values(data)[0]
  return isObject(inner) ? inner : {}
}

/** Returns the text of a value, or the label of a record: the value of the field that identifies it best. */
export function textOf(node: unknown): string {
  if (typeof node !== 'object' || node === null) return String(node ?? '')
  const { data, id } = node as StoredNode
  if (data === undefined) return partsText(node as Stored)
  const inner = Object.values(data)[0]
  if (!isObject(inner)) return String(inner ?? '')
  return labelOf(inner) || `#${id ?? ''}`
}

/**
 * Returns the label of a record: the value of the field that identifies it best. A record without such a field, such as a line of an
 * order, is named by its first link and its quantity: "Pen × 12".
 */
export function labelOf(fields: Stored): string {
  const names = Object.keys(fields)
    .filter((name) => !Array.isArray(fields[name]))
    .toSorted((a, b) => labelRank(a) - labelRank(b))
  const link = names.find((name) => name.startsWith('the_'))
  if (link !== undefined && !isLabel(names[0] ?? '')) {
    const quantity = fields['quantity']
    return `${textOf(fields[link])}${quantity === undefined ? '' : ` × ${textOf(quantity)}`}`
  }
  for (const name of names) {
    const text = textOf(fields[name])
    if (text !== '') return text
  }
  return ''
}

/** Returns nested parts as one line. */
const partsText = (parts: Stored): string =>
  Object.values(parts)
    .map((part) => (Array.isArray(part) ? part.map(textOf).join(', ') : textOf(part)))
    .filter(Boolean)
    .join(', ')

const isObject = (value: unknown): value is Stored =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The error for a string that is not a valid value of its column. The message is a sentence for the user. */
export class Misfit extends Error {}

/** Returns the value to store for a string; undefined for an empty one. Throws `Misfit` if the string is not valid in the column. */
export function inputOf(column: Column, text: string): FieldInput | undefined {
  const value = column.kind === 'longText' ? text : text.trim()
  if (value === '') {
    if (column.isRequired) throw new Misfit(`${column.label} is required.`)
    return undefined
  }
  const problem = problemOf(column, value)
  if (problem !== undefined) throw new Misfit(problem)
  return normalize(column, value)
}

function problemOf({ kind, label, choices }: Column, text: string): string | undefined {
  if (kind === 'number' && !isNumber(text))
    return `${label} must be a number; “${text}” is not one.`
  if (kind === 'choice' && choices.length > 0 && !choices.includes(text))
    return `${label} must be ${listOf(choices)}; “${text}” is not one of them.`
  if (kind === 'date' && !/^\d{4}-\d{2}-\d{2}$/.test(text))
    return `${label} must be a date such as 2026-02-28; “${text}” is not one.`
  if (kind === 'boolean' && !/^(true|false|yes|no)$/i.test(text))
    return `${label} must be yes or no; “${text}” is neither.`
  return undefined
}

const isNumber = (text: string): boolean => Number.isFinite(Number(text.replaceAll(',', '')))

function normalize({ kind }: Column, text: string): string {
  if (kind === 'number') return text.replaceAll(',', '')
  if (kind === 'boolean') return /^(true|yes)$/i.test(text) ? 'true' : 'false'
  return text
}

/** Returns choices as a list for a sentence: "open, sent or paid". */
function listOf(choices: readonly string[]): string {
  const last = choices.at(-1) ?? ''
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`
}
