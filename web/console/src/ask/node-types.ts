import type { Finding } from '../model/found.ts'
import { type NodePath, nodeAt, nodesOf } from './question/nodes.ts'
import type { WireQuery } from './question/wire.ts'

/** Returns the type of the records of a node, which follows from the connections in the data; empty if it is unknown. */
export function typeOfNode(
  query: WireQuery,
  path: NodePath,
  find: (type: string) => Finding,
): string {
  let type = query.type ?? ''
  for (let level = 1; level <= path.length; level++) {
    const { typeConnection, reverse = false } = nodeAt(query, path.slice(0, level))
    if (typeConnection === 'self') continue
    const finding = find(type)
    const links = finding.status === 'ready' ? finding.found.links : []
    const link = links.find((one) => one.connection === typeConnection && one.reverse === reverse)
    type = link?.types[0] ?? ''
  }
  return type
}

/** Returns the known types of the nodes of a query, each once. The types of some nodes may not be known yet. */
export const typesOfNodes = (
  query: WireQuery,
  find: (type: string) => Finding,
): readonly string[] => [
  ...new Set(
    nodesOf(query)
      .map(({ path }) => typeOfNode(query, path, find))
      .filter(Boolean),
  ),
]
