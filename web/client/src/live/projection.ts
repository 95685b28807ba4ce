import { word } from '../graph/fixed.ts'
import { type Id, isReal } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Watched } from '../local/watchers.ts'
import type { Answer, Query } from '../query/query.ts'
import { hold } from '../query/run.ts'

/**
 * An answer of the server as it stands with what is known and written here: without what is gone, with
 * the roots that pending writes make among the others of the page, and with the connections that these make.
 */
export function project(
  graph: Graph,
  query: Query,
  answer: Answer,
  pending: readonly Mutation[],
): Answer {
  const made = (query.page ?? 1) === 1 ? pending.filter((m) => makesRoot(query, m)) : []
  const ours = made.map((m) => graph.name(m.id))
  const theirs = answer.roots.map((id) => graph.name(id)).filter((id) => isReal(graph.real(id)))
  const both = query.order === 'ASC' ? [...theirs, ...ours] : [...ours.reverse(), ...theirs]
  const all = [...new Set(both)].filter((id) => graph.concept(id))
  const roots = all.slice(0, query.pageSize ?? 10)
  const walked = pending.length > 0 ? hold(graph, query, roots) : { links: [], reverse: [] }
  const links = linksOf(graph, answer, roots, walked.links)
  const reverse = [...answer.reverse, ...walked.reverse]
  const total = answer.total + all.length - answer.roots.length
  return { ...answer, roots, links, reverse, total }
}

/** The links of an answer that are here, with those that wait; the very same list if nothing here is different. */
export function linksOf(
  graph: Graph,
  { roots, links }: Answer,
  now: readonly Id[],
  walked: Iterable<Id>,
): readonly Id[] {
  const isThere = (id: Id) => isReal(graph.realConnection(id))
  const here = links.filter((id) => isThere(id) && graph.connection(id))
  const ours = [...walked].filter((id) => !isThere(id))
  const same = here.length === links.length && ours.length === 0 && now.length === roots.length
  return same ? links : [...new Set([...here.map((id) => graph.realConnection(id)), ...ours])]
}

/**
 * What an answer hangs on: the concepts it speaks of, by the names they have here, and the type of its roots,
 * or 0 if that is not known yet.
 */
export function interests(graph: Graph, query: Query, answer: Answer): Set<Watched> {
  const ids = new Set<Watched>(answer.roots)
  for (const id of query.conceptIds ?? []) ids.add(graph.name(id))
  for (const link of answer.links) {
    const c = graph.connection(link)
    if (c) ids.add(c.from).add(c.to).add(c.type)
  }
  // The first link of a type comes with the type, which is a word until the server knows it.
  for (const name of linked(query)) ids.add(graph.type(name) ?? word)
  const { type } = query
  return type ? ids.add(type).add(graph.type(type) ?? 0) : ids
}

/** The names of the links that a query follows. */
const linked = ({ selectors = [], connection = 'self', hops = [] }: Query): readonly string[] =>
  [...selectors, connection, ...hops.flatMap(linked)].filter((name) => name !== 'self')

/** Says whether a mutation makes a record that the query finds. */
const makesRoot = (query: Query, m: Mutation): boolean =>
  m.kind === 'create' && m.type === query.type && !query.conceptIds?.length

/** Says whether answers list all there is inside their roots. */
export const whole = ({ selectors = [], hops = [] }: Query): boolean =>
  selectors.includes('self') || hops.some((hop) => hop.connection === 'self')
