import { byAge } from '../composition/reader.ts'
import type { Id } from '../model/id.ts'
import { aggregate } from './aggregate.ts'
import { followAllHops } from './follow.ts'
import { type Position, RootOrder } from './order.ts'
import { prune } from './prune.ts'
import type { Answer, Query } from './query.ts'
import { collectAnswer, listRoots, takePage } from './run.ts'
import { ClauseSearch } from './search.ts'
import type { Source } from './source.ts'
import { bindQuery, type Tree } from './tree.ts'

/**
 * Executes a query with filters, a cursor, depth or aggregates. The total of the answer is exact. Throws `invalid` for
 * a malformed logic, filter or ancestor.
 */
export function executeFilteredQuery(graph: Source, query: Query): Answer {
  const execution = prepare(graph, query)
  const all = listMatchingRoots(execution)
  const page = takePage(skipToCursor(graph, query, all), query)
  const groups = aggregate(graph, execution.tree, all)
  const answer = collect(execution, page, all.length)
  const next = nextCursor(graph, query, page)
  if (groups.length === 0 && !next) return answer
  return { ...answer, details: { ...(groups.length > 0 && { groups }), ...(next && { next }) } }
}

/** Returns the cursor of the page after a full page of roots, if the query orders by values. */
function nextCursor(graph: Source, query: Query, page: readonly Id[]): string | undefined {
  const last = page.at(-1)
  const isOrdered = query.orderBy?.length && page.length === (query.pageSize ?? 10)
  return isOrdered && last ? new RootOrder(graph, query).cursorAfter(last) : undefined
}

/** Collects the answer for given roots, even for roots that do not pass the filters. */
export function collectFilteredAnswer(graph: Source, query: Query, roots: readonly Id[]): Answer {
  return collect(prepare(graph, query), roots, roots.length)
}

/** Returns the roots that pass, in any order. */
export function findMatchingRoots(graph: Source, query: Query): ReadonlySet<Id> {
  return new Set(prepare(graph, query).search.findRoots() ?? listRoots(graph, query))
}

/** Lists the roots that pass, in order. */
function listMatchingRoots({ graph, tree, search }: Execution): readonly Id[] {
  const { query } = tree.root
  const ids = search.findRoots()
  if (query.orderBy?.length) {
    return [...(ids ?? listRoots(graph, query))].sort(compareByOrder(graph, query))
  }
  if (!ids) return listRoots(graph, query)
  if (!query.conceptIds?.length) return ids.sort(compareByOrder(graph, query))
  const passed = new Set(ids)
  return listRoots(graph, query).filter((id) => passed.has(id))
}

/** Returns the function that compares two roots in the order of a query: by values if it has `orderBy`, then by age. */
export const compareByOrder = (graph: Source, query: Query) => {
  const compareAge = compareByAge(query)
  if (!query.orderBy?.length) return (a: Id, b: Id) => compareAge(graph.real(a), graph.real(b))
  const order = new RootOrder(graph, query)
  return (a: Id, b: Id) => order.compare(order.position(a), order.position(b), compareAge)
}

const compareByAge = ({ order }: Query) => {
  const sign = order === 'ASC' ? 1 : -1
  return (a: Id, b: Id): number => sign * byAge(a, b)
}

/** Returns a function that reports whether a root comes after the cursor of a query. */
export function afterCursor(graph: Source, query: Query): (id: Id) => boolean {
  const { after } = query
  if (!after) return () => true
  if (!query.orderBy?.length) {
    const compare = compareByOrder(graph, query)
    return (id) => compare(id, Number(after)) > 0
  }
  const order = new RootOrder(graph, query)
  const cursor = order.cursor() as Position
  const compareAge = compareByAge(query)
  return (id) => order.compare(order.position(id), cursor, compareAge) > 0
}

/** Returns the roots after the cursor of a query. */
function skipToCursor(graph: Source, query: Query, roots: readonly Id[]): readonly Id[] {
  return query.after ? roots.filter(afterCursor(graph, query)) : roots
}

/** Collects the answer for a page of roots that pass. */
const collect = ({ graph, tree, search }: Execution, roots: readonly Id[], total: number): Answer =>
  collectAnswer(graph, tree.root.query, roots, total, (results, query) => {
    if (tree.where) prune({ graph, search, results }, tree.root, tree.where, new Set(roots))
    else followAllHops(results, query, roots)
  })

interface Execution {
  readonly graph: Source
  readonly tree: Tree
  readonly search: ClauseSearch
}

function prepare(graph: Source, query: Query): Execution {
  const tree = bindQuery(graph, query)
  return { graph, tree, search: new ClauseSearch(graph, tree) }
}
