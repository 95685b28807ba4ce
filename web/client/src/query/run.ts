import { byAge, collectInside, type Reader } from '../composition/reader.ts'
import type { Connection } from '../model/connection.ts'
import type { Id } from '../model/id.ts'
import type { Answer, Count, Query } from './query.ts'

/*
 * Execution of queries in the page, on the local graph. Go's package `query` does the same on the server.
 *
 *   Query ──tree.ts, logic.ts, filter.ts──▶ Tree        bind: clauses over nodes, with predicates
 *   Tree ──search.ts──▶ roots that pass                  execute: sets of ids, smallest operand first
 *   roots ──run.ts, follow.ts, prune.ts──▶ Answer        follow hops; with filters only those that lead to matches
 *   Answer ──shape.ts, shape-raw.ts──▶ rows              project
 *
 * Queries without filters, cursors, depth and aggregates need only this file. Other queries start in `run-filtered.ts`.
 * That file is loaded on demand, with values.ts (comparison), traversal.ts (walks with depth), aggregate.ts and
 * interest.ts (which changes may affect an answer).
 *
 * Without filters the cost is proportional to the connections of the results, plus the number of instances for a count.
 * The cost of a filter is the number of values of its type or the number of connections from the candidates to the
 * filtered node, whichever is smaller.
 */

/**
 * Executes a query without filters, cursor, depth and aggregates on the local graph. An unknown type has no instances
 * and no connections.
 */
export function executeQuery(graph: Reader, query: Query): Answer {
  const all = listRoots(graph, query)
  return collectAnswer(graph, query, takePage(all, query), all.length)
}

/** Collects the answer for a page of roots. `collect` adds the connections below them, by default all of them. */
export function collectAnswer(
  graph: Reader,
  query: Query,
  roots: readonly Id[],
  total = roots.length,
  collect: (results: ResultCollector, query: Query, roots: readonly Id[]) => void = followHops,
): Answer {
  const links = new Set<Id>()
  const reverse = new Set<Id>()
  const counts = new Map<string, Count>()
  collect({ graph, links, reverse, counts }, query, roots)
  return {
    roots,
    links: [...links].sort(byAge),
    reverse: [...reverse].sort(byAge),
    counts: [...counts.values()].sort((a, b) => byAge(a.of, b.of) || byAge(a.type, b.type)),
    total,
    order: query.order ?? 'DESC',
  }
}

/** Connections and counts collected so far. */
export interface ResultCollector {
  readonly graph: Reader
  readonly links: Set<Id>
  readonly reverse: Set<Id>
  readonly counts: Map<string, Count>
}

/** Lists all roots, in order. */
export function listRoots(graph: Reader, query: Query): readonly Id[] {
  if (query.conceptIds?.length) {
    const found = query.conceptIds.flatMap((id) => graph.concept(id)?.id ?? [])
    const ids = [...new Set(found)]
    return query.order ? orderByAge(ids.sort(byAge), query) : ids
  }
  const type = graph.type(query.type ?? '')
  return type === undefined ? [] : orderByAge(graph.instances(type), query)
}

const orderByAge = <T>(oldestFirst: readonly T[], query: Query): readonly T[] =>
  query.order === 'ASC' ? oldestFirst : oldestFirst.toReversed()

/** Returns the page of a list that a node requests. */
export function takePage<T>(all: readonly T[], node: Query): readonly T[] {
  const size = node.pageSize ?? 10
  const first = ((node.page ?? 1) - 1) * size
  return all.slice(first, first + size)
}

function followHops(results: ResultCollector, node: Query, ids: readonly Id[]): void {
  for (const name of node.selectors ?? []) followHop(results, { connection: name }, ids)
  for (const hop of node.hops ?? []) {
    const found = followHop(results, hop, ids)
    if (found.size > 0) followHops(results, hop, [...found])
  }
}

/** Follows a hop from each concept, adds its connections, and returns the concepts reached. */
export function followHop(results: ResultCollector, hop: Query, ids: Iterable<Id>): Set<Id> {
  const found = new Set<Id>()
  for (const id of ids) {
    const links = linksOfHop(results.graph, hop, id)
    for (const link of hop.limit && hop.connection !== 'self'
      ? takeLinkPage(results, hop, id, links)
      : links) {
      results.links.add(link.id)
      if (hop.reverse) results.reverse.add(link.id)
      found.add(hop.reverse ? link.from : link.to)
    }
  }
  return found
}

/** Lists the connections of a hop at a concept, oldest first. */
export function linksOfHop(graph: Reader, hop: Query, id: Id): readonly Connection[] {
  if (hop.connection === 'self')
    return hop.direct ? directLinks(graph, id) : collectInside(graph, id)
  const type = connectionTypeOf(graph, hop)
  if (type === undefined) return []
  return hop.reverse ? graph.in(id, type) : graph.out(id, type)
}

/** Lists the connections from the main concept of a composition to its parts, without those of nested records. */
function directLinks(graph: Reader, id: Id): readonly Connection[] {
  const main = graph.concept(id)
  return main && !main.value ? graph.out(id, main.id) : []
}

/** Returns the type of a hop's connections; undefined if the type does not exist. */
export const connectionTypeOf = (
  graph: Reader,
  { connection = '', legacy }: Query,
): Id | undefined =>
  legacy ? graph.find('the_connection', connection)?.id : graph.type(connection)

/**
 * Returns the page of a hop's connections at a concept, and adds their total to the counts. `links` are oldest first.
 */
export function takeLinkPage(
  results: ResultCollector,
  hop: Query,
  id: Id,
  links: readonly Connection[],
): readonly Connection[] {
  addCount(results, id, links)
  return takePage(orderByAge(links, hop), hop)
}

/** Adds the number of connections at a concept. If a type is counted in both directions, the larger number counts. */
export function addCount(results: ResultCollector, of: Id, links: readonly Connection[]): void {
  const [first] = links
  if (!first) return
  const { type } = first
  const key = `${of} ${type}`
  const n = Math.max(links.length, results.counts.get(key)?.n ?? 0)
  results.counts.set(key, { of, type, n })
}
