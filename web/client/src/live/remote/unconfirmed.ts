import type { Graph } from '../../local/graph.ts'
import { type Id, isLocal, isReal } from '../../model/id.ts'
import type { Mutation } from '../../model/mutation.ts'
import type { Http } from '../../wire/http.ts'
import { ignoreError } from '../../wire/retry.ts'

/**
 * Returns the ids that belong to records of pending creations: the server has accepted them, but their receipts have not
 * arrived, because a response was lost or another tab receives it. The page would show such a record twice.
 *
 * A record has the creation time that its write gave it. The server is asked only if a record in the graph has
 * the creation time of a pending write: it returns the record that the local id became.
 */
export async function findUnconfirmed(
  graph: Graph,
  http: Http,
  ids: Iterable<Id>,
  pending: readonly Mutation[],
): Promise<Id[]> {
  const idsByTime = new Map<number, Set<Id>>()
  for (const id of ids) {
    const real = graph.real(id)
    const concept = isReal(real) && graph.concept(real)
    if (concept && graph.canonical(real) === real) addTo(idsByTime, createdAt(concept), real)
  }
  const isUnconfirmed = (m: Mutation) =>
    m.kind === 'create' && m.held === undefined && isLocal(graph.real(m.id))
  const candidatesOf = (m: Mutation) => {
    const main = m.concepts.find((c) => c.id === m.id)
    return (main && idsByTime.get(createdAt(main))) ?? new Set<Id>()
  }
  const suspects = pending.filter((m) => isUnconfirmed(m) && candidatesOf(m).size > 0)
  const found = await Promise.all(
    suspects.slice(-maxLookups).map(async (m) => {
      const real = await resolve(http, m)
      // The receipt may have arrived meanwhile.
      return real && candidatesOf(m).has(real) && isUnconfirmed(m) ? [real] : []
    }),
  )
  return found.flat()
}

/** The maximum number of writes, newest first, that the server is asked about for one answer. Writes of a loop share a time. */
const maxLookups = 20

const createdAt = ({ created }: { readonly created: string }): number => Date.parse(created)

function addTo(map: Map<number, Set<Id>>, time: number, id: Id): void {
  const ids = map.get(time)
  if (ids) ids.add(id)
  else map.set(time, new Set([id]))
}

/** Asks the server for the record that a creation became. Undefined or 0 if it has none, or does not respond. */
async function resolve(http: Http, { id, user, session }: Mutation): Promise<Id | undefined> {
  const guest = user === undefined ? (session ?? http.session) : undefined
  const path = '/api/v1/local-concepts-translate'
  const response = await http.post(path, { id }, { guest }).catch(ignoreError)
  return (response as { readonly id?: Id } | undefined)?.id
}
