import type { Client } from '../api.ts'
import type { Connection, Direction } from '../graph/connection.ts'
import { type Id, isReal } from '../graph/id.ts'
import { insideOf } from '../inside.ts'
import { connectionsOf } from '../wire/connection.ts'
import { orHere, parts, take } from './ask.ts'

const paths = {
  out: '/api/get-all-linkers-from-concept',
  in: '/api/get-all-linkers-to-concept',
}

/**
 * Every connection that leaves a concept, or arrives there, inside records or not, oldest first. Without a
 * server, those that are here.
 */
export async function allConnections(
  client: Client,
  id: Id,
  direction: Direction = 'out',
): Promise<readonly Connection[]> {
  const inside = insideOf(client)
  const { graph, fetcher, used } = inside
  const conceptId = graph.real(id)
  if (isReal(conceptId)) await orHere(fetchAll())
  const found = graph[direction](id)
  used?.(
    [],
    found.map((c) => c.id),
  )
  return found

  async function fetchAll(): Promise<void> {
    const since = graph.confirmations
    const listed = new Set<Id>()
    for await (const part of parts(inside, paths[direction], { conceptId })) {
      const connections = connectionsOf(part)
      take(inside, { concepts: [], connections })
      for (const c of connections) listed.add(c.id)
    }
    // A write of our own may have been confirmed after the server was asked.
    if (graph.confirmations === since) {
      const here = graph[direction](id).map((c) => c.id)
      const gone = here.filter((c) => isReal(c) && !listed.has(c))
      take(inside, { concepts: [], connections: [] }, gone)
    }
    await (await fetcher()).connections([...listed])
  }
}
