import type { WireQuery } from './wire.ts'

/** The place of a node: the index of a hop on each level. The root is the empty path. */
export type NodePath = readonly number[]

/** A node with its place. */
export interface PlacedNode {
  readonly path: NodePath
  readonly node: WireQuery
}

/** Returns the node at a path. Throws a RangeError if there is none. */
export function nodeAt(query: WireQuery, path: NodePath): WireQuery {
  let node = query
  for (const i of path) {
    const hop = node.freeschemaQueries?.[i]
    if (!hop) throw new RangeError(`no hop at ${path.join('.')}`)
    node = hop
  }
  return node
}

/** Returns all nodes, each before its hops. */
export function nodesOf(query: WireQuery, path: NodePath = []): readonly PlacedNode[] {
  const hops = query.freeschemaQueries ?? []
  return [{ path, node: query }, ...hops.flatMap((hop, i) => nodesOf(hop, [...path, i]))]
}

/** Replaces members of a node; undefined, an empty string or an empty list removes a member. */
export function setMembers(
  query: WireQuery,
  path: NodePath,
  changes: Changes<WireQuery>,
): WireQuery {
  return changeNode(query, path, (node) => assign(node, changes))
}

/** New values of members; undefined removes one. */
export type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** Returns an object with changed members, and without empty ones. The members keep their order. */
export function assign<T extends object>(object: T, changes: Changes<T>): T {
  const all = { ...object, ...changes }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => !isEmpty(value))) as T
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** Changes one node. */
export function changeNode(
  query: WireQuery,
  [first, ...rest]: NodePath,
  change: (node: WireQuery) => WireQuery,
): WireQuery {
  if (first === undefined) return change(query)
  const hops = (query.freeschemaQueries ?? []).map((hop, i) =>
    i === first ? changeNode(hop, rest, change) : hop,
  )
  return assign(query, { freeschemaQueries: hops })
}
