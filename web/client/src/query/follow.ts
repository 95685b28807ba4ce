import type { Id } from '../model/id.ts'
import type { Query } from './query.ts'
import { addCount, followHop, linksOfHop, type ResultCollector } from './run.ts'

/** Follows all selectors and hops below a node from the given concepts, and adds their connections to the results. */
export function followAllHops(results: ResultCollector, node: Query, ids: Iterable<Id>): void {
  for (const name of node.selectors ?? []) followHop(results, { connection: name }, ids)
  for (const hop of node.hops ?? []) {
    if (hop.aggregate === 'count') {
      for (const id of ids) addCount(results, id, linksOfHop(results.graph, hop, id))
    } else if (!hop.aggregate) {
      const found = followRepeatedly(results, hop, ids)
      if (found.size > 0) followAllHops(results, hop, found)
    }
  }
}

/**
 * Follows a hop from the given concepts, and then from its own results, up to its depth. Returns all concepts reached.
 */
function followRepeatedly(results: ResultCollector, hop: Query, ids: Iterable<Id>): Set<Id> {
  const found = followHop(results, hop, ids)
  const seen = new Set(ids)
  let level = found
  for (let remaining = hop.depth ?? 1; remaining > 1 && level.size > 0; remaining--) {
    const next = new Set([...level].filter((id) => !seen.has(id)))
    for (const id of next) seen.add(id)
    level = followHop(results, hop, next)
    for (const id of level) found.add(id)
  }
  return found
}
