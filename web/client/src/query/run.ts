import { byAge, type Reader } from '../composition/reader.ts'
import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import type { Answer, Count, Query } from './query.ts'

/** Answers a query from what the graph here holds. A type nobody knows has no instances and no connections. */
export function run(graph: Reader, query: Query): Answer {
  const all = rootsOf(graph, query)
  const size = query.pageSize ?? 10
  const first = ((query.page ?? 1) - 1) * size
  const roots = all.slice(first, first + size)
  const walk: Walk = { graph, links: new Set(), reverse: new Set(), counts: new Map() }
  follow(walk, query, roots)
  return {
    roots,
    links: [...walk.links].sort(byAge),
    reverse: [...walk.reverse].sort(byAge),
    counts: [...walk.counts.values()].sort((a, b) => byAge(a.of, b.of) || byAge(a.type, b.type)),
    total: all.length,
    order: query.order ?? 'DESC',
  }
}

interface Walk {
  readonly graph: Reader
  readonly links: Set<Id>
  readonly reverse: Set<Id>
  readonly counts: Map<string, Count>
}

function rootsOf(graph: Reader, query: Query): readonly Id[] {
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

function follow(walk: Walk, node: Query, ids: readonly Id[]): void {
  for (const name of node.selectors ?? []) step(walk, { connection: name }, ids)
  for (const hop of node.hops ?? []) {
    const found = step(walk, hop, ids)
    if (found.size > 0) follow(walk, hop, [...found])
  }
}

/** Walks one hop from every id and returns where it leads. */
function step(walk: Walk, hop: Query, ids: readonly Id[]): Set<Id> {
  const found = new Set<Id>()
  if (hop.connection === 'self') {
    for (const id of ids) own(walk, id, found)
    return found
  }
  const type = walk.graph.type(hop.connection ?? '')
  if (type === undefined) return found
  for (const id of ids) {
    const links = hop.reverse ? walk.graph.in(id, type) : walk.graph.out(id, type)
    if (hop.limit && links.length > 0)
      walk.counts.set(`${id} ${type}`, { of: id, type, n: links.length })
    for (const link of hop.limit ? onePage(links, hop) : links) {
      walk.links.add(link.id)
      if (hop.reverse) walk.reverse.add(link.id)
      found.add(hop.reverse ? link.from : link.to)
    }
  }
  return found
}

function onePage(links: readonly Connection[], hop: Query): readonly Connection[] {
  const size = hop.pageSize ?? 10
  const first = ((hop.page ?? 1) - 1) * size
  return inOrder(links, hop).slice(first, first + size)
}

/** Follows the connections inside a composition, at any depth. Texts hold nothing. */
function own(walk: Walk, main: Id, found: Set<Id>): void {
  const seen = new Set([main])
  for (const id of seen) {
    if (walk.graph.concept(id)?.value) continue
    for (const link of walk.graph.out(id, main)) {
      walk.links.add(link.id)
      seen.add(link.to)
      found.add(link.to)
    }
  }
}
