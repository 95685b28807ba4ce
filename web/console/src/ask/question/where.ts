import { type Logic, parseLogic } from '@weft/client/internal'
import { assign, type Changes, type NodePath, nodesOf } from './nodes.ts'
import type { WireFilter, WireQuery } from './wire.ts'

/** How the conditions of a query are combined. */
export type QuestionLogic =
  | { readonly status: 'tree'; readonly tree: Logic | undefined }
  /** The text is not an expression; `message` contains the position. */
  | { readonly status: 'broken'; readonly text: string; readonly message: string }

/** The place of an expression in the logic: the index of an operand on each level. */
export type LogicPath = readonly number[]

/** Parses the logic of a query. A name in the logic need not be the name of a filter. */
export function logicOf(query: WireQuery): QuestionLogic {
  const text = query.filterLogic ?? ''
  try {
    return { status: 'tree', tree: parseLogic(text) }
  } catch (error) {
    return { status: 'broken', text, message: error instanceof Error ? error.message : '' }
  }
}

/** Returns the names of all filters. */
export const filterNames = (query: WireQuery): readonly string[] =>
  (query.filters ?? []).flatMap(({ name }) => name ?? [])

/** Returns the filter with a name. */
export const filterNamed = (query: WireQuery, name: string): WireFilter | undefined =>
  query.filters?.find((filter) => filter.name === name)

/** Returns the filters that the logic does not mention: they have no effect. */
export function unusedFilters(query: WireQuery): readonly WireFilter[] {
  const logic = logicOf(query)
  const used = new Set(logic.status === 'tree' ? leavesOf(logic.tree) : [])
  return (query.filters ?? []).filter(({ name }) => name === undefined || !used.has(name))
}

/** Returns the names in an expression. */
function leavesOf(logic: Logic | undefined): readonly string[] {
  if (!logic) return []
  return logic.op === 'leaf' ? [logic.filter] : logic.of.flatMap(leavesOf)
}

/** Replaces the logic of a query. */
export function withLogic(query: WireQuery, tree: Logic | undefined): WireQuery {
  const normal = tree && normalize(tree)
  return assign(query, { filterLogic: normal ? writeLogic(normal) : undefined })
}

/** Binding strength of the operators: an operator inside a stronger one needs parentheses. */
const strength: Readonly<Record<Logic['op'], number>> = { or: 1, and: 2, not: 3, exand: 4, leaf: 5 }

/** Returns the text of an expression, with as few parentheses as possible. `parseLogic` reads the same expression from it. */
export function writeLogic(logic: Logic): string {
  if (logic.op === 'leaf') return logic.filter
  const needed = logic.op === 'not' ? strength.not : strength[logic.op] + 1
  const parts = logic.of.map((side) =>
    strength[side.op] < needed ? `(${writeLogic(side)})` : writeLogic(side),
  )
  return logic.op === 'not' ? `NOT ${parts[0]}` : parts.join(` ${logic.op.toUpperCase()} `)
}

/** Removes empty groups, groups with one member, and groups of AND or OR inside a group of the same operator. */
function normalize(logic: Logic): Logic | undefined {
  if (logic.op === 'leaf') return logic
  const sides = logic.of.flatMap((side) => normalize(side) ?? [])
  const [first] = sides
  if (!first) return undefined
  if (logic.op === 'not') return { op: 'not', of: [first] }
  if (sides.length === 1) return first
  const flat = sides.flatMap((side) =>
    side.op === logic.op && logic.op !== 'exand' ? side.of : [side],
  )
  return { op: logic.op, of: flat }
}

/** Replaces the expression at `path` by the result of `change`, or removes it if the result is undefined. */
export function setLogicAt(
  query: WireQuery,
  path: LogicPath,
  change: (logic: Logic) => Logic | undefined,
): WireQuery {
  const logic = logicOf(query)
  if (logic.status === 'broken' || !logic.tree) return query
  return withLogic(query, changeAt(logic.tree, path, change))
}

function changeAt(
  logic: Logic,
  [first, ...rest]: LogicPath,
  change: (logic: Logic) => Logic | undefined,
): Logic | undefined {
  if (first === undefined) return change(logic)
  if (logic.op === 'leaf') return logic
  const of = logic.of.flatMap((side, i) =>
    i === first ? (changeAt(side, rest, change) ?? []) : side,
  )
  return of.length === 0 ? undefined : ({ ...logic, of } as Logic)
}

/** Negates an expression, or removes its negation. */
export const negate = (logic: Logic): Logic =>
  logic.op === 'not' ? logic.of[0] : { op: 'not', of: [logic] }

/**
 * Combines an expression and its next sibling in a new group. If the expression already is such a group, the sibling is
 * added to it.
 */
export function joinWithNext(
  query: WireQuery,
  path: LogicPath,
  op: 'and' | 'or' | 'exand',
): WireQuery {
  const index = path.at(-1)
  if (index === undefined) return query
  return setLogicAt(query, path.slice(0, -1), (group) => {
    if (group.op === 'leaf' || group.op === 'not') return group
    const [left, right] = [group.of[index], group.of[index + 1]]
    if (!left || !right) return group
    const joined: Logic = { op, of: left.op === op ? [...left.of, right] : [left, right] }
    const of = [...group.of.slice(0, index), joined, ...group.of.slice(index + 2)]
    return { op: group.op, of }
  })
}

/** Replaces members of a filter. A new name also replaces the old one in the logic. */
export function setFilter(query: WireQuery, name: string, changes: Changes<WireFilter>): WireQuery {
  const filters = (query.filters ?? []).map((filter) =>
    filter.name === name ? assign(filter, changes) : filter,
  )
  const changed = assign(query, { filters })
  const next = changes.name
  const logic = logicOf(query)
  if (next === undefined || next === name || logic.status === 'broken' || !logic.tree)
    return changed
  const rename = (one: Logic): Logic => {
    if (one.op === 'leaf') return one.filter === name ? { op: 'leaf', filter: next } : one
    return { ...one, of: one.of.map(rename) } as Logic
  }
  return withLogic(changed, rename(logic.tree))
}

/** Removes filters and their names in the logic. */
export function withoutFilters(query: WireQuery, names: readonly string[]): WireQuery {
  if (names.length === 0) return query
  const filters = (query.filters ?? []).filter(({ name }) => !names.includes(name ?? ''))
  const rest = assign(query, { filters })
  const logic = logicOf(query)
  if (logic.status === 'broken' || !logic.tree) return rest
  const prune = (one: Logic): Logic | undefined => {
    if (one.op === 'leaf') return names.includes(one.filter) ? undefined : one
    const of = one.of.flatMap((side) => prune(side) ?? [])
    return of.length === 0 ? undefined : ({ ...one, of } as Logic)
  }
  return withLogic(rest, prune(logic.tree))
}

/** Joins a filter to the logic with AND. The logic must not mention it yet. */
export function applyFilter(query: WireQuery, name: string): WireQuery {
  const logic = logicOf(query)
  if (logic.status === 'broken') return query
  const leaf = { op: 'leaf', filter: name } as const
  return withLogic(query, logic.tree ? { op: 'and', of: [logic.tree, leaf] } : leaf)
}

/**
 * Returns the path of the node that an EXAND shares: all its filters must hold for the same concept of this node. It is the
 * lowest common node of the filters, or the node that a filter's node names as its ancestor.
 */
export function sharedNode(query: WireQuery, logic: Logic): NodePath {
  const nodes = nodesOf(query)
  const names = leavesOf(logic).map((name) => filterNamed(query, name)?.operateon)
  const paths = names.map((name) => nodes.find(({ node }) => node.name === name)?.path ?? [])
  for (const name of names) {
    const ancestor = nodes.find(({ node }) => node.name === name)?.node.filterAncestor
    const found = nodes.find(({ node }) => ancestor !== undefined && node.name === ancestor)
    if (found) return found.path
  }
  const [first = [], ...others] = paths
  return first.filter((_, i) =>
    others.every((path) => path.slice(0, i + 1).join() === first.slice(0, i + 1).join()),
  )
}
