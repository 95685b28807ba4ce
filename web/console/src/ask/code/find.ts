import { logicOf } from '../question/where.ts'
import type { WireFilter, WireQuery } from '../question/wire.ts'

/** Types of the schema by name, with the members that this module reads. */
export type DeclaredTypes = Readonly<
  Record<string, { readonly fields: Readonly<Record<string, DeclaredField>> }>
>

interface DeclaredField {
  readonly kind: string
  readonly targets?: readonly string[]
  readonly inverse?: string
}

/** A call of `find`. */
export interface FindCall {
  readonly type: string
  readonly options: Readonly<Record<string, unknown>>
}

/** Members of the root that `find` can express, and members that do not change the rows. */
const rootMembers = [
  'type',
  'selectors',
  'inpage',
  'orderBy',
  'filters',
  'filterLogic',
  'freeschemaQueries',
  'outputFormat',
  'explain',
  'warnings',
]

/**
 * Returns the call of `find` that returns the same rows as a query; undefined if there is none. `find` can express the declared
 * fields and links of a type, conditions that must all hold, and an order by fields.
 */
export function findOptions(query: WireQuery, declared: DeclaredTypes): FindCall | undefined {
  const type = query.type?.replace(/^the_/, '') ?? ''
  const fields = declared[type]?.fields
  if (!fields || `the_${type}` !== query.type) return undefined
  if (Object.keys(query).some((member) => !rootMembers.includes(member))) return undefined
  const conditions = conditionsOf(query)
  const order = orderOf(query, fields)
  if (!conditions || !order) return undefined
  const reader = new FindReader(declared, conditions)
  const node = reader.read(query, type)
  if (!node || reader.isIncomplete()) return undefined
  const options = {
    where: node.where,
    with: node.with,
    orderBy: order,
    limit: query.inpage ?? 10,
  }
  return { type, options: withoutEmpty(options) }
}

/** Returns the filters of each node, by its name; undefined unless the logic combines all filters with AND. */
function conditionsOf(query: WireQuery): ReadonlyMap<string, readonly WireFilter[]> | undefined {
  const logic = logicOf(query)
  if (logic.status === 'broken') return undefined
  const { tree } = logic
  const all = tree?.op === 'and' ? tree.of : tree ? [tree] : []
  const byNode = new Map<string, WireFilter[]>()
  for (const leaf of all) {
    const filter = leaf.op === 'leaf' && query.filters?.find(({ name }) => name === leaf.filter)
    if (!filter || filter.operateon === undefined) return undefined
    byNode.set(filter.operateon, [...(byNode.get(filter.operateon) ?? []), filter])
  }
  return byNode
}

function orderOf(
  query: WireQuery,
  fields: Readonly<Record<string, DeclaredField>>,
): Readonly<Record<string, string>> | undefined {
  const order: Record<string, string> = {}
  for (const { field = '', connection, direction = 'ASC' } of query.orderBy ?? []) {
    const name = field.replace(/^the_/, '')
    if (connection !== undefined || !fields[name]) return undefined
    order[name] = direction.toLowerCase()
  }
  return order
}

interface FoundNode {
  readonly where: Record<string, unknown>
  readonly with: Record<string, unknown>
}

/** Reads the hops of a query as options of `find`. */
class FindReader {
  readonly #declared: DeclaredTypes
  readonly #conditions: ReadonlyMap<string, readonly WireFilter[]>
  /** Names of the nodes whose conditions were read. */
  readonly #used = new Set<string>()

  constructor(declared: DeclaredTypes, conditions: ReadonlyMap<string, readonly WireFilter[]>) {
    this.#declared = declared
    this.#conditions = conditions
  }

  /** Reports whether a condition of the query is missing from the options that were read. */
  isIncomplete(): boolean {
    return [...this.#conditions.keys()].some((name) => !this.#used.has(name))
  }

  /** Returns the options for a node; undefined if `find` cannot express the node. */
  read(node: WireQuery, type: string): FoundNode | undefined {
    const found: FoundNode = { where: {}, with: {} }
    if (node.selectors?.some((selector) => selector !== 'self')) return undefined
    for (const hop of node.freeschemaQueries ?? []) {
      const isRead =
        hop.typeConnection === 'self'
          ? this.#readSelf(hop, type, found)
          : this.#readLink(hop, type, found)
      if (!isRead) return undefined
    }
    return found
  }

  /** Reads conditions on the fields of a record. */
  #readSelf(hop: WireQuery, type: string, found: FoundNode): boolean {
    const { typeConnection, direct, name, ...rest } = hop
    if (direct !== true || name === undefined || Object.keys(rest).length > 0) return false
    this.#used.add(name)
    return (this.#conditions.get(name) ?? []).every((filter) => {
      const field = filter.type?.replace(/^the_/, '') ?? ''
      const declared = this.#declared[type]?.fields[field]
      const condition = declared && conditionOf(filter, declared.kind)
      if (!condition || field in found.where) return false
      found.where[field] = condition
      return true
    })
  }

  /** Reads a link as a member of `with`. */
  #readLink(hop: WireQuery, type: string, found: FoundNode): boolean {
    const { typeConnection, selectors = [], includeInFilter, freeschemaQueries = [], ...rest } = hop
    const isPlain = Object.keys(rest).length === 0 && freeschemaQueries.length === 0
    const hasFields = selectors.every((selector) => selector === 'self')
    const name = this.#linkName(type, typeConnection ?? '')
    if (name === undefined || !isPlain || !hasFields) return false
    if (this.#conditions.size > 0 && !includeInFilter) return false
    found.with[name] = true
    return true
  }

  #linkName(type: string, connection: string): string | undefined {
    const fields = Object.entries(this.#declared[type]?.fields ?? {})
    return fields.find(
      ([name, { kind, inverse }]) =>
        inverse === undefined &&
        connection ===
          (kind === 'one' ? `the_${type}_${name}` : kind === 'many' ? `the_${type}_s_${name}` : ''),
    )?.[0]
  }
}

const comparisons: Readonly<Record<string, string>> = {
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
}

/** Returns a filter as a condition of `find`; undefined if `find` has no such condition. */
function conditionOf(filter: WireFilter, kind: string): unknown {
  const op = filter.logicoperator?.toLowerCase() ?? '='
  const value = operandOf(filter.search, kind)
  if (op === 'exists') return { exists: true }
  if (value === undefined) return undefined
  if (op === '=') return { eq: value }
  if (op === 'like') return typeof value === 'string' ? { like: value } : undefined
  const comparison = comparisons[op]
  return comparison ? { [comparison]: value } : undefined
}

function operandOf(search: unknown, kind: string): string | number | boolean | undefined {
  if (search === undefined) return undefined
  const text = String(search)
  if (kind === 'integer' || kind === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  return ['text', 'longText', 'date', 'dateTime', 'choice'].includes(kind) ? text : undefined
}

const withoutEmpty = (
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(options).filter(
      ([, value]) => typeof value !== 'object' || value === null || Object.keys(value).length > 0,
    ),
  )
