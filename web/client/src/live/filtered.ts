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
 * other way round, as far as they belong on the page, and likewise the connections that the others need.
 */
export function project(
  graph: Graph,
  query: Query,
  answer: Answer,
  pending: readonly Mutation[],
): Answer {
  const theirs = answer.roots.map((id) => graph.name(id)).filter((id) => graph.concept(id))
  if (pending.length === 0) {
    const total = answer.total + theirs.length - answer.roots.length
    return { ...answer, roots: theirs, links: linksOf(graph, answer, theirs, []), total }
  }
  const before = new Before(graph, pending)
  const [passed, passes] = [pass(before, query), pass(graph, query)]
  const gone = without(passed, passes)
  const come = [...without(passes, passed)].filter((id) => !theirs.includes(id))
  const kept = theirs.filter((id) => !gone.has(id))
  const added = come.filter((id) => onPage(graph, query, answer, id))
  const [held, holds] = [hold(before, query, theirs), hold(graph, query, kept)]
  const more = hold(graph, query, added)
  const lost = without(held.links, holds.links)
  const links = unique(
    answer.links.filter((id) => graph.connection(id) && !lost.has(id)),
    without(holds.links, held.links),
    more.links,
  )
  const shown = new Set(links)
  const same = gone.size + come.length === 0 && `${links}` === `${answer.links}`
  return {
    ...answer,
    roots: inPlace(graph, query, [...kept, ...added]),
    links:
      same && linksOf(graph, answer, answer.roots, links) === answer.links ? answer.links : links,
    reverse: unique(answer.reverse, holds.reverse, more.reverse).filter((id) => shown.has(id)),
    counts: [...answer.counts, ...more.counts],
    total: answer.total + come.length - gone.size,
  }
}

const inPlace = (graph: Graph, query: Query, roots: Id[]): Id[] =>
  query.conceptIds?.length && !query.order ? roots : roots.sort(inOrderOf(graph, query))

function without(some: Iterable<Id>, others: Iterable<Id>): Set<Id> {
  const left = new Set(some)
  for (const id of others) left.delete(id)
  return left
}

const unique = (...lists: readonly Iterable<Id>[]): Id[] => [
  ...new Set(lists.flatMap((list) => [...list])),
]

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
