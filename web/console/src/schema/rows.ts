import type { FoundField, FoundLink, FoundType } from '../model/found.ts'
import type { DeclaredField } from '../model/types.ts'

/** Declared fields by name. */
export type Fields = Readonly<Record<string, DeclaredField>>

/** A field or link of a type: as found in the data, as declared, or both. */
export interface SchemaRow {
  /** The name in the schema, such as `customer`; for a row that cannot be declared, its raw name. */
  readonly name: string
  readonly field: FoundField | undefined
  readonly link: FoundLink | undefined
  readonly declared: DeclaredField | undefined
  /** The reason why the field or link cannot be declared; undefined if it can. */
  readonly obstacle: string | undefined
}

const namePattern = /^[a-z][A-Za-z0-9]*$/

/** Reports whether a string can be the name of a type or field. */
export const isName = (name: string): boolean => namePattern.test(name) && name.length <= 64

/** Returns the fields and links of a type: declared ones in the order of the schema, then those that are only found. */
export function rowsOf(
  typeName: string,
  found: FoundType | undefined,
  declared: Fields,
): readonly SchemaRow[] {
  const type = typeName.replace(/^the_/, '')
  const fields = new Map((found?.fields ?? []).map((field) => [field.name, field]))
  const links = new Map(
    (found?.links ?? [])
      .filter(({ reverse }) => !reverse)
      .map((link) => [fieldOfLink(type, link), link]),
  )
  const rows = Object.entries(declared).map(([name, field]): SchemaRow => {
    const row = {
      name,
      field: fields.get(name),
      link: links.get(name),
      declared: field,
      obstacle: undefined,
    }
    fields.delete(name)
    links.delete(name)
    return row
  })
  for (const [name, field] of fields)
    rows.push({ name, field, link: undefined, declared: undefined, obstacle: obstacleOf(name) })
  for (const [name, link] of links)
    rows.push({
      name,
      field: undefined,
      link,
      declared: undefined,
      obstacle: obstacleOfLink(name, link),
    })
  return rows
}

/** Returns the name that a link has as a field: `customer` for `the_order_customer`, `line` for `the_order_s_line`. */
function fieldOfLink(type: string, { connection }: FoundLink): string {
  const many = `the_${type}_s_`
  const one = `the_${type}_`
  if (connection.startsWith(many)) return connection.slice(many.length)
  return connection.startsWith(one) ? connection.slice(one.length) : connection
}

function obstacleOf(name: string): string | undefined {
  return isName(name)
    ? undefined
    : 'A declared name begins with a lower-case letter and has only letters and digits.'
}

function obstacleOfLink(name: string, { kind, connection }: FoundLink): string | undefined {
  if (kind !== '')
    return 'This links to values that several records share. A schema can declare only fields, and links to records.'
  return connection.includes(name) && name !== connection
    ? obstacleOf(name)
    : 'The name of the link begins with another type, so this type cannot declare it.'
}

/** Returns a declaration that fits the values found in the data. */
export function declarationOf({ field, link }: SchemaRow): DeclaredField {
  if (link) {
    const kind = link.connection.includes('_s_') || link.most > 1 ? 'many' : 'one'
    return { kind, targets: link.types.map((type) => type.replace(/^the_/, '')).filter(isName) }
  }
  if (!field) return { kind: 'text' }
  return nestedDeclaration(field)
}

function nestedDeclaration({ kind, fields }: FoundField): DeclaredField {
  const inner = Object.fromEntries(
    fields
      .filter(({ name }) => isName(name))
      .map((field) => [field.name, nestedDeclaration(field)]),
  )
  if (kind === 'record') return { kind, fields: inner }
  if (kind === 'list')
    return { kind, of: fields.length > 0 ? { kind: 'record', fields: inner } : { kind: 'text' } }
  return { kind }
}

/** Rules that a field of each kind may have, in the order in which they are shown. */
const rules: Readonly<Record<string, readonly string[]>> = {
  text: ['required', 'unique', 'default', 'min', 'max', 'pattern', 'format', 'restricted'],
  longText: ['required', 'default', 'min', 'max', 'pattern', 'format', 'restricted'],
  integer: ['required', 'unique', 'default', 'min', 'max', 'restricted'],
  number: ['required', 'unique', 'default', 'min', 'max', 'restricted'],
  boolean: ['required', 'default', 'restricted'],
  date: ['required', 'unique', 'default', 'min', 'max', 'restricted'],
  dateTime: ['required', 'unique', 'default', 'min', 'max', 'restricted'],
  json: ['required', 'restricted'],
  file: ['required', 'max', 'restricted'],
  choice: ['choices', 'required', 'unique', 'default', 'restricted'],
  list: ['required', 'min', 'max', 'restricted'],
  record: ['required', 'restricted'],
  one: ['targets', 'required'],
  many: ['targets'],
}

/** The kinds of fields and links. */
export const kinds: readonly string[] = Object.keys(rules)

/** Returns the names of the rules of a kind. */
export const rulesOf = (kind: string): readonly string[] => rules[kind] ?? []

/** Rules that are on or off. */
export const flags: readonly string[] = ['required', 'unique', 'restricted']

/** Returns a declaration with another kind. Rules that the new kind does not have are left out. */
export function withKind(field: DeclaredField, kind: string): DeclaredField {
  const kept = Object.entries(field).filter(([rule]) => rulesOf(kind).includes(rule))
  const needed: Record<string, unknown> = {
    ...(kind === 'choice' && { choices: ['first', 'second'] }),
    ...(kind === 'list' && { of: { kind: 'text' } }),
    ...(kind === 'record' && { fields: {} }),
  }
  return { ...needed, ...Object.fromEntries(kept), kind }
}

/** Returns a declaration with another value of a rule. `text` is the value as a form shows it; empty text removes the rule. */
export function withRule(
  field: DeclaredField,
  rule: string,
  text: string | boolean,
): DeclaredField {
  const value =
    typeof text === 'boolean' ? text || undefined : ruleValue(field.kind, rule, text.trim())
  return Object.fromEntries(
    Object.entries({ ...field, [rule]: value }).filter(([, one]) => one !== undefined),
  ) as unknown as DeclaredField
}

function ruleValue(kind: string, rule: string, text: string): unknown {
  if (text === '') return undefined
  if (rule === 'choices' || rule === 'targets')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean)
  const isNumeric =
    ['integer', 'number'].includes(kind) ||
    (['min', 'max'].includes(rule) && !['date', 'dateTime'].includes(kind))
  if (isNumeric && Number.isFinite(Number(text))) return Number(text)
  if (kind === 'boolean' && rule === 'default') return text === 'true'
  return text
}

/** Returns the value of a rule as a form shows it. */
export function ruleText(field: DeclaredField, rule: string): string {
  const value = field[rule]
  if (value === undefined) return ''
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** Returns a declaration in words: "text, required, unique". */
export function declarationWords(field: DeclaredField): string {
  const parts = rulesOf(field.kind).flatMap((rule) => {
    if (field[rule] === undefined || field[rule] === false) return []
    if (flags.includes(rule)) return rule
    return rule === 'targets' ? `to ${ruleText(field, rule)}` : `${rule} ${ruleText(field, rule)}`
  })
  return [
    field.kind,
    ...(field.inverse === undefined ? [] : [`inverse of ${field.inverse}`]),
    ...parts,
  ].join(', ')
}
