import type { Graph } from '../../local/graph.ts'
import type { Concept } from '../../model/concept.ts'
import { type Id, isLocal, isReal } from '../../model/id.ts'
import type { Mutation } from '../../model/mutation.ts'
import type { Http } from '../../wire/http.ts'
import { ignoreError } from '../../wire/retry.ts'

/**
 * Returns the concepts that pending writes created: the server has accepted these writes, but their receipts have not
 * arrived, because a response was lost or another tab receives it. Without this check the page would show such a record
 * twice.
 *
 * A record has the creation time that its write gave it. Only if a concept has the creation time of a pending creation,
 * the server is asked which record the local id became.
 */
export async function findUnconfirmed(
  graph: Graph,
  http: Http,
  concepts: readonly Concept[],
  pending: readonly Mutation[],
): Promise<Id[]> {
  const { suspects, candidatesOf } = compareTimes(graph, concepts, pending)
  const found = await Promise.all(
    suspects.slice(-maxLookups).map(async (m) => {
      const real = await resolve(http, m)
      // The receipt may have arrived meanwhile.
      return real && candidatesOf(m).has(real) && isUnconfirmed(graph, m) ? [real] : []
    }),
  )
  return found.flat()
}

/** Returns the main concepts that have the type and the creation time of a pending creation. */
export function findCandidates(graph: Graph, pending: readonly Mutation[]): Id[] {
  const creations = pending.filter((m) => isUnconfirmed(graph, m))
  const types = new Set(creations.map((m) => graph.type(m.type ?? '') ?? 0))
  const concepts = [...types].flatMap((type) => graph.ofType(type))
  const { suspects, candidatesOf } = compareTimes(graph, concepts, creations)
  return suspects.flatMap((m) => [...candidatesOf(m)])
}

/**
 * Returns the pending creations that have the creation time of a concept, and a function that returns the concepts of a
 * creation.
 */
function compareTimes(graph: Graph, concepts: readonly Concept[], pending: readonly Mutation[]) {
  const idsByTime = new Map<number, Set<Id>>()
  if (pending.length > 0)
    for (const c of concepts)
      if (isReal(c.id) && graph.canonical(c.id) === c.id) addTo(idsByTime, createdAt(c), c.id)
  const candidatesOf = (m: Mutation) => {
    const main = m.concepts.find((c) => c.id === m.id)
    return (main && idsByTime.get(createdAt(main))) ?? new Set<Id>()
  }
  const suspects = pending.filter((m) => isUnconfirmed(graph, m) && candidatesOf(m).size > 0)
  return { suspects, candidatesOf }
}

const isUnconfirmed = (graph: Graph, m: Mutation): boolean =>
  m.kind === 'create' && m.held === undefined && isLocal(graph.real(m.id))

/**
 * The maximum number of writes, newest first, that the server is asked about for one answer. Writes of one loop share a
 * creation time, so there may be many.
 */
const maxLookups = 20

const createdAt = ({ created }: { readonly created: string }): number => Date.parse(created)

function addTo(map: Map<number, Set<Id>>, time: number, id: Id): void {
  const ids = map.get(time)
  if (ids) ids.add(id)
  else map.set(time, new Set([id]))
}

/**
 * Asks the server for the record that a creation became. Undefined or 0 if the record does not exist or the server
 * does not respond.
 */
async function resolve(http: Http, { id, user, session }: Mutation): Promise<Id | undefined> {
  const guest = user === undefined ? (session ?? http.session) : undefined
  const path = '/api/v1/local-concepts-translate'
  const response = await http.post(path, { id }, { guest }).catch(ignoreError)
  return (response as { readonly id?: Id } | undefined)?.id
}
