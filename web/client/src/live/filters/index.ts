import type { Graph } from '../../local/graph.ts'
import type { Id } from '../../model/id.ts'
import type { Mutation } from '../../model/mutation.ts'
import type { Answer, Format, Query } from '../../query/query.ts'
import { shapeRawAnswer } from '../../query/shape-raw.ts'
import { decodeAnswerDetails, encodeFilterFields } from '../../wire/filter-codec.ts'
import { plainEngine } from '../engine.ts'
import { projectLinks, type View } from '../projection.ts'
import { BaseGraph } from './base-graph.ts'
import { canonicalRoots, transferAnswer } from './transfer.ts'

/*
 * The engine for queries with filters, aggregates, `after` or depth, and for the format RAW. It is loaded with the
 * first such query, so that pages without one do not download it. The exports implement `Engine`.
 *
 * Any write can change which roots pass a filter. While writes are pending, an answer is therefore transferred between
 * two graphs: the base graph, which lacks these writes, and the graph of the page. The query runs on both, and the
 * difference is applied to the answer.
 */

export { executeFilteredQuery as run } from '../../query/run-filtered.ts'
export { dependencies } from './dependencies.ts'

export function project(
  graph: Graph,
  query: Query,
  answer: Answer,
  pending: readonly Mutation[],
): Answer {
  if (pending.length > 0) {
    const graphs = { graph, before: new BaseGraph(graph, pending), after: graph }
    return transferAnswer(graphs, query, answer)
  }
  const roots = canonicalRoots(graph, answer).filter((id) => graph.concept(id))
  const total = answer.total + roots.length - answer.roots.length
  return { ...answer, roots, links: projectLinks(graph, answer, roots, []), total }
}

export function withoutPending(
  graph: Graph,
  query: Query,
  { answer }: View,
  pending: readonly Mutation[],
): Answer {
  if (pending.length === 0) return project(graph, query, answer, [])
  const graphs = { graph, before: graph, after: new BaseGraph(graph, pending) }
  return transferAnswer(graphs, query, answer)
}

export const encodeRequest = (query: Query, real: (id: Id) => Id): object =>
  plainEngine.encodeRequest(query, real, encodeFilterFields)

export const decodeDetails = (answer: Answer, json: unknown): Answer => ({
  ...answer,
  details: decodeAnswerDetails(json),
})

/** Unlike in the plain engine, hops list only the connections that a filter needs. */
export const listsWholeRecords = ({ selectors = [] }: Query): boolean => selectors.includes('self')

export const format = (graph: Graph, answer: Answer, format: Format): readonly unknown[] =>
  format === 'RAW' ? [shapeRawAnswer(graph, answer)] : plainEngine.format(graph, answer, format)
