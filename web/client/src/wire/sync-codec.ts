import { isType } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import { type Id, isLocal, isReal } from '../model/id.ts'
import type { Increment, Mutation, Receipt, Upsert } from '../model/mutation.ts'
import { decodeConcepts, encodeConcept, type WireConcept } from './concept-codec.ts'
import { decodeConnections, encodeConnection, type WireConnection } from './connection-codec.ts'
import { throwMalformed } from './expect.ts'
import { isRecord } from './json.ts'

/*
 * The request that sends pending writes, and its receipt.
 *
 * Values are sent as the name of their type and their text. Types are sent once each, and only if a connection refers
 * to them. Every record carries its local id (`ghostId` on the wire), which makes the request idempotent: the server
 * recognises records that it already has.
 */

/** A batch of writes in JSON form. */
export interface SyncRequest {
  readonly concepts: readonly WireConcept[]
  readonly connections: readonly WireConnection[]
  readonly removeConcepts: readonly Id[]
  readonly removeConnections: readonly Id[]
  /** Makes the server store all records or none. Without `atomic`, the server would leave out refused connections. */
  readonly atomic: true
  readonly store: string | undefined
  readonly increments: readonly Increment[] | undefined
  readonly upserts: readonly Upsert[] | undefined
}

/** Returns real ids for local ids. */
export interface ServerIds {
  /** Id of the server's store. */
  readonly store: string | undefined
  /** Returns the real id of a concept, or the id itself while it has none. */
  real(id: Id): Id
  realConnection(id: Id): Id
}

/**
 * Encodes writes as one request. The same writes produce the same request, until another write is settled that changes
 * the id of a record in it. Connections to a concept that the same request removes are left out, because a repeated
 * request could not resolve their ends.
 */
export function encodeSync(writes: readonly Mutation[], ids: ServerIds): SyncRequest {
  const types = new Map(writes.flatMap(typesIn).map((c) => [c.id, c]))
  const real = (id: Id) => (types.has(id) ? id : ids.real(id))
  const removeConcepts = writes.flatMap((m) => m.removeConcepts).map(real)
  const removed = new Set(removeConcepts)
  const isDangling = ({ from, to, type }: Connection) =>
    [from, to, type].some((id) => removed.has(real(id)))
  const all = writes.flatMap((m) => m.connections)
  const links = removed.size > 0 ? all.filter((c) => !isDangling(c)) : all
  const dangling = new Set(links === all ? [] : all.filter(isDangling).map((c) => c.id))
  const referenced = new Set([
    ...links.flatMap((c) => [c.from, c.to, c.type]),
    ...writes.map((m) => m.id),
  ])
  const values = writes.flatMap((m) => m.concepts).filter((c) => !isType(c))
  const concepts = [...[...types.values()].filter((c) => referenced.has(c.id)), ...values]
  return {
    concepts: concepts.map((c) => encodeConcept(c, types.get(c.type)?.value ?? '')),
    connections: links.map((c) =>
      encodeConnection({ ...c, from: real(c.from), to: real(c.to), type: real(c.type) }),
    ),
    removeConcepts,
    removeConnections: writes
      .flatMap((m) => m.removeConnections)
      .filter((id) => !dangling.has(id))
      .map((id) => ids.realConnection(id)),
    atomic: true,
    store: ids.store,
    increments: writes.some((m) => m.increments)
      ? writes.flatMap((m) => m.increments ?? [])
      : undefined,
    upserts: writes.some((m) => m.upserts) ? writes.flatMap((m) => m.upserts ?? []) : undefined,
  }
}

/**
 * Decodes the response to `request`, which was encoded from `writes`. The real ids of types with local ids are those of
 * the types nested in the response. Throws `internal` for a response that does not resolve every concept of the
 * request.
 */
export function decodeReceipt(
  json: unknown,
  request: SyncRequest,
  writes: readonly Mutation[],
): Receipt {
  if (!isRecord(json)) return throwMalformed('a sync response', json)
  const {
    concepts = [],
    connections = [],
    removeConnections = [],
  } = json as Partial<Pick<SyncRequest, 'concepts' | 'connections' | 'removeConnections'>>
  const records = {
    concepts: decodeConcepts(concepts),
    connections: decodeConnections(connections),
  }
  const conceptIds = new Map<Id, Id>()
  const types = new Map<string, Id>()
  for (const { id, ghostId, type } of concepts) {
    if (isLocal(ghostId) && isReal(id)) conceptIds.set(ghostId, id)
    if (type && isReal(type.id)) types.set(type.characterValue, type.id)
  }
  for (const { id, value } of writes.flatMap(typesIn)) {
    const real = types.get(value)
    if (real) conceptIds.set(id, real)
  }
  if (!request.concepts.every((c) => conceptIds.has(c.id)))
    return throwMalformed('the real id of every record', json)
  const connectionIds = new Map(
    connections.filter((c) => isLocal(c.ghostId) && isReal(c.id)).map((c) => [c.ghostId, c.id]),
  )
  return {
    ...records,
    conceptIds: [...conceptIds],
    connectionIds: [...connectionIds],
    removeConcepts: request.removeConcepts.map((id) => conceptIds.get(id) ?? id),
    removeConnections: [
      ...request.removeConnections.map((id) => connectionIds.get(id) ?? id),
      ...removeConnections,
    ],
  }
}

const typesIn = (m: Mutation) => m.concepts.filter(isType)
