import type { Id } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import type { ServerIds } from '../wire/sync-codec.ts'

/**
 * Returns the ids of the concepts that a write refers to but does not create, and of the connections that it removes.
 * An id is a real id if `names` has one.
 */
export function referencesOf(m: Mutation, names: ServerIds): Id[] {
  const own = new Set(m.concepts.map((c) => c.id))
  const ends = m.connections.flatMap((c) => [c.from, c.to, c.type]).concat(m.removeConcepts)
  const concepts = ends.filter((id) => !own.has(id)).map((id) => names.real(id))
  return [...concepts, ...m.removeConnections.map((id) => names.realConnection(id))]
}
