import { fieldLabel } from '../model/names.ts'
import type { ConsoleType, DeclaredField } from '../model/types.ts'

/** Determines how the cells of a column look and are edited. */
export type CellKind =
  | 'text'
  | 'longText'
  | 'number'
  | 'boolean'
  | 'date'
  | 'dateTime'
  | 'choice'
  | 'link'
  | 'links'
  | 'parts'

/** A column of a grid. */
export interface Column {
  /**
   * The steps to the value, joined by `>`: `status`, `the_order_customer`, `the_order_customer>city`. All steps but the last are
   * connections to other records; a step that starts with `the_` is a connection.
   */
  readonly key: string
  readonly label: string
  readonly kind: CellKind
  /** The type of the linked records, for `link` and `links`. */
  readonly target: string | undefined
  readonly choices: readonly string[]
  readonly isRequired: boolean
  /** The reason why the cells cannot be edited in place; undefined if they can. */
  readonly readOnly: string | undefined
}

/** The fields and links of a type, as returned by `GET /api/v1/schema/found`. */
export interface FoundType {
  readonly fields: readonly FoundField[]
  readonly links: readonly FoundLink[]
}

interface FoundField {
  readonly name: string
  readonly kind: string
}

interface FoundLink {
  readonly connection: string
  readonly reverse: boolean
  readonly types: readonly string[]
  readonly most: number
  /** Kind of the values at the other end; empty if the other ends are records. */
  readonly kind: string
}

/** Returns the columns of a type: declared fields first, then those that are only found in the data. */
export function columnsOf(type: ConsoleType, found: FoundType): readonly Column[] {
  const declared = Object.entries(type.declared?.fields ?? {}).flatMap(([name, field]) =>
    field.inverse === undefined ? [declaredColumn(type.name, name, field)] : [],
  )
  const known = new Set(declared.map(({ key }) => key))
  const fields = found.fields
    .filter(({ name }) => !known.has(name))
    .map((field) => fieldColumn(field))
  const links = found.links
    .filter(({ connection, reverse }) => !reverse && !known.has(connection))
    .map((link) => linkColumn(type.name, link))
  return orderColumns([...declared, ...fields, ...links])
}

/** Moves the column that identifies a record to the front. */
function orderColumns(columns: readonly Column[]): readonly Column[] {
  const title = titleColumn(columns)
  return title ? [title, ...columns.filter((column) => column !== title)] : columns
}

/** The fields that identify a record to users, best first. The server chooses labels in the same order. */
const labelNames = [
  ...['name', 'title', 'label', 'full_name', 'display_name', 'subject', 'number', 'code'],
  ...['slug', 'email', 'date', 'text'],
]

/** Returns the column whose values identify the records; undefined without columns. */
export function titleColumn(columns: readonly Column[]): Column | undefined {
  const plain = columns.filter(({ kind }) => kind !== 'links' && kind !== 'parts')
  const best = plain.toSorted((a, b) => labelRank(a.key) - labelRank(b.key))[0]
  return best && isLabel(best.key) ? best : plain[0]
}

/** Returns the rank of a field as the label of a record; smaller is better. */
export function labelRank(name: string): number {
  const rank = labelNames.findIndex((known) => name === known || name.endsWith(`_${known}`))
  return rank < 0 ? labelNames.length : rank
}

/** Reports whether a field can be the label of a record. */
export const isLabel = (name: string): boolean => labelRank(name) < labelNames.length

/**
 * Returns the connection whose target labels the records of this type: the first declared link. Returns undefined if the type
 * has a field that can be a label.
 */
export function labelLink(type: ConsoleType | undefined): string | undefined {
  const fields = Object.entries(type?.declared?.fields ?? {})
  if (!type || fields.some(([name, { kind }]) => isLabel(name) && kind !== 'one')) return undefined
  const link = fields.find(([, { kind, inverse }]) => kind === 'one' && inverse === undefined)
  return link && `${type.name}_${link[0]}`
}

function declaredColumn(type: string, name: string, field: DeclaredField): Column {
  const isLink = field.kind === 'one' || field.kind === 'many'
  const targets = field.targets ?? []
  return {
    key: isLink ? `${type}_${field.kind === 'many' ? 's_' : ''}${name}` : name,
    label: fieldLabel(name),
    kind: kindOf(field.kind),
    target: isLink && targets.length === 1 ? `the_${targets[0]}` : undefined,
    choices: field.choices ?? [],
    isRequired: field.required ?? false,
    readOnly: readOnlyReason(field.kind),
  }
}

function fieldColumn({ name, kind }: FoundField): Column {
  return {
    key: name,
    label: fieldLabel(name),
    kind: kindOf(kind),
    target: undefined,
    choices: [],
    isRequired: false,
    readOnly: readOnlyReason(kind),
  }
}

function linkColumn(type: string, { connection, types, most, kind }: FoundLink): Column {
  const isMany = most > 1 || connection.includes('_s_')
  const isValue = kind !== ''
  return {
    key: connection,
    label: fieldLabel(connection, type),
    kind: isValue && !isMany ? kindOf(kind) : isMany ? 'links' : 'link',
    target: isValue ? undefined : types[0],
    choices: [],
    isRequired: false,
    readOnly: isValue
      ? 'Several records may share this value. Change it in its own record.'
      : undefined,
  }
}

/** Returns the kind of cells for a kind of the schema. */
function kindOf(kind: string): CellKind {
  switch (kind) {
    case 'integer':
    case 'number':
      return 'number'
    case 'one':
      return 'link'
    case 'many':
      return 'links'
    case 'list':
    case 'record':
    case 'json':
      return 'parts'
    case 'longText':
    case 'boolean':
    case 'date':
    case 'dateTime':
    case 'choice':
      return kind
    default:
      return 'text'
  }
}

function readOnlyReason(kind: string): string | undefined {
  return kindOf(kind) === 'parts'
    ? 'This field has several parts. Open the record to see them.'
    : undefined
}

/** Returns a column of linked records, such as Customer › City, for a link and a column of the linked type. */
export function throughColumn(link: Column, column: Column): Column {
  return {
    ...column,
    key: `${link.key}>${column.key}`,
    label: `${link.label} › ${column.label}`,
    isRequired: false,
    readOnly: `This is a field of ${link.label.toLowerCase()}. Open that record to change it.`,
  }
}
