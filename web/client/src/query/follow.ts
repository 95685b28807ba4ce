import type { Id } from '../graph/id.ts'
import type { Query } from './query.ts'
import { count, linksOf, step, type Walk } from './run.ts'

/** Brings all that leads on from concepts of a node, without filters. */
export function follow(walk: Walk, node: Query, ids: Iterable<Id>): void {
  for (const name of node.selectors ?? []) step(walk, { connection: name }, ids)
  for (const hop of node.hops ?? []) {
    if (hop.aggregate === 'count') {
      for (const id of ids) count(walk, id, linksOf(walk.graph, hop, id))
    } else if (!hop.aggregate) {
      const found = repeated(walk, hop, ids)
      if (found.size > 0) follow(walk, hop, found)
    }
  }
}

/** Walks a hop, and from what it finds again as often as it says, and returns where that leads. */
function repeated(walk: Walk, hop: Query, ids: Iterable<Id>): Set<Id> {
  const found = step(walk, hop, ids)
  const seen = new Set(ids)
  let at = found
  for (let left = hop.depth ?? 1; left > 1 && at.size > 0; left--) {
    const next = new Set([...at].filter((id) => !seen.has(id)))
    for (const id of next) seen.add(id)
    at = step(walk, hop, next)
    for (const id of at) found.add(id)
  }
  return found
}
