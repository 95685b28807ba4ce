import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import { hold, inOrderOf, pass } from '../query/filtered.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import { raw } from '../query/raw.ts'
import { moreAsked, moreTold } from '../wire/filter.ts'
import { Before } from './before.ts'
import { plain } from './engine.ts'
import { linksOf } from './projection.ts'

export { run } from '../query/filtered.ts'
export { interests } from './affected.ts'

/**
 * An answer of the server as it stands with what is known and written here: without what is gone, and with
 * what the writes that wait change. Those are the roots that pass now and not without these writes, or the
 * other way round, as far as they belong on the page, and whatever local connections the roots need.
 */
export function project(
  graph: Graph,
  query: Query,
  answer: Answer,
  pending: readonly Mutation[],
): Answer {
  const theirs = answer.roots.map((id) => graph.name(id)).filter((id) => graph.concept(id))
  const lost = answer.roots.length - theirs.length
  if (pending.length === 0) {
    const links = linksOf(graph, answer, theirs, [])
    return { ...answer, roots: theirs, links, total: answer.total - lost }
  }
  const now = pass(graph, query)
  const before = pass(new Before(graph, pending), query)
  const gone = new Set(without(before, now))
  const come = without(now, before).filter((id) => !theirs.includes(id))
  const kept = theirs.filter((id) => !gone.has(id))
  const ours = come.filter((id) => onPage(graph, query, answer, id))
  const roots = inPlace(graph, query, [...kept, ...ours])
  const added = hold(graph, query, ours)
  const local = hold(graph, query, kept)
  const theirLinks = linksOf(graph, answer, roots, [...added.links, ...local.links])
  const links = gone.size + come.length > 0 ? unique(theirLinks, added.links) : theirLinks
  const shown = new Set(links)
  return {
    ...answer,
    roots,
    links,
    reverse: unique(answer.reverse, added.reverse, local.reverse).filter((id) => shown.has(id)),
    counts: [...answer.counts, ...added.counts],
    total: answer.total + come.length - gone.size,
  }
}

const inPlace = (graph: Graph, query: Query, roots: Id[]): Id[] =>
  query.conceptIds?.length && !query.order ? roots : roots.sort(inOrderOf(graph, query))

const without = (some: ReadonlySet<Id>, others: ReadonlySet<Id>): Id[] =>
  [...some].filter((id) => !others.has(id))

const unique = (...lists: readonly (readonly Id[])[]): Id[] => [...new Set(lists.flat())]

/** Says whether a root that passes now belongs between, or next to, those of the page. */
function onPage(graph: Graph, query: Query, { roots }: Answer, id: Id): boolean {
  const { after = 0, conceptIds, order, page = 1, pageSize = 10 } = query
  if (conceptIds?.length && !order) return page === 1
  const inOrder = inOrderOf(graph, query)
  const [first, last] = [roots[0], roots.at(-1)]
  if (after && inOrder(id, after) < 0) return false
  if (page > 1 && (first === undefined || inOrder(id, first) < 0)) return false
  return roots.length < pageSize || last === undefined || inOrder(id, last) < 0
}

export const request = (query: Query, real: (id: Id) => Id): object =>
  plain.request(query, real, moreAsked)

export const answer = (json: unknown, query: Query): Answer => ({
  ...plain.answer(json, query),
  more: moreTold(json),
})

/** Says whether answers list all there is inside their roots: in others connections may be that no filter needs. */
export const whole = ({ selectors = [] }: Query): boolean => selectors.includes('self')

export const format = (graph: Graph, answer: Answer, form: Format): readonly unknown[] =>
  form === 'RAW' ? [raw(graph, answer)] : plain.format(graph, answer, form)
