import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import type { Concept } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import type { Records } from '../model/mutation.ts'
import { decodeConcepts } from '../wire/concept-codec.ts'
import { decodeConnections } from '../wire/connection-codec.ts'
import type { Http } from '../wire/http.ts'
import { parseRecord } from '../wire/json.ts'
import type { Kind } from './usage-counts.ts'

/** Time limit of one request, in milliseconds. */
const requestTimeout = 30_000

/** Fetches the most used concepts and their types into the graph, and returns the concepts. */
export async function fetchConcepts(client: Client, top?: number): Promise<readonly Concept[]> {
  return fetchSuggestions(client, 'concepts', top, (data) => {
    const byId = new Map(decodeConcepts(data).map((c) => [c.id, c]))
    const suggested = (data as readonly { id: Id }[]).flatMap(({ id }) => byId.get(id) ?? [])
    return [{ concepts: [...byId.values()], connections: [] }, suggested]
  })
}

/** Fetches the most used connections into the graph and returns them. */
export async function fetchConnections(
  client: Client,
  top?: number,
): Promise<readonly Connection[]> {
  return fetchSuggestions(client, 'connections', top, (data) => {
    const records = { concepts: [], connections: decodeConnections(data) }
    return [records, records.connections]
  })
}

/** Decodes a response. Returns all its records, and a list of the suggested records. */
type Decode<T> = (data: unknown) => [Records, readonly T[]]

/** Starts over when the user changes during the request. */
async function fetchSuggestions<T>(
  client: Client,
  kind: Kind,
  top: number | undefined,
  decode: Decode<T>,
): Promise<readonly T[]> {
  const { graph, http, storage } = internalsOf(client)
  const { user } = graph
  const [records, suggested] = await requestSuggestions(http, kind, top)
    .then(decode)
    .catch((e: unknown) => {
      const errorKind = e instanceof WeftError ? e.kind : 'unavailable'
      throw new WeftError(errorKind, errorTexts[kind][e instanceof Error ? 0 : 1], e)
    })
  if (user !== graph.user) return fetchSuggestions(client, kind, top, decode)
  graph.add(records)
  storage()?.cacheRecords(records)
  return suggested
}

async function requestSuggestions(
  http: Http,
  kind: Kind,
  top: number | undefined,
): Promise<unknown> {
  const query = top === undefined ? '' : `?top=${top}`
  const response = await http.fetchWithToken(`/api/v1/access-tracker/list-${kind}-file${query}`, {
    signal: AbortSignal.timeout(requestTimeout),
  })
  if (!response.ok)
    throw new WeftError(
      response.status === 401 ? 'unauthorized' : 'unavailable',
      `the server responded with ${response.status}`,
    )
  return parseRecord<{ data: unknown }>(await response.text()).data
}

/** Messages for a failed request, and for a thrown value that is not an Error. The wire contract prescribes them. */
const errorTexts: Readonly<Record<Kind, readonly [string, string]>> = {
  concepts: [
    'Unable to fetch suggested concepts. Please try again later.',
    'An unexpected error occurred while fetching suggested concepts.',
  ],
  connections: [
    'Unable to fetch suggested connections. Please try again later.',
    'An unexpected error occurred while fetching suggested Connections.',
  ],
}
