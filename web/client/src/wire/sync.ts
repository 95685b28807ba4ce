import { isType } from '../graph/concept.ts'
import { type Id, isLocal, isReal } from '../graph/id.ts'
import type { Mutation, Receipt } from '../graph/mutation.ts'
import { conceptDraft, conceptsOf, type WireConcept } from './concept.ts'
import { connectionDraft, connectionsOf, type WireConnection } from './connection.ts'
import { isRecord, malformed } from './http.ts'

/** A batch as clients send it. */
export interface Sync {
  readonly concepts: readonly WireConcept[]
  readonly connections: readonly WireConnection[]
  readonly removeConcepts: readonly Id[]
  readonly removeConnections: readonly Id[]
  readonly store: string | undefined
}

/** What the server calls things. */
export interface Names {
  readonly store: string | undefined
  real(id: Id): Id
  realConnection(id: Id): Id
}

/**
 * A mutation as a request: values travel by the name of their type and their text, and types as records only
 * where connections speak of them. The same mutation makes the same request until another one is settled.
 */
export function syncOf(m: Mutation, graph: Names): Sync {
  const names = new Map(m.concepts.filter(isType).map((c) => [c.id, c.value]))
  const spoken = new Set(m.connections.flatMap((c) => [c.from, c.to, c.type]).concat(m.id))
  const real = (id: Id) => (names.has(id) ? id : graph.real(id))
  return {
    concepts: m.concepts
      .filter((c) => !isType(c) || spoken.has(c.id))
      .map((c) => conceptDraft(c, names.get(c.type) ?? '')),
    connections: m.connections.map((c) =>
      connectionDraft({ ...c, from: real(c.from), to: real(c.to), type: real(c.type) }),
    ),
    removeConcepts: m.removeConcepts.map(real),
    removeConnections: m.removeConnections.map((id) => graph.realConnection(id)),
    store: graph.store,
  }
}

/** Reads the answer to the request that a mutation became. Local types learn their real ids from the types nested in it. */
export function receiptOf(answer: unknown, request: Sync, m: Mutation): Receipt {
  if (!isRecord(answer)) return malformed('a sync answer', answer)
  const types = new Map(m.concepts.filter(isType).map((c) => [c.value, c.id]))
  const conceptIds = new Map<Id, Id>()
  const { removeConcepts, removeConnections } = request
  const { concepts = [], connections = [] } = answer as Partial<
    Pick<Sync, 'concepts' | 'connections'>
  >
  for (const { id, ghostId, type } of concepts) {
    if (isLocal(ghostId) && isReal(id)) conceptIds.set(ghostId, id)
    const local = type && types.get(type.characterValue)
    if (local && isReal(type.id)) conceptIds.set(local, type.id)
  }
  return {
    concepts: conceptsOf(concepts),
    connections: connectionsOf(connections),
    conceptIds: [...conceptIds],
    connectionIds: connections
      .filter((c) => isLocal(c.ghostId) && isReal(c.id))
      .map((c) => [c.ghostId, c.id] as const),
    removeConcepts,
    removeConnections,
  }
}
