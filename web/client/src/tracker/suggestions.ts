import type { Client } from '../api.ts'
import type { Concept } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'

const loadModule = () => import('./fetch-suggestions.ts')

/**
 * Fetches the most used concepts into the graph: first those that the current user uses, then those of all users.
 * Rejects with a WeftError if they cannot be fetched.
 *
 * @param top maximum number of concepts; by default the server decides
 */
export const suggestedConcepts = async (
  client: Client,
  top?: number,
): Promise<readonly Concept[]> => (await loadModule()).fetchConcepts(client, top)

/** Fetches the most used connections, as `suggestedConcepts` does for concepts. Their ends are not fetched. */
export const suggestedConnections = async (
  client: Client,
  top?: number,
): Promise<readonly Connection[]> => (await loadModule()).fetchConnections(client, top)
