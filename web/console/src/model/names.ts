/** The display names of a type. */
export interface TypeNames {
  /** "Order line" */
  readonly one: string
  /** "Order lines" */
  readonly many: string
}

/** Returns the display names of a type. The names of `the_order_line` are "Order line" and "Order lines". */
export function namesOf(type: string): TypeNames {
  const one = capitalize(words(type))
  return { one, many: pluralOf(one) }
}

/**
 * Returns the label of a field or link, without the prefix of its type: "Date" for `the_order_date` of `the_order`, "Lines" for
 * `the_order_s_line`, "Delivery address" for `deliveryAddress`.
 */
export function fieldLabel(field: string, type = ''): string {
  const suffix = type !== '' && field.startsWith(`${type}_`) ? field.slice(type.length + 1) : field
  const isList = suffix.startsWith('s_')
  const label = capitalize(words(isList ? suffix.slice(2) : suffix))
  return isList ? pluralOf(label) : label
}

/** Splits a name at capitals and underscores: "order line" for `the_orderLine`. */
function words(name: string): string {
  return name
    .replace(/^the_/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase()
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Irregular plurals of words that are common in names of types. */
const irregularPlurals: ReadonlyMap<string, string> = new Map([
  ['child', 'children'],
  ['person', 'people'],
])

/**
 * Returns text with its last word in the English plural. `irregularPlurals` has all irregular plurals that it forms. A word that
 * ends in a single s, but not in "us" or "is", is assumed to be plural already.
 */
export function pluralOf(text: string): string {
  const [, start = '', last = ''] = /^(.*?)(\w*)$/.exec(text) ?? []
  const irregular = irregularPlurals.get(last.toLowerCase())
  if (irregular !== undefined) return `${start}${last.charAt(0)}${irregular.slice(1)}`
  if (/[^aeiou]y$/i.test(text)) return `${text.slice(0, -1)}ies`
  if (/[^sui]s$/i.test(text)) return text
  return /(?:s|x|z|ch|sh)$/i.test(text) ? `${text}es` : `${text}s`
}

/** Returns a number and the name of the counted records: "1 order", "18,392 orders". */
export function countText(n: number, names: TypeNames): string {
  return `${numberText(n)} ${(n === 1 ? names.one : names.many).toLowerCase()}`
}

/** Returns a number of changes: "1 change", "18,392 changes". */
export const changeCount = (n: number): string => countText(n, { one: 'change', many: 'changes' })

/** Formats a number for display, in English: "18,392". */
export const numberText = (n: number): string => n.toLocaleString('en')
