import { byAge } from '../composition/reader.ts'
import type { Id } from '../model/id.ts'
import type { Groups } from './query.ts'
import { linksOfHop, takePage } from './run.ts'
import type { Source } from './source.ts'
import { farOf, reachLinks } from './traversal.ts'
import { hopsBetween, type Node, type Tree } from './tree.ts'

/** Computes the groups of the hops with `distinct` or `group`, over all roots that pass the filters. */
export function aggregate(graph: Source, { root, nodes }: Tree, roots: Iterable<Id>): Groups[] {
  return nodes.flatMap((hop) => {
    const { aggregate, connection = '', name } = hop.query
    if (aggregate !== 'group' && aggregate !== 'distinct') return []
    const counts = countTargets(graph, hop, hopsBetween(root, hop.parent as Node), roots)
    const top = aggregate === 'group' ? largestGroups(graph, hop, counts) : []
    return { name: name || connection, connection, distinct: counts.size, top }
  })
}

/**
 * Counts the connections of a hop by the concept that they lead to. Starts from all concepts that the hops above reach.
 */
function countTargets(graph: Source, hop: Node, hopsAbove: readonly Node[], roots: Iterable<Id>) {
  let ids = roots
  for (const node of hopsAbove)
    ids = new Set(reachLinks(graph, node, ids).map((c) => farOf(node, c)))
  const counts = new Map<Id, number>()
  for (const id of ids) {
    for (const c of linksOfHop(graph, hop.query, id)) {
      const to = farOf(hop, c)
      counts.set(to, (counts.get(to) ?? 0) + 1)
    }
  }
  return counts
}

/** Returns the page of a `group` hop: the largest groups first, then the oldest. */
function largestGroups(
  graph: Source,
  { query }: Node,
  counts: ReadonlyMap<Id, number>,
): Groups['top'] {
  const all = [...counts].sort(([a, n], [b, m]) => m - n || byAge(a, b))
  return takePage(all, query).map(([id, count]) => ({
    id,
    value: graph.concept(id)?.value ?? '',
    count,
  }))
}
