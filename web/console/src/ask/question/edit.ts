import { assign, changeNode, type NodePath, nodeAt, nodesOf, setMembers } from './nodes.ts'
import { applyFilter, filterNames, withoutFilters } from './where.ts'
import type { WireFilter, WireOrder, WireQuery } from './wire.ts'

/** Adds a hop at the end of the hops of a node. */
export function addHop(query: WireQuery, path: NodePath, hop: WireQuery): WireQuery {
  return changeNode(query, path, (node) =>
    assign(node, { freeschemaQueries: [...(node.freeschemaQueries ?? []), hop] }),
  )
}

/** Removes a hop and all hops below it. Their filters are removed, also from the logic. */
export function removeHop(query: WireQuery, path: NodePath): WireQuery {
  const names = new Set(nodesOf(nodeAt(query, path)).map(({ node }) => node.name))
  const parent = path.slice(0, -1)
  const kept = changeNode(query, parent, (node) =>
    assign(node, {
      freeschemaQueries: (node.freeschemaQueries ?? []).filter((_, i) => i !== path.at(-1)),
    }),
  )
  const lost = (query.filters ?? [])
    .filter(({ operateon }) => operateon !== undefined && names.has(operateon))
    .flatMap(({ name }) => name ?? [])
  return withoutFilters(kept, lost)
}

/** Adds a field that is returned with each result of a node. */
export function addSelector(query: WireQuery, path: NodePath, selector: string): WireQuery {
  const { selectors = [] } = nodeAt(query, path)
  return selectors.includes(selector)
    ? query
    : setMembers(query, path, { selectors: [...selectors, selector] })
}

/** Removes a returned field. */
export function removeSelector(query: WireQuery, path: NodePath, selector: string): WireQuery {
  const { selectors = [] } = nodeAt(query, path)
  return setMembers(query, path, { selectors: selectors.filter((one) => one !== selector) })
}

/** Adds a sort key of the roots, after the existing ones. */
export function addOrder(query: WireQuery, order: WireOrder): WireQuery {
  return assign(query, { orderBy: [...(query.orderBy ?? []), order] })
}

/** Replaces a sort key of the roots; undefined removes it. */
export function setOrder(query: WireQuery, index: number, order: WireOrder | undefined): WireQuery {
  const keys = (query.orderBy ?? []).flatMap((key, i) =>
    i === index ? (order ? [order] : []) : [key],
  )
  return assign(query, { orderBy: keys })
}

/** Names a node that has no name, so that a filter can refer to it. The root needs no name. */
export function nameNode(
  query: WireQuery,
  path: NodePath,
): { readonly query: WireQuery; readonly name: string | undefined } {
  const node = nodeAt(query, path)
  if (path.length === 0 || node.name !== undefined) return { query, name: node.name }
  const taken = new Set(nodesOf(query).flatMap(({ node }) => node.name ?? []))
  const name = freeName(wordOf(node.typeConnection ?? 'part'), taken)
  return { query: setMembers(query, path, { name }), name }
}

/** Adds a condition on a node and joins it to the logic with AND. Names the node if it has no name. */
export function addFilter(query: WireQuery, path: NodePath, filter: WireFilter): WireQuery {
  const named = nameNode(query, path)
  const taken = new Set(filterNames(named.query))
  const name = filter.name ?? freeName(wordOf(named.name ?? filter.type ?? 'it'), taken)
  const added = assign(filter, { name, operateon: named.name })
  const all = assign(named.query, { filters: [...(named.query.filters ?? []), added] })
  return applyFilter(all, name)
}

/** Returns the last word of a name: `status` for `the_order_status`. */
function wordOf(name: string): string {
  const word = name.replace(/^the_/, '').split('_').at(-1) ?? ''
  return /^[^\s()]+$/.test(word) ? word : 'part'
}

/** Returns the word, with a number if it is taken. */
export function freeName(word: string, taken: ReadonlySet<string>): string {
  let name = word
  for (let i = 2; taken.has(name); i++) name = `${word}${i}`
  return name
}
