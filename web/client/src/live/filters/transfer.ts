import type { Graph } from '../../local/graph.ts'
import type { Id } from '../../model/id.ts'
import { RootOrder } from '../../query/order.ts'
import type { Answer, Count, Query } from '../../query/query.ts'
import {
  afterCursor,
  collectFilteredAnswer,
  compareByOrder,
  findMatchingRoots,
} from '../../query/run-filtered.ts'
import type { Source } from '../../query/source.ts'

/**
 * The graph of the page, which gives the canonical ids, and the two states of it between which an answer is
 * transferred.
 */
interface Graphs {
  readonly graph: Graph
  readonly before: Source
  readonly after: Source
}

/**
 * Converts an answer for the graph `before` into the answer for the graph `after`. A root that passes the filters only
 * after is added if it belongs on the page; one that passes only before is removed. The same applies to connections.
 */
export function transferAnswer(graphs: Graphs, query: Query, answer: Answer): Answer {
  const { graph, before, after } = graphs
  const oldRoots = canonicalRoots(graph, answer)
  const passedBefore = findMatchingRoots(before, query)
  const passAfter = findMatchingRoots(after, query)
  const removed = difference(passedBefore, passAfter)
  const appeared = [...difference(passAfter, passedBefore)].filter((id) => !oldRoots.includes(id))
  const kept = oldRoots.filter((id) => !removed.has(id) && after.concept(id))
  const moved = listMoved(graphs, query, passAfter).filter(
    (id) => passedBefore.has(id) && !oldRoots.includes(id),
  )
  const added = [...appeared, ...moved].filter((id) => belongsOnPage(graph, query, answer, id))
  const oldParts = collectFilteredAnswer(before, query, oldRoots)
  const keptParts = collectFilteredAnswer(after, query, kept)
  const addedParts = collectFilteredAnswer(after, query, added)
  const links = union(
    difference(
      answer.links.flatMap((id) => after.connection(id)?.id ?? []),
      difference(oldParts.links, keptParts.links),
    ),
    difference(keptParts.links, oldParts.links),
    addedParts.links,
  )
  const shown = new Set(links)
  const isSame =
    removed.size + appeared.length + moved.length === 0 &&
    kept.length === oldRoots.length &&
    `${links}` === `${answer.links}`
  const missing = oldRoots.filter((id) => !before.concept(id) && !after.concept(id))
  const newCounts = [...keptParts.counts, ...addedParts.counts]
  return {
    ...answer,
    roots: sortRoots(graph, query, [...kept, ...added]),
    // The same list marks the answer as complete.
    links: isSame ? answer.links : links,
    reverse: union(
      answer.reverse.map((id) => graph.realConnection(id)),
      keptParts.reverse,
      addedParts.reverse,
    ).filter((id) => shown.has(id)),
    counts: adjustCounts(graph, answer.counts, oldParts.counts, newCounts),
    total:
      answer.total -
      (answer.roots.length - oldRoots.length) -
      missing.length +
      appeared.length -
      removed.size,
  }
}

/**
 * Returns the roots of an answer by their canonical ids, each once. An answer lists a record under both its ids if the
 * server listed it while its write was pending here; after the write is settled, the two ids mean one record.
 */
export const canonicalRoots = (graph: Graph, { roots }: Answer): Id[] => [
  ...new Set(roots.map((id) => graph.canonical(id))),
]

/** Lists the roots whose values for `orderBy` differ between the graphs. */
function listMoved({ before, after }: Graphs, query: Query, roots: Iterable<Id>): Id[] {
  if (!query.orderBy?.length) return []
  const [orderBefore, orderAfter] = [new RootOrder(before, query), new RootOrder(after, query)]
  return [...roots].filter(
    (id) => `${orderBefore.position(id).keys}` !== `${orderAfter.position(id).keys}`,
  )
}

/** Reports whether a root that now passes the filters belongs between, or next to, the roots of the page. */
function belongsOnPage(graph: Graph, query: Query, { roots }: Answer, id: Id): boolean {
  const { conceptIds, order, orderBy, page = 1, pageSize = 10 } = query
  if (conceptIds?.length && !order && !orderBy?.length) return page === 1
  const compare = compareByOrder(graph, query)
  const [first, last] = [roots[0], roots.at(-1)]
  if (!afterCursor(graph, query)(id)) return false
  if (page > 1 && (first === undefined || compare(id, first) < 0)) return false
  return roots.length < pageSize || last === undefined || compare(id, last) < 0
}

const sortRoots = (graph: Graph, query: Query, roots: Id[]): Id[] =>
  query.conceptIds?.length && !query.order && !query.orderBy?.length
    ? roots
    : roots.sort(compareByOrder(graph, query))

/** Adds the difference between the counts in the two graphs to the server's counts, by canonical ids. */
function adjustCounts(
  graph: Graph,
  serverCounts: readonly Count[],
  before: readonly Count[],
  after: readonly Count[],
): Count[] {
  const counts = new Map<string, Count>()
  const add = (sign: number, list: readonly Count[]) => {
    for (const c of list) {
      const [of, type] = [graph.canonical(c.of), graph.canonical(c.type)]
      const key = `${of} ${type}`
      counts.set(key, { of, type, n: (counts.get(key)?.n ?? 0) + sign * c.n })
    }
  }
  add(1, serverCounts)
  add(-1, before)
  add(1, after)
  return [...counts.values()].filter(({ n }) => n > 0)
}

function difference(a: Iterable<Id>, b: Iterable<Id>): Set<Id> {
  const remaining = new Set(a)
  for (const id of b) remaining.delete(id)
  return remaining
}

const union = (...lists: readonly Iterable<Id>[]): Id[] => [
  ...new Set(lists.flatMap((list) => [...list])),
]
