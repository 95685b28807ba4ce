import { byAge } from '../composition/reader.ts'
import type { Id } from '../graph/id.ts'
import { groupsOf } from './aggregate.ts'
import { follow } from './follow.ts'
import { Gatherer } from './gather.ts'
import { keep } from './keep.ts'
import type { Answer, Query } from './query.ts'
import { cut, hold as holding, rootsOf } from './run.ts'
import type { Source } from './source.ts'
import { layOut, type Tree } from './tree.ts'

/**
 * Answers what `run.ts` does not: filters, `after`, depth and aggregates. The total is exact. Throws `invalid`
 * for a logic, filters and ancestors that make no sense.
 */
export function run(graph: Source, query: Query): Answer {
  const tree = layOut(graph, query)
  const gatherer = new Gatherer(graph, tree)
  const all = passing(graph, tree, gatherer)
  const page = cut(beyond(graph, query, all), query)
  const groups = groupsOf(graph, tree, all)
  const answer = holds(graph, tree, gatherer, page, all.length)
  return groups.length > 0 ? { ...answer, more: { groups } } : answer
}

/** What an answer holds of some roots, whether they pass or not. */
export function hold(graph: Source, query: Query, roots: readonly Id[]): Answer {
  const tree = layOut(graph, query)
  return holds(graph, tree, new Gatherer(graph, tree), roots, roots.length)
}

/** All roots that pass, in no order. */
export function pass(graph: Source, query: Query): ReadonlySet<Id> {
  const tree = layOut(graph, query)
  return new Set(new Gatherer(graph, tree).roots() ?? rootsOf(graph, query))
}

/** All roots that pass, in order. */
function passing(graph: Source, { root: { query } }: Tree, gatherer: Gatherer): readonly Id[] {
  const ids = gatherer.roots()
  if (!ids) return rootsOf(graph, query)
  if (!query.conceptIds?.length) return ids.sort(inOrderOf(graph, query))
  const passed = new Set(ids)
  return rootsOf(graph, query).filter((id) => passed.has(id))
}

/** Sorts roots as a query wants them that does not keep the order of its ids. */
export const inOrderOf = (graph: Source, { order }: Query) => {
  const sign = order === 'ASC' ? 1 : -1
  return (a: Id, b: Id): number => sign * byAge(graph.real(a), graph.real(b))
}

/** The roots behind the one that the query goes on after. */
function beyond(graph: Source, query: Query, roots: readonly Id[]): readonly Id[] {
  const { after } = query
  if (!after) return roots
  const order = inOrderOf(graph, query)
  return roots.filter((id) => order(id, after) > 0)
}

/** What the answer holds of roots that pass. */
const holds = (
  graph: Source,
  tree: Tree,
  gatherer: Gatherer,
  roots: readonly Id[],
  total: number,
): Answer =>
  holding(graph, tree.root.query, roots, total, (walk, query) => {
    if (tree.where) keep(walk, graph, tree, gatherer, new Set(roots))
    else follow(walk, query, roots)
  })
