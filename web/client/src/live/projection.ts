import { byAge } from '../composition/reader.ts'
import type { Graph } from '../local/graph.ts'
import type { Watched } from '../local/watchers.ts'
import { word } from '../model/fixed.ts'
import { type Id, isReal } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import type { Answer, Query } from '../query/query.ts'
import { collectAnswer } from '../query/run.ts'

/** An answer with pending writes applied, and its inputs. */
export interface View {
  /** The optimistic answer: based on that of the server or, without one, on the graph in this page. */
  readonly answer: Answer
  readonly serverAnswer: Answer | undefined
  /** The writes that were applied, oldest first. */
  readonly pending: readonly Mutation[]
}

/**
 * Applies local changes to the server's answer. Roots and connections that the graph does not have are removed. Records
 * that pending writes create are added to the first page, in its order, together with the connections that these writes
 * create. Costs the size of the page and of the pending writes.
 */
export function project(
  graph: Graph,
  query: Query,
  answer: Answer,
  pending: readonly Mutation[],
): Answer {
  const synced = answer.roots.filter((id) => isReal(graph.real(id)))
  const all = addCreated(graph, query, synced, pending).filter((id) => graph.concept(id))
  const roots = all.slice(0, query.pageSize ?? 10)
  const local = pending.length > 0 ? collectAnswer(graph, query, roots) : { links: [], reverse: [] }
  const links = projectLinks(graph, answer, roots, local.links)
  const reverse = [...answer.reverse, ...local.reverse]
  const total = answer.total + all.length - answer.roots.length
  return { ...answer, roots, links, reverse, total }
}

/**
 * Returns the answer of the server after the writes of a view were settled, without those that are still pending: the last
 * answer with the created roots, and with the links of both answers, as far as the graph has them. Roots and links that pending
 * writes hide are among them, but not the links that one write of the view created and another one hides: these are missing until
 * the next fetch, which the change of the first write causes.
 */
export function withoutPending(graph: Graph, query: Query, view: View): Answer {
  const { answer, serverAnswer = answer, pending } = view
  const all = addCreated(graph, query, serverAnswer.roots, pending).filter(
    (id) => isReal(graph.real(id)) && graph.knownConcept(id),
  )
  const links = [...serverAnswer.links, ...answer.links]
    .map((id) => graph.realConnection(id))
    .filter((id) => isReal(id) && graph.knownConnection(id))
  return {
    ...answer,
    roots: all.slice(0, query.pageSize ?? 10),
    links: [...new Set(links)].sort(byAge),
    total: serverAnswer.total + all.length - serverAnswer.roots.length,
  }
}

/** Adds the roots that writes created to those of the first page, in its order. */
function addCreated(
  graph: Graph,
  query: Query,
  roots: readonly Id[],
  writes: readonly Mutation[],
): Id[] {
  const creations = (query.page ?? 1) === 1 ? writes.filter((m) => createsRoot(query, m)) : []
  const created = creations.map((m) => m.id)
  const ordered = query.order === 'ASC' ? [...roots, ...created] : [...created.reverse(), ...roots]
  return [...new Set(ordered.map((id) => graph.canonical(id)))]
}

/**
 * Returns the links of an answer that the graph has, and those of `local` that the server does not know. If nothing
 * differs, it is the list of the answer itself, which marks the answer as complete.
 */
export function projectLinks(
  graph: Graph,
  answer: Answer,
  roots: readonly Id[],
  local: Iterable<Id>,
): readonly Id[] {
  const isSynced = (id: Id) => isReal(graph.realConnection(id))
  const synced = answer.links.filter((id) => isSynced(id) && graph.connection(id))
  const unsynced = [...local].filter((id) => !isSynced(id))
  const isSame =
    synced.length === answer.links.length &&
    unsynced.length === 0 &&
    roots.length === answer.roots.length
  if (isSame) return answer.links
  return [...new Set([...synced.map((id) => graph.realConnection(id)), ...unsynced])]
}

/** Returns the concepts in an answer, by their canonical ids, and the type of its roots, or 0 if that is not loaded. */
export function dependencies(graph: Graph, query: Query, answer: Answer): Set<Watched> {
  const ids = new Set<Watched>(answer.roots)
  for (const id of query.conceptIds ?? []) ids.add(graph.canonical(id))
  for (const link of answer.links) {
    const c = graph.connection(link)
    if (c) ids.add(c.from).add(c.to).add(c.type)
  }
  // A new type is an instance of `word`, so watching `word` reveals the first link of a type that is not loaded.
  for (const name of linkTypesOf(query)) ids.add(graph.type(name) ?? word)
  const { type } = query
  return type ? ids.add(type).add(graph.type(type) ?? 0) : ids
}

/** Returns the type names of the links that a query follows. */
const linkTypesOf = ({
  selectors = [],
  connection = 'self',
  hops = [],
}: Query): readonly string[] =>
  [...selectors, connection, ...hops.flatMap(linkTypesOf)].filter((name) => name !== 'self')

const createsRoot = (query: Query, m: Mutation): boolean =>
  m.kind === 'create' && m.type === query.type && !query.conceptIds?.length

/** Reports whether answers list every connection inside their roots. */
export const listsWholeRecords = ({ selectors = [], hops = [] }: Query): boolean =>
  selectors.includes('self') || hops.some((hop) => hop.connection === 'self')
