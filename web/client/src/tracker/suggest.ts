import type { Client } from '../api.ts'
import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'
import { insideOf } from '../inside.ts'
import { conceptsOf } from '../wire/concept.ts'
import { connectionsOf } from '../wire/connection.ts'
import type { Http } from '../wire/http.ts'
import { said } from '../wire/json.ts'
import type { Kind } from './uses.ts'

/** As suggestedConcepts says. Their types come here as well. */
export async function concepts(client: Client, top?: number): Promise<readonly Concept[]> {
  return bring(client, 'concepts', top, (data) => {
    const all = new Map(conceptsOf(data).map((c) => [c.id, c]))
    const listed = (data as readonly { id: Id }[]).flatMap(({ id }) => all.get(id) ?? [])
    return [{ concepts: [...all.values()], connections: [] }, listed]
  })
}

export async function connections(client: Client, top?: number): Promise<readonly Connection[]> {
  return bring(client, 'connections', top, (data) => {
    const records = { concepts: [], connections: connectionsOf(data) }
    return [records, records.connections]
  })
}

/** Records of an answer, and those of them that were asked for. */
type Read<T> = (data: unknown) => [Records, readonly T[]]

async function bring<T>(
  client: Client,
  kind: Kind,
  top: number | undefined,
  read: Read<T>,
): Promise<readonly T[]> {
  const { graph, http, storage } = insideOf(client)
  const { user } = graph
  const [records, asked] = await ask(http, kind, top)
    .then(read)
    .catch((e: unknown) => {
      const refusal = e instanceof WeftError ? e.kind : 'unavailable'
      throw new WeftError(refusal, sentences[kind][e instanceof Error ? 0 : 1], e)
    })
  if (user !== graph.user) return bring(client, kind, top, read)
  graph.add(records)
  storage()?.cache(records)
  return asked
}

async function ask(http: Http, kind: Kind, top: number | undefined): Promise<unknown> {
  const query = top === undefined ? '' : `?top=${top}`
  const answer = await http.get(`/api/v1/access-tracker/list-${kind}-file${query}`, {
    signal: AbortSignal.timeout(30_000),
  })
  if (!answer.ok)
    throw new WeftError(
      answer.status === 401 ? 'unauthorized' : 'unavailable',
      `the server answered ${answer.status}`,
    )
  return said<{ data: unknown }>(await answer.text()).data
}

/** What is said when asking failed, and when what was thrown is no error. The capital is in the contract. */
const sentences: Readonly<Record<Kind, readonly [string, string]>> = {
  concepts: [
    'Unable to fetch suggested concepts. Please try again later.',
    'An unexpected error occurred while fetching suggested concepts.',
  ],
  connections: [
    'Unable to fetch suggested connections. Please try again later.',
    'An unexpected error occurred while fetching suggested Connections.',
  ],
}
