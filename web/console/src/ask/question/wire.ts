/*
 * A query in the form of the HTTP API. The state of the builder is this query. The builder changes only the members that it
 * shows, so members that it cannot show are never lost:
 *
 *   JSON ──readQuestion──▶ WireQuery ──edit.ts, where.ts──▶ WireQuery ──formatQuestion──▶ JSON
 *                              └──keptParts──▶ "kept as written"
 */

/** A node of a query: the root, or a hop. Members that the builder does not show stay unchanged. */
export interface WireQuery {
  readonly type?: string
  readonly conceptIds?: readonly number[]
  readonly typeConnection?: string
  readonly reverse?: boolean
  readonly direct?: boolean
  readonly isOldConnectionType?: boolean
  readonly selectors?: readonly string[]
  readonly freeschemaQueries?: readonly WireQuery[]
  readonly order?: string
  readonly orderBy?: readonly WireOrder[]
  readonly page?: number
  readonly inpage?: number
  readonly limit?: boolean
  readonly after?: string | number
  readonly countAll?: boolean
  readonly name?: string
  readonly filters?: readonly WireFilter[]
  readonly filterLogic?: string
  readonly filterAncestor?: string
  readonly includeInFilter?: boolean
  readonly depth?: number
  readonly aggregate?: string
  readonly outputFormat?: number
  readonly explain?: boolean
  readonly warnings?: boolean
  readonly [member: string]: unknown
}

export interface WireFilter {
  readonly name?: string
  readonly operateon?: string
  readonly type?: string
  readonly logicoperator?: string
  readonly search?: string | number | boolean
  readonly [member: string]: unknown
}

/** A sort key of the roots. */
export interface WireOrder {
  readonly field?: string
  readonly connection?: string
  readonly direction?: string
  readonly kind?: string
  readonly [member: string]: unknown
}

/** A part of a query that the builder does not show. */
export interface KeptPart {
  /** The path, such as `freeschemaQueries[0].colour`. */
  readonly path: string
  /** The JSON of the value. */
  readonly text: string
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isFlag: Check = (value) => typeof value === 'boolean'
const isScalar: Check = (value) => isText(value) || isNumber(value) || isFlag(value)
const isList =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of a node that the builder shows, with the checks that their values must pass. */
export const nodeMembers: Readonly<Record<string, Check>> = {
  type: isText,
  conceptIds: isList(isNumber),
  typeConnection: isText,
  reverse: isFlag,
  direct: isFlag,
  isOldConnectionType: isFlag,
  selectors: isList(isText),
  freeschemaQueries: isList(isObject),
  order: isText,
  orderBy: isList(isObject),
  page: isNumber,
  inpage: isNumber,
  limit: isFlag,
  after: (value) => isText(value) || isNumber(value),
  countAll: isFlag,
  name: isText,
  filters: isList(isObject),
  filterLogic: isText,
  filterAncestor: isText,
  includeInFilter: isFlag,
  depth: isNumber,
  aggregate: isText,
  outputFormat: isNumber,
  explain: isFlag,
  warnings: isFlag,
}

/** The members of a filter. */
export const filterMembers: Readonly<Record<string, Check>> = {
  name: isText,
  operateon: isText,
  type: isText,
  logicoperator: isText,
  search: isScalar,
}

/** The members of a sort key in `orderBy`. */
export const orderMembers: Readonly<Record<string, Check>> = {
  field: isText,
  connection: isText,
  direction: isText,
  kind: isText,
}

/**
 * Reads a query; undefined if the value is not an object. Names of members get the spelling of the API, which accepts names in
 * any case.
 */
export function readQuestion(json: unknown): WireQuery | undefined {
  return isObject(json) ? readNode(json) : undefined
}

/** Parses the JSON of a query; undefined unless it is an object. */
export function parseQuestion(text: string): WireQuery | undefined {
  try {
    return readQuestion(JSON.parse(text))
  } catch {
    return undefined
  }
}

function readNode(node: Record<string, unknown>): WireQuery {
  const read: Record<string, unknown> = spell(node, nodeMembers)
  const lists = [
    ['freeschemaQueries', readNode],
    ['filters', (one: Record<string, unknown>) => spell(one, filterMembers)],
    ['orderBy', (one: Record<string, unknown>) => spell(one, orderMembers)],
  ] as const
  for (const [member, readOne] of lists) {
    const value = read[member]
    if (Array.isArray(value))
      read[member] = value.map((one) => (isObject(one) ? readOne(one) : one))
  }
  return read
}

/** Returns an object whose known members have the spelling of the API. */
function spell(
  object: Record<string, unknown>,
  members: Readonly<Record<string, Check>>,
): Record<string, unknown> {
  const spelling = new Map(Object.keys(members).map((name) => [name.toLowerCase(), name]))
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      spelling.get(name.toLowerCase()) ?? name,
      value,
    ]),
  )
}

/** Returns the parts of a query that the builder does not show: unknown members, and values that fail their check. */
export function keptParts(query: WireQuery): readonly KeptPart[] {
  const kept: KeptPart[] = []
  const visit = (object: object, members: Readonly<Record<string, Check>>, path: string) => {
    for (const [name, value] of Object.entries(object)) {
      const place = path === '' ? name : `${path}.${name}`
      if (members[name]?.(value) !== true) kept.push({ path: place, text: JSON.stringify(value) })
      else if (name === 'freeschemaQueries') visitAll(value, nodeMembers, place)
      else if (name === 'filters') visitAll(value, filterMembers, place)
      else if (name === 'orderBy') visitAll(value, orderMembers, place)
    }
  }
  const visitAll = (
    list: readonly object[],
    members: Readonly<Record<string, Check>>,
    path: string,
  ) => {
    for (const [i, one] of list.entries()) visit(one, members, `${path}[${i}]`)
  }
  visit(query, nodeMembers, '')
  return kept
}

/** The width up to which an object or list is written on one line. */
const lineWidth = 76

/** Returns readable JSON of a query: short objects and lists are on one line. */
export function formatQuestion(query: object): string {
  return format(query, '')
}

function format(value: unknown, indent: string): string {
  const line = formatLine(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= lineWidth)
    return line
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => inner + format(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${inner}${JSON.stringify(name)}: ${format(member, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

function formatLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}: ${formatLine(member)}`)
  return `{${members.join(', ')}}`
}
