import { fieldLabel, namesOf } from '../../model/names.ts'
import { type NodePath, nodeAt, nodesOf } from './nodes.ts'
import { filterNamed } from './where.ts'
import type { WireFilter, WireOrder, WireQuery } from './wire.ts'

/** The operators of conditions, in the words of the builder. */
export const operators: readonly { readonly op: string; readonly words: string }[] = [
  { op: '=', words: 'is' },
  { op: '!=', words: 'is not' },
  { op: 'like', words: 'contains' },
  { op: '>', words: 'more than' },
  { op: '>=', words: 'at least' },
  { op: '<', words: 'less than' },
  { op: '<=', words: 'at most' },
  { op: 'exists', words: 'exists' },
]

/** The words for filter types that name a property of the record instead of a type. */
export const specialTypes: Readonly<Record<string, string>> = {
  id: 'Id',
  user_id: 'Owner',
  entry_timestamp: 'Created',
  type_concept: 'Type',
}

/** Returns an operator in words. An unknown operator stays unchanged. */
function operatorWords({ logicoperator, search }: WireFilter): string {
  const op = logicoperator?.toLowerCase() || '='
  const isTime = /^\d{4}-\d\d-\d\d/.test(String(search ?? ''))
  if (isTime && op === '>=') return 'since'
  if (isTime && op === '<=') return 'until'
  if (isTime && op === '>') return 'after'
  if (isTime && op === '<') return 'before'
  return operators.find((one) => one.op === op)?.words ?? op
}

/** Returns the name of a connection for a user: `the_order_s_line` is "Lines". */
export function connectionName(node: WireQuery): string {
  const connection = node.typeConnection ?? ''
  if (connection === 'self') return node.direct ? 'Field' : 'Any part'
  const owner = ownerOf(connection)
  if (node.reverse) return namesOf(owner || connection).many
  return connection === '' ? 'Nothing yet' : fieldLabel(connection, owner)
}

/** Returns the type with which the name of a connection starts: `the_order` for `the_order_customer` and `the_order_s_line`. */
export function ownerOf(connection: string): string {
  const list = connection.indexOf('_s_')
  if (list > 0) return connection.slice(0, list)
  const last = connection.lastIndexOf('_')
  return last > 'the'.length ? connection.slice(0, last) : ''
}

/** Returns the path to a node in words: "Lines › Product › Title"; empty for the root. */
export function pathName(query: WireQuery, path: NodePath): string {
  return path.map((_, i) => connectionName(nodeAt(query, path.slice(0, i + 1)))).join(' › ')
}

/** Returns the subject of a condition in words: "Product › Title", "Created". */
function subjectOf(query: WireQuery, filter: WireFilter): string {
  const place = nodesOf(query).find(
    ({ node }) => node.name !== undefined && node.name === filter.operateon,
  )
  const special = specialTypes[filter.type ?? '']
  const own = special ?? (filter.type ? fieldLabel(filter.type) : '')
  if (filter.operateon === undefined) return own || 'The record itself'
  if (!place) return `${filter.operateon} (missing)`
  const way = pathName(query, place.path)
  const isPart = place.node.typeConnection === 'self' && own !== ''
  if (isPart)
    return [...(place.path.length > 1 ? [pathName(query, place.path.slice(0, -1))] : []), own].join(
      ' › ',
    )
  return special ? `${way} › ${special}` : way
}

/** Returns a condition in words: "Quantity at least 10". */
export function conditionWords(query: WireQuery, filter: WireFilter): string {
  const isExists = filter.logicoperator?.toLowerCase() === 'exists'
  const operand = isExists ? '' : ` ${filter.search ?? ''}`
  return `${subjectOf(query, filter)} ${operatorWords(filter)}${operand}`
}

/** Returns a condition in words, given the name of its filter. */
export function wordsOfNamed(query: WireQuery, name: string): string {
  const filter = filterNamed(query, name)
  return filter ? conditionWords(query, filter) : `${name} (no such condition)`
}

/** Returns a sort key in words: "Name, descending". */
export function orderWords(key: WireOrder): string {
  const name = key.connection
    ? fieldLabel(key.connection, ownerOf(key.connection))
    : fieldLabel(key.field ?? '')
  const isDown = key.direction?.toUpperCase() === 'DESC'
  return isDown ? `${name}, descending` : name
}
