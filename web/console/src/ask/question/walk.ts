import { addHop } from './edit.ts'
import { type NodePath, nodeAt, setMembers } from './nodes.ts'
import type { WireQuery } from './wire.ts'

/** A step from one record to others, or to its own parts. */
export interface WalkStep {
  readonly connection: string
  readonly reverse: boolean
  /** The type at the other end; empty if it is unknown. */
  readonly type: string
}

/** A path from a node through links: its steps, and the type of the part at the end. */
export interface Walk {
  readonly steps: readonly WalkStep[]
  /** The type of a part of the record at the end, such as `the_note`; undefined for the end itself. */
  readonly part: string | undefined
}

/** Adds the hops of a path below a node, unless they exist. Existing hops that count or repeat are not reused. */
export function ensureWalk(
  query: WireQuery,
  from: NodePath,
  { steps, part }: Walk,
): { readonly query: WireQuery; readonly path: NodePath } {
  const wanted = steps.map(
    ({ connection, reverse }): WireQuery => ({
      typeConnection: connection,
      ...(reverse && { reverse: true }),
    }),
  )
  if (part !== undefined) wanted.push({ typeConnection: 'self', direct: true })
  let found = query
  let path = from
  for (const hop of wanted) {
    const hops = nodeAt(found, path).freeschemaQueries ?? []
    const index = hops.findIndex((one) => isSame(one, hop))
    if (index < 0) found = addHop(found, path, hop)
    path = [...path, index < 0 ? hops.length : index]
  }
  return { query: found, path }
}

const isSame = (one: WireQuery, hop: WireQuery): boolean =>
  one.typeConnection === hop.typeConnection &&
  Boolean(one.reverse) === Boolean(hop.reverse) &&
  Boolean(one.direct) === Boolean(hop.direct) &&
  one.aggregate === undefined &&
  one.depth === undefined

/**
 * Adds the field or record at the end of a path to the answer. The steps become hops. A last step along a connection, to a
 * value or record, becomes a selector instead. If the query has conditions, the hops get `includeInFilter`, so that the answer
 * also shows records that match no condition.
 */
export function showWalk(query: WireQuery, from: NodePath, walk: Walk): WireQuery {
  const last =
    walk.part !== undefined
      ? 'self'
      : walk.steps.at(-1)?.reverse
        ? undefined
        : walk.steps.at(-1)?.connection
  const inner = walk.part === undefined && last !== undefined ? walk.steps.slice(0, -1) : walk.steps
  const reached = ensureWalk(query, from, { steps: inner, part: undefined })
  let found = reached.query
  if (found.filterLogic !== undefined)
    for (let level = from.length + 1; level <= reached.path.length; level++)
      found = setMembers(found, reached.path.slice(0, level), { includeInFilter: true })
  if (last === undefined) return found
  const { selectors = [] } = nodeAt(found, reached.path)
  return selectors.includes(last)
    ? found
    : setMembers(found, reached.path, { selectors: [...selectors, last] })
}
