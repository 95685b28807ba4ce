import type { Client } from '../api.ts'
import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'

const suggest = () => import('./suggest.ts')

/**
 * Brings the concepts here that are used most: those that whoever is signed in uses, then those that everybody
 * does. There are `top` at most; without it the server decides. Rejects with a WeftError when they cannot be had.
 */
export const suggestedConcepts = async (
  client: Client,
  top?: number,
): Promise<readonly Concept[]> => (await suggest()).concepts(client, top)

/** As suggestedConcepts, of connections. What they connect is not brought along. */
export const suggestedConnections = async (
  client: Client,
  top?: number,
): Promise<readonly Connection[]> => (await suggest()).connections(client, top)
