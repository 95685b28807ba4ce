import { byAge, inside, type Reader } from '../composition/reader.ts'
import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import type { Answer, Count, Query } from './query.ts'

/**
 * Answers a query from what the graph here holds, unless it needs `filtered.ts`. A type nobody knows has no
 * instances and no connections.
 */
export function run(graph: Reader, query: Query): Answer {
  const all = rootsOf(graph, query)
  return hold(graph, query, cut(all, query), all.length)
}

/** What an answer holds of some roots. Bring comes upon what leads on from them: everything. */
export function hold(
  graph: Reader,
  query: Query,
  roots: readonly Id[],
  total = roots.length,
  bring: (walk: Walk, query: Query, roots: readonly Id[]) => void = follow,
): Answer {
  const links = new Set<Id>()
  const reverse = new Set<Id>()
  const counts = new Map<string, Count>()
  bring({ graph, links, reverse, counts }, query, roots)
  return {
    roots,
    links: [...links].sort(byAge),
    reverse: [...reverse].sort(byAge),
    counts: [...counts.values()].sort((a, b) => byAge(a.of, b.of) || byAge(a.type, b.type)),
    total,
    order: query.order ?? 'DESC',
  }
}

/** What was come upon so far. */
export interface Walk {
  readonly graph: Reader
  readonly links: Set<Id>
  readonly reverse: Set<Id>
  readonly counts: Map<string, Count>
}

/** All roots, in order. */
export function rootsOf(graph: Reader, query: Query): readonly Id[] {
  if (query.conceptIds?.length) {
    const found = query.conceptIds.flatMap((id) => graph.concept(id)?.id ?? [])
    const ids = [...new Set(found)]
    return query.order ? inOrder(ids.sort(byAge), query) : ids
  }
  const type = graph.type(query.type ?? '')
  return type === undefined ? [] : inOrder(graph.instances(type), query)
}

const inOrder = <T>(oldestFirst: readonly T[], query: Query): readonly T[] =>
  query.order === 'ASC' ? oldestFirst : oldestFirst.toReversed()

/** The page of a list that a node asks for. */
export function cut<T>(all: readonly T[], node: Query): readonly T[] {
  const size = node.pageSize ?? 10
  const first = ((node.page ?? 1) - 1) * size
  return all.slice(first, first + size)
}

function follow(walk: Walk, node: Query, ids: readonly Id[]): void {
  for (const name of node.selectors ?? []) step(walk, { connection: name }, ids)
  for (const hop of node.hops ?? []) {
    const found = step(walk, hop, ids)
    if (found.size > 0) follow(walk, hop, [...found])
  }
}

/** Walks one hop from every id and returns where it leads. */
export function step(walk: Walk, hop: Query, ids: Iterable<Id>): Set<Id> {
  const found = new Set<Id>()
  for (const id of ids) {
    const links = linksOf(walk.graph, hop, id)
    for (const link of hop.limit && hop.connection !== 'self'
      ? onePage(walk, hop, id, links)
      : links) {
      walk.links.add(link.id)
      if (hop.reverse) walk.reverse.add(link.id)
      found.add(hop.reverse ? link.from : link.to)
    }
  }
  return found
}

/** The connections that a hop follows from a concept, oldest first. */
export function linksOf(graph: Reader, hop: Query, id: Id): readonly Connection[] {
  if (hop.connection === 'self') return inside(graph, id)
  const type = typeOf(graph, hop)
  if (type === undefined) return []
  return hop.reverse ? graph.in(id, type) : graph.out(id, type)
}

/** The type of the connections that a hop follows. */
export const typeOf = (graph: Reader, { connection = '', legacy }: Query): Id | undefined =>
  legacy ? graph.find('the_connection', connection)?.id : graph.type(connection)

/** The page that a hop asks for of the connections at a concept, oldest first, which are counted. */
export function onePage(
  walk: Walk,
  hop: Query,
  id: Id,
  links: readonly Connection[],
): readonly Connection[] {
  count(walk, id, links)
  return cut(inOrder(links, hop), hop)
}

/** Notes how many connections of a type a concept has. The same type may be counted out of it and into it. */
export function count(walk: Walk, of: Id, links: readonly Connection[]): void {
  const [first] = links
  if (!first) return
  const { type } = first
  const key = `${of} ${type}`
  const n = Math.max(links.length, walk.counts.get(key)?.n ?? 0)
  walk.counts.set(key, { of, type, n })
}
