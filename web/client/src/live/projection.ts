import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Answer, Query } from '../query/query.ts'

/**
 * An answer of the server as it stands with what is known and written here: without what is gone, with
 * the roots that pending writes make in front, and with whatever the compositions in it hold by now.
 */
export function project(
  graph: Graph,
  query: Query,
  answer: Answer,
  pending: readonly Mutation[],
): Answer {
  const made = (query.page ?? 1) === 1 ? pending.filter((m) => makesRoot(query, m)) : []
  const ours = made.map((m) => graph.name(m.id)).reverse()
  const theirs = answer.roots.map((id) => graph.name(id))
  const roots = [...new Set([...ours, ...theirs])].filter((id) => graph.concept(id))
  const links = new Set(answer.links.filter((id) => graph.connection(id)))
  for (const main of compositions(graph, query, { ...answer, roots })) {
    for (const c of graph.links(main)) links.add(c.id)
  }
  return { ...answer, roots, links: [...links], total: answer.total + roots.length - theirs.length }
}

/** The compositions whose own data an answer speaks of. */
function compositions(graph: Graph, query: Query, answer: Answer): Set<Id> {
  const mains = new Set<Id>(wantsOwn(query) ? answer.roots : [])
  for (const id of answer.links) {
    const type = graph.connection(id)?.type
    if (type !== undefined && graph.concept(type)?.composition) mains.add(type)
  }
  return mains
}

/** Every concept the answer hangs on, by the name it has here. */
export function interests(graph: Graph, query: Query, answer: Answer): Set<Id> {
  const ids = compositions(graph, query, answer)
  for (const id of [...(query.conceptIds ?? []), ...answer.roots]) ids.add(graph.name(id))
  for (const link of answer.links) {
    const c = graph.connection(link)
    if (c) ids.add(c.from).add(c.to).add(c.type)
  }
  return ids
}

/** Says whether a mutation makes a record that the query finds. */
export const makesRoot = (query: Query, m: Mutation): boolean =>
  m.kind === 'create' && m.type === query.type && !query.conceptIds?.length

/** Says whether the query asks for the own data of its roots. */
export const wantsOwn = (query: Query): boolean =>
  [...(query.selectors ?? []), ...(query.hops ?? []).map((hop) => hop.connection)].includes('self')
