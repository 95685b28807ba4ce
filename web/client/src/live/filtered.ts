import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import { hold, inOrderOf, pass } from '../query/filtered.ts'
import type { Answer, Count, Format, Query } from '../query/query.ts'
import { raw } from '../query/raw.ts'
import type { Source } from '../query/source.ts'
import { moreAsked, moreTold } from '../wire/filter.ts'
import { Before } from './before.ts'
import { plain } from './engine.ts'
import { linksOf } from './projection.ts'

export { run } from '../query/filtered.ts'
export { interests } from './affected.ts'

/**
 * An answer of the server as it stands with what is known and written here: without what is gone, and with
 * what the writes that wait change.
 */
export function project(
  graph: Graph,
  query: Query,
  answer: Answer,
  pending: readonly Mutation[],
): Answer {
  if (pending.length > 0) return moved(graph, query, answer, new Before(graph, pending), graph)
  const roots = answer.roots.map((id) => graph.name(id)).filter((id) => graph.concept(id))
  const total = answer.total + roots.length - answer.roots.length
  return { ...answer, roots, links: linksOf(graph, answer, roots, []), total }
}

/** What was shown with some writes, without those that wait still. */
export const settled = (
  graph: Graph,
  query: Query,
  view: Answer,
  pending: readonly Mutation[],
): Answer =>
  pending.length > 0 ? moved(graph, query, view, graph, new Before(graph, pending)) : view

/**
 * An answer that is true of the graph before, of what this is now. Those roots come or go that pass in one and
 * not in the other, as far as they belong on the page, and likewise the connections that the others need.
 */
function moved(graph: Graph, query: Query, answer: Answer, before: Source, now: Source): Answer {
  const theirs = answer.roots.map((id) => graph.name(id))
  const [passed, passes] = [pass(before, query), pass(now, query)]
  const gone = without(passed, passes)
  const come = [...without(passes, passed)].filter((id) => !theirs.includes(id))
  const kept = theirs.filter((id) => !gone.has(id) && now.concept(id))
  const added = come.filter((id) => onPage(graph, query, answer, id))
  const [held, holds] = [hold(before, query, theirs), hold(now, query, kept)]
  const more = hold(now, query, added)
  const lost = without(held.links, holds.links)
  const links = unique(
    without(
      answer.links.flatMap((id) => now.connection(id)?.id ?? []),
      lost,
    ),
    without(holds.links, held.links),
    more.links,
  )
  const shown = new Set(links)
  const same = gone.size + come.length === 0 && `${links}` === `${answer.links}`
  return {
    ...answer,
    roots: inPlace(graph, query, [...kept, ...added]),
    links: same && kept.length === theirs.length ? answer.links : links,
    reverse: unique(
      answer.reverse.map((id) => graph.realConnection(id)),
      holds.reverse,
      more.reverse,
    ).filter((id) => shown.has(id)),
    counts: countsOf(graph, answer.counts, held.counts, [...holds.counts, ...more.counts]),
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

/** Counts of the server, with the difference that writes make to those here, by the names concepts have here. */
function countsOf(
  graph: Graph,
  told: readonly Count[],
  before: readonly Count[],
  now: readonly Count[],
): Count[] {
  const counts = new Map<string, Count>()
  const add = (sign: number, list: readonly Count[]) => {
    for (const c of list) {
      const [of, type] = [graph.name(c.of), graph.name(c.type)]
      const key = `${of} ${type}`
      counts.set(key, { of, type, n: (counts.get(key)?.n ?? 0) + sign * c.n })
    }
  }
  add(1, told)
  add(-1, before)
  add(1, now)
  return [...counts.values()].filter(({ n }) => n > 0)
}

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

export const told = (answer: Answer, json: unknown): Answer => ({
  ...answer,
  more: moreTold(json),
})

/** Says whether answers list all there is inside their roots: in others connections may be that no filter needs. */
export const whole = ({ selectors = [] }: Query): boolean => selectors.includes('self')

export const format = (graph: Graph, answer: Answer, form: Format): readonly unknown[] =>
  form === 'RAW' ? [raw(graph, answer)] : plain.format(graph, answer, form)
