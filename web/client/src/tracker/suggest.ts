import type { Client } from '../api.ts'
import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { WeftError } from '../graph/error.ts'
import type { Records } from '../graph/mutation.ts'
import { insideOf } from '../inside.ts'
import { conceptsOf } from '../wire/concept.ts'
import { connectionsOf } from '../wire/connection.ts'
import { said } from '../wire/json.ts'
import type { Kind } from './uses.ts'

/** Brings the concepts that are used most, as suggestedConcepts says. */
export const concepts = async (client: Client, top?: number): Promise<readonly Concept[]> =>
  (await suggested(client, 'concepts', top)).concepts

export const connections = async (client: Client, top?: number): Promise<readonly Connection[]> =>
  (await suggested(client, 'connections', top)).connections

async function suggested(client: Client, kind: Kind, top: number | undefined): Promise<Records> {
  const { graph, http, storage } = insideOf(client)
  const { user } = graph
  const records = await ask().catch((e: unknown) => {
    const refusal = e instanceof WeftError ? e.kind : 'unavailable'
    throw new WeftError(refusal, sentences[kind][e instanceof Error ? 0 : 1], e)
  })
  if (user !== graph.user) return suggested(client, kind, top)
  graph.add(records)
  storage()?.cache(records)
  return records

  async function ask(): Promise<Records> {
    const query = top === undefined ? '' : `?top=${top}`
    const answer = await http.get(`/api/v1/access-tracker/list-${kind}-file${query}`, {
      signal: AbortSignal.timeout(30_000),
    })
    if (!answer.ok)
      throw new WeftError(
        answer.status === 401 ? 'unauthorized' : 'unavailable',
        `the server answered ${answer.status}`,
      )
    const { data } = said<{ data: unknown }>(await answer.text())
    return kind === 'concepts'
      ? { concepts: conceptsOf(data), connections: [] }
      : { concepts: [], connections: connectionsOf(data) }
  }
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
