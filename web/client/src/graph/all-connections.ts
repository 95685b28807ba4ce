import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import type { Connection, Direction } from '../model/connection.ts'
import { type Id, isReal } from '../model/id.ts'
import { decodeConnections } from '../wire/connection-codec.ts'
import { addReceived, fetchPages, orLocal } from './server-requests.ts'

const paths = {
  out: '/api/get-all-linkers-from-concept',
  in: '/api/get-all-linkers-to-concept',
}

/**
 * Fetches all connections from or to a concept, oldest first, including those inside records. While the server is
 * unavailable, returns the loaded connections.
 */
export async function allConnections(
  client: Client,
  id: Id,
  direction: Direction = 'out',
): Promise<readonly Connection[]> {
  const internals = internalsOf(client)
  const { graph, fetcher, onUse } = internals
  const conceptId = graph.real(id)
  if (isReal(conceptId)) await orLocal(fetchAll())
  const found = graph[direction](id)
  onUse?.(
    [],
    found.map((c) => c.id),
  )
  return found

  async function fetchAll(): Promise<void> {
    const settledBefore = graph.settledCount
    const listed = new Set<Id>()
    for await (const page of fetchPages(internals, paths[direction], { conceptId })) {
      const connections = decodeConnections(page)
      addReceived(internals, { concepts: [], connections })
      for (const c of connections) listed.add(c.id)
    }
    // A write that settled during the request may have added connections that the response does not list.
    if (graph.settledCount === settledBefore) {
      const local = graph[direction](id).map((c) => c.id)
      const unlisted = local.filter((c) => isReal(c) && !listed.has(c))
      addReceived(internals, { concepts: [], connections: [] }, unlisted)
    }
    await (await fetcher()).fetchConnections([...listed])
  }
}
