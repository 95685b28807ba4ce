import { isType } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import { type Id, isLocal, isReal } from '../graph/id.ts'
import type { Mutation, Receipt } from '../graph/mutation.ts'
import { conceptDraft, conceptsOf, type WireConcept } from './concept.ts'
import { connectionDraft, connectionsOf, type WireConnection } from './connection.ts'
import { isRecord } from './json.ts'
import { malformed } from './shape.ts'

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
 * Writes as one request: values travel by the name of their type and their text, and types as records, once each,
 * only where connections speak of them. The same writes make the same request until others are settled. What is
 * connected to a concept that the same request removes is left out: sent again, it would be from nowhere.
 */
export function syncOf(writes: readonly Mutation[], names: Names): Sync {
  const types = new Map(writes.flatMap(typesOf).map((c) => [c.id, c]))
  const real = (id: Id) => (types.has(id) ? id : names.real(id))
  const removeConcepts = writes.flatMap((m) => m.removeConcepts).map(real)
  const removed = new Set(removeConcepts)
  const isCut = ({ from, to, type }: Connection) =>
    [from, to, type].some((id) => removed.has(real(id)))
  const all = writes.flatMap((m) => m.connections)
  const links = removed.size > 0 ? all.filter((c) => !isCut(c)) : all
  const cut = new Set(links === all ? [] : all.filter(isCut).map((c) => c.id))
  const spoken = new Set([
    ...links.flatMap((c) => [c.from, c.to, c.type]),
    ...writes.map((m) => m.id),
  ])
  const values = writes.flatMap((m) => m.concepts).filter((c) => !isType(c))
  const concepts = [...[...types.values()].filter((c) => spoken.has(c.id)), ...values]
  return {
    concepts: concepts.map((c) => conceptDraft(c, types.get(c.type)?.value ?? '')),
    connections: links.map((c) =>
      connectionDraft({ ...c, from: real(c.from), to: real(c.to), type: real(c.type) }),
    ),
    removeConcepts,
    removeConnections: writes
      .flatMap((m) => m.removeConnections)
      .filter((id) => !cut.has(id))
      .map((id) => names.realConnection(id)),
    store: names.store,
  }
}

/**
 * Reads the answer to the request that writes became. Local types learn their real ids from the types nested
 * in it. An answer that does not say what every record became is none.
 */
export function receiptOf(answer: unknown, request: Sync, writes: readonly Mutation[]): Receipt {
  if (!isRecord(answer)) return malformed('a sync answer', answer)
  const { concepts = [], connections = [] } = answer as Partial<
    Pick<Sync, 'concepts' | 'connections'>
  >
  const found = { concepts: conceptsOf(concepts), connections: connectionsOf(connections) }
  const conceptIds = new Map<Id, Id>()
  const types = new Map<string, Id>()
  for (const { id, ghostId, type } of concepts) {
    if (isLocal(ghostId) && isReal(id)) conceptIds.set(ghostId, id)
    if (type && isReal(type.id)) types.set(type.characterValue, type.id)
  }
  for (const { id, value } of writes.flatMap(typesOf)) {
    const real = types.get(value)
    if (real) conceptIds.set(id, real)
  }
  if (!request.concepts.every((c) => conceptIds.has(c.id)))
    return malformed('what every record became', answer)
  const connectionIds = new Map(
    connections.filter((c) => isLocal(c.ghostId) && isReal(c.id)).map((c) => [c.ghostId, c.id]),
  )
  return {
    ...found,
    conceptIds: [...conceptIds],
    connectionIds: [...connectionIds],
    removeConcepts: request.removeConcepts.map((id) => conceptIds.get(id) ?? id),
    removeConnections: request.removeConnections.map((id) => connectionIds.get(id) ?? id),
  }
}

const typesOf = (m: Mutation) => m.concepts.filter(isType)
