import type { Filter, Query } from '@weft/client'
import type { ConsoleType } from '../model/types.ts'
import { type Column, labelLink } from './columns.ts'
import type { Condition, ViewState } from './view-state.ts'

/** Maximum number of linked records of one cell that are read. */
const maxLinked = 20

/** Returns the query of a view, without a page number and size. */
export function buildQuery(
  type: string,
  columns: readonly Column[],
  view: ViewState,
  types: readonly ConsoleType[],
): Query {
  const conditions = view.conditions.flatMap((condition, i) => {
    const column = columns.find(({ key }) => key === condition.column)
    return column ? [conditionOf(column, condition, `c${i}`)] : []
  })
  const search = view.text === '' ? [] : [searchOf(view.text, columns)]
  const parts = [...conditions, ...search]
  const orderBy = orderOf(view, columns)
  return {
    type,
    selectors: ['self'],
    hops: [...linkHops(columns, types), ...parts.flatMap(({ hops }) => hops)],
    ...(orderBy.length > 0 && { orderBy }),
    ...(parts.length > 0 && {
      filters: parts.flatMap(({ filters }) => filters),
      logic: parts.map(({ logic }) => `(${logic})`).join(' AND '),
    }),
  }
}

type OrderKeys = NonNullable<Query['orderBy']>

function orderOf({ sort, group }: ViewState, columns: readonly Column[]): OrderKeys {
  const groupKey = group === '' || sort.some(({ column }) => column === group) ? [] : [group]
  const keys = [...groupKey.map((column) => ({ column, isDescending: false })), ...sort]
  return keys.flatMap(({ column, isDescending }) => {
    const found = columns.find(({ key }) => key === column)
    if (!found || column.includes('>')) return []
    return [
      {
        ...(column.startsWith('the_') ? { connection: column } : { field: `the_${column}` }),
        direction: isDescending ? ('DESC' as const) : ('ASC' as const),
      },
    ]
  })
}

/** Returns the hops that load the linked records of the columns. Each connection has one hop. */
function linkHops(columns: readonly Column[], types: readonly ConsoleType[]): readonly Query[] {
  const steps = columns.map(({ key, target }) => {
    const label = labelLink(types.find(({ name }) => name === target))
    const links = key.split('>').filter((step) => step.startsWith('the_'))
    return label === undefined ? links : [...links, label]
  })
  return hopsOf(steps.filter((list) => list.length > 0))
}

function hopsOf(paths: readonly (readonly string[])[]): readonly Query[] {
  const first = new Set(paths.map(([step = '']) => step))
  return [...first].map((connection) => ({
    connection,
    include: true,
    selectors: ['self'],
    ...(connection.includes('_s_') && { limit: true, pageSize: maxLinked }),
    hops: hopsOf(
      paths
        .filter(([step, ...rest]) => step === connection && rest.length > 0)
        .map(([, ...rest]) => rest),
    ),
  }))
}

/** A condition as parts of a query. */
interface QueryPart {
  readonly hops: readonly Query[]
  readonly filters: readonly Filter[]
  readonly logic: string
}

function conditionOf(column: Column, condition: Condition, name: string): QueryPart {
  const step = column.key.split('>').at(-1) ?? ''
  const isField = !step.startsWith('the_')
  const filter: Filter = {
    name,
    on: name,
    ...(isField && { type: `the_${step}` }),
    ...comparisonOf(condition),
  }
  const isNegative = condition.op === 'empty' || condition.op === 'isNot'
  return {
    hops: [hopTo(column, name)],
    filters: [filter],
    logic: isNegative ? `NOT ${name}` : name,
  }
}

function comparisonOf({ op, value }: Condition): Pick<Filter, 'op' | 'search'> {
  switch (op) {
    case 'empty':
    case 'notEmpty':
      return { op: 'exists' }
    case 'contains':
      return { op: 'like', search: `%${value}%` }
    case 'min':
      return { op: '>=', search: value }
    case 'max':
      return { op: '<=', search: value }
    default:
      return { op: '=', search: value }
  }
}

/** Returns the hop to the values of a column. A link is compared by the values of the linked record. */
function hopTo({ key, kind }: Column, name: string): Query {
  const steps = key.split('>')
  const isLink = kind === 'link' || kind === 'links'
  const last: Query = isLink
    ? { connection: 'self', direct: true, name }
    : valueHop(steps.at(-1) ?? '', name)
  const links = isLink ? steps : steps.slice(0, -1)
  return links.reduceRight((inner: Query, connection) => ({ connection, hops: [inner] }), last)
}

/** Returns the hop for the last step to a value: along a connection, or to a part of the record itself. */
const valueHop = (step: string, name: string): Query =>
  step.startsWith('the_') ? { connection: step, name } : { connection: 'self', direct: true, name }

/** Returns the condition that a value in the record, or directly in a linked record, contains a text. */
function searchOf(text: string, columns: readonly Column[]): QueryPart {
  const links = columns.filter(({ key, kind }) => kind === 'link' && !key.includes('>'))
  const hops: Query[] = [
    { connection: 'self', name: 's' },
    ...links.map(
      ({ key }, i): Query => ({
        connection: key,
        hops: [{ connection: 'self', direct: true, name: `s${i}` }],
      }),
    ),
  ]
  const names = ['s', ...links.map((_, i) => `s${i}`)]
  return {
    hops,
    filters: names.map((name) => ({ name, on: name, op: 'like', search: `%${text}%` })),
    logic: names.join(' OR '),
  }
}
