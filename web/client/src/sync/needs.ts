import { type Id, isLocal } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Names } from '../wire/sync.ts'

/** What a mutation refers to and does not bring along, by the ids the server knows, if it does. */
export function others(m: Mutation, names: Names): Id[] {
  const own = new Set(m.concepts.map((c) => c.id))
  const ends = m.connections.flatMap((c) => [c.from, c.to, c.type]).concat(m.removeConcepts)
  const concepts = ends.filter((id) => !own.has(id)).map((id) => names.real(id))
  return [...concepts, ...m.removeConnections.map((id) => names.realConnection(id))]
}

/** The local ids a mutation refers to, does not bring along, and the server does not know yet. */
export const needs = (m: Mutation, names: Names): Id[] => others(m, names).filter(isLocal)
