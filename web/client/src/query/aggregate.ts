import { byAge } from '../composition/reader.ts'
import type { Id } from '../graph/id.ts'
import type { Groups } from './query.ts'
import { cut, linksOf } from './run.ts'
import type { Source } from './source.ts'
import { comeUpon, far } from './trail.ts'
import { type Node, type Tree, way } from './tree.ts'

/** Answers the hops that aggregate over all roots that pass. */
export function groupsOf(graph: Source, { root, nodes }: Tree, roots: Iterable<Id>): Groups[] {
  return nodes.flatMap((hop) => {
    const { aggregate, connection = '', name } = hop.query
    if (aggregate !== 'group' && aggregate !== 'distinct') return []
    const counts = leadTo(graph, hop, way(root, hop.above as Node), roots)
    const top = aggregate === 'group' ? largest(graph, hop, counts) : []
    return { name: name || connection, connection, distinct: counts.size, top }
  })
}

/** How many connections of a hop lead to each concept, from all that the hops above come upon. */
function leadTo(graph: Source, hop: Node, above: readonly Node[], roots: Iterable<Id>) {
  let at = roots
  for (const node of above) at = new Set(comeUpon(graph, node, at).map((c) => far(node, c)))
  const counts = new Map<Id, number>()
  for (const id of at) {
    for (const c of linksOf(graph, hop.query, id)) {
      const to = far(hop, c)
      counts.set(to, (counts.get(to) ?? 0) + 1)
    }
  }
  return counts
}

/** The page of a hop that groups. */
function largest(graph: Source, { query }: Node, counts: ReadonlyMap<Id, number>): Groups['top'] {
  const all = [...counts].sort(([a, n], [b, m]) => m - n || byAge(a, b))
  return cut(all, query).map(([id, count]) => ({
    id,
    value: graph.concept(id)?.value ?? '',
    count,
  }))
}
