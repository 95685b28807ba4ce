import { fieldLabel } from '../../model/names.ts'
import { addFilter, removeHop } from './edit.ts'
import { assign, nodeAt, nodesOf, setMembers } from './nodes.ts'
import type { WireQuery } from './wire.ts'
import { ownerOf } from './words.ts'

/** The result of a hop with `distinct` or `group`. */
export interface Groups {
  readonly name: string
  readonly connection: string
  readonly distinct: number
  readonly top: readonly { readonly id: number; readonly value: string; readonly count: number }[]
}

/**
 * Returns the query for the records of one group. It adds a condition to `query`: the hop of the group must lead to `value`.
 * Hops that only count are left out. Returns undefined if the query has no group with this name.
 */
export function queryOfGroup(query: WireQuery, name: string, value: string): WireQuery | undefined {
  const place = nodesOf(query).find(
    ({ node }) =>
      node.aggregate?.toLowerCase() === 'group' && (node.name ?? node.typeConnection) === name,
  )
  if (!place) return undefined
  let found = setMembers(query, place.path, {
    aggregate: undefined,
    inpage: undefined,
    page: undefined,
  })
  found = addFilter(found, place.path, { logicoperator: '=', search: value })
  for (;;) {
    const other = nodesOf(found).find(({ path, node }) => path.length > 0 && countsRoots(node))
    if (!other) break
    found = removeHop(found, other.path)
  }
  return assign(found, {
    inpage: Math.max(nodeAt(found, []).inpage ?? 0, minGroupRows),
    page: undefined,
  })
}

/** Returns the displayed name of the groups of a hop: the name of the hop, or else the label of its connection. */
export const groupName = ({ name, connection }: Groups): string =>
  name === connection ? fieldLabel(connection, ownerOf(connection)) : name

/** The minimum number of rows on a page of the records of a group. */
const minGroupRows = 50

const countsRoots = ({ aggregate }: WireQuery): boolean =>
  ['group', 'distinct'].includes(aggregate?.toLowerCase() ?? '')
