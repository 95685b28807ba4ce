import type { Client, Id, Write } from '@weft/client'
import { getType, resolveLocalId, updateNestedRecord } from '@weft/client/graph'
import {
  buildFields,
  createBatch,
  type FieldInput,
  internalsOf,
  orLocal,
  read,
  type Shape,
} from '@weft/client/internal'
import { accessOf } from './concepts.ts'
import { orFallback, orThrow } from './errors.ts'
import { toInput } from './json.ts'
import { type Concept, CreateDefaultConcept } from './model/concept.ts'
import type { Connection } from './model/connection.ts'
import { PRIVATE } from './model/constants.ts'
import type { InnerActions, PatcherStructure } from './model/records.ts'
import { conceptOf, realReader } from './records.ts'
import { currentClient, currentInternals } from './start.ts'
import { accepted, writer } from './writes.ts'

/*
 * Compositions. A composition is a main concept and all connections that have the main concept as their type.
 *
 *   shape of a result     functions
 *   {type: {…}}           GetComposition, …Bulk, …List, …WithCache, …Local
 *   {data, id}            …WithId
 *   with nested ids       …WithAllIds
 *   {created_at, data, id}  the lists and functions `WithDataId`
 *
 * Reads ask the server. While it is unreachable, they use the records of this page. A composition that does not exist
 * is an empty object.
 */

/** Reads a loaded composition or value. Returns an empty result if it does not exist. */
export function readShape(id: Id, shape: Shape): any {
  const { graph } = currentInternals()
  const found = read(realReader(graph), graph.real(id), shape)
  if (found) return found
  return shape === 'plain' || shape === 'withIds' ? {} : { data: {}, id }
}

/** Fetches compositions with everything inside them. */
export async function fetchCompositions(ids: readonly Id[]): Promise<void> {
  const { fetcher } = currentInternals()
  await orThrow(orLocal(fetcher().then((f) => f.refetch(ids))))
}

/** Fetches compositions and reads those that exist. */
export async function readAll(ids: readonly Id[], shape: Shape): Promise<any[]> {
  await orFallback(fetchCompositions(ids), undefined)
  const { graph } = currentInternals()
  return ids.filter((id) => graph.concept(id)).map((id) => readShape(id, shape))
}

async function readOne(id: Id, shape: Shape): Promise<any> {
  await orFallback(fetchCompositions([id]), undefined)
  return readShape(id, shape)
}

export const GetComposition = (id: number): Promise<any> => readOne(id, 'plain')
export const GetCompositionWithId = (id: number): Promise<any> => readOne(id, 'withId')
export const GetCompositionWithAllIds = (id: number): Promise<any> => readOne(id, 'withIds')
export const GetCompositionBulk = (conceptIds: number[] = []): Promise<any[]> =>
  readAll(conceptIds, 'plain')
export const GetCompositionBulkWithDataId = (conceptIds: number[] = []): Promise<any[]> =>
  readAll(conceptIds, 'listed')

/** Reads a composition. The result is always current, and every call returns the same shape. */
export const GetCompositionWithCache = (
  id: number,
  _connectionListPassed?: Connection[],
): Promise<any> => readOne(id, 'plain')

export const GetCompositionWithDataIdWithCache = (
  id: number,
  _connectionListPassed?: Connection[],
): Promise<any> => readOne(id, 'listed')

export const GetCompositionWithDataIdBulk = (
  ids: number[],
  _connections: number[],
): Promise<any[]> => readAll(ids, 'listed')

/** Reads a composition that was created in this browser, without asking the server for its content. */
export const GetCompositionLocal = (id: number): Promise<any> => readLocal(id, 'plain')
export const GetCompositionLocalWithId = (id: number): Promise<any> => readLocal(id, 'withId')

async function readLocal(id: Id, shape: Shape): Promise<any> {
  await orFallback(resolveLocalId(currentClient(), id), undefined)
  return readShape(id, shape)
}

/** Reads a composition from the records of this page. */
export async function GetCompositionWithIdAndDateFromMemory(id: number): Promise<any> {
  return readShape(id, 'listed')
}

export async function GetCompositionFromMemoryWithConnections(
  id: number,
  _connectionList: Connection[],
): Promise<any> {
  return readShape(id, 'plain')
}

/** Reads the content of a concept, without its type, from the records of this page. */
export async function recursiveFetch(
  id: number,
  _connectionList: Connection[],
  _compositionList: number[],
  _visitedConcepts: number[] = [],
): Promise<any> {
  return Object.values(readShape(id, 'plain'))[0] ?? ''
}

export const recursiveFetchNew = (
  id: number,
  connectionList: Connection[],
  _conceptList: Concept[],
  compositionList: number[],
  visitedConcepts: number[] = [],
): Promise<any> => recursiveFetch(id, connectionList, compositionList, visitedConcepts)

/** Reads compositions after loading the given concepts and connections. */
async function readFromConnections(
  conceptIds: number[],
  connectionIds: number[],
  shape: Shape,
): Promise<any[]> {
  const { fetcher } = currentInternals()
  await orFallback(
    fetcher().then((f) => f.fetchConnections(connectionIds)),
    undefined,
  )
  return readAll(conceptIds, shape)
}

export const GetCompositionFromConnectionsWithDataId = (
  conceptIds: number[] = [],
  connectionIds: number[] = [],
): Promise<any> => readFromConnections(conceptIds, connectionIds, 'listed')

export const GetCompositionFromConnectionsWithDataIdFromConnections = (
  conceptIds: number[] = [],
  connectionIds: number[] = [],
): Promise<any> => readFromConnections(conceptIds, connectionIds, 'listed')

/** Reads compositions as an object with their ids as keys. */
async function readIndexed(conceptIds: number[], connectionIds: number[], shape: Shape) {
  await readFromConnections(conceptIds, connectionIds, shape)
  const { graph } = currentInternals()
  const found = conceptIds.filter((id) => graph.concept(id))
  return Object.fromEntries(found.map((id) => [id, readShape(id, shape)]))
}

export const GetCompositionFromConnectionsWithDataIdInObject = (
  conceptIds: number[] = [],
  connections: number[] = [],
): Promise<any> => readIndexed(conceptIds, connections, 'listed')

export const GetCompositionFromConnectionsWithDataIdIndex = (
  conceptIds: number[] = [],
  connectionIds: number[] = [],
): Promise<any> => readIndexed(conceptIds, connectionIds, 'listed')

export const GetCompositionFromConnectionsWithIndex = (
  conceptIds: number[] = [],
  connectionIds: number[] = [],
): Promise<any> => readIndexed(conceptIds, connectionIds, 'plain')

export const GetCompositionFromConnectionsWithIndexFromConnections = (
  conceptIds: number[] = [],
  connectionIds: number[] = [],
): Promise<any> => readIndexed(conceptIds, connectionIds, 'plain')

/** Where to add new data in an existing composition: its main concept, and the record inside it. */
interface CompositionPlace {
  readonly main: Id
  readonly of: Id
}

/** Creates one composition or value for each key, all in one write. The record of the write is that of the last key. */
export function makeComposition(
  client: Client,
  json: any,
  access: number | null | undefined,
  place?: CompositionPlace,
): Pick<Write, 'id' | 'key' | 'synced'> | undefined {
  const internals = internalsOf(client)
  const batch = createBatch(internals, accessOf(access))
  const input = Object.entries(toInput(json) ?? {})
  if (input.length === 0) return undefined
  if (place) {
    buildFields(batch.createDraft(), place.main, Object.fromEntries(input), place.of)
    const made = batch.records()
    const last = made.connections.findLast((c) => c.from === internals.graph.real(place.of))
    const write = internals.write(made, 'update', internals.graph.canonical(place.main))
    return { ...write, id: last?.to ?? 0 }
  }
  let last: Id = 0
  let lastType = ''
  for (const [key, value] of input) {
    last = batch.addValue(key, value as FieldInput)
    lastType = key
  }
  return internals.write(batch.records(), 'create', last, { type: lastType })
}

const placeOf = (
  of: number | null | undefined,
  main: number | null | undefined,
): CompositionPlace | undefined => (of && main ? { main, of } : undefined)

/** Creates a composition in this page. It is sent automatically. */
export async function CreateTheCompositionLocal(
  json: any,
  ofTheConceptId: number | null = null,
  _ofTheConceptUserId: number | null = null,
  mainKey: number | null = null,
  _userId: number | null = null,
  accessId: number | null = null,
  _sessionInformationId: number | null = null,
  _automaticSync = false,
  actions?: InnerActions,
): Promise<any> {
  const place = placeOf(ofTheConceptId, mainKey)
  return conceptOf(makeComposition(writer(actions), json, accessId, place)?.id ?? 0)
}

/** Creates a composition and waits for the server. */
export async function CreateComposition(
  json: any,
  ofTheConceptId: number | null = null,
  _ofTheConceptUserId: number | null = null,
  mainKey: number | null = null,
  _userId: number | null = null,
  accessId: number | null = PRIVATE,
  _sessionInformationId: number | null = null,
): Promise<any> {
  return makeOnline(json, accessId, placeOf(ofTheConceptId, mainKey))
}

export async function CreateTheCompositionWithCache(
  json: any,
  ofTheConceptId: number | null = null,
  _ofTheConceptUserId: number | null = null,
  mainKey: number | null = null,
  _userId: number | null = null,
  accessId: number | null = PRIVATE,
  _sessionInformationId: number | null = null,
  _composition: any = null,
): Promise<Concept> {
  return makeOnline(json, accessId, placeOf(ofTheConceptId, mainKey))
}

async function makeOnline(
  json: any,
  access: number | null,
  place: CompositionPlace | undefined,
): Promise<Concept> {
  const write = makeComposition(writer(), json, access, place)
  if (!write) return CreateDefaultConcept()
  await orThrow(accepted(write))
  return conceptOf(write.id)
}

/** Replaces members of a composition and waits for the server. Resolves with the new content and its id. */
export async function UpdateComposition(patcherStructure: PatcherStructure): Promise<any> {
  const write = await patchComposition(patcherStructure)
  await orThrow(accepted(write))
  return readShape(patcherStructure.compositionId, 'withId')
}

/** Replaces members of a composition in this page. The change is sent automatically. */
export async function UpdateCompositionLocal(
  patcherStructure: PatcherStructure,
  actions?: InnerActions,
): Promise<any> {
  await patchComposition(patcherStructure, actions)
}

async function patchComposition(patcher: PatcherStructure, actions?: InnerActions) {
  const { compositionId, ofTheCompositionId, patchObject, accessId } = patcher
  await orThrow(currentClient().load(compositionId))
  const of = ofTheCompositionId || compositionId
  const fields = toInput(patchObject) ?? {}
  const client = writer(actions)
  try {
    return updateNestedRecord(client, compositionId, of, fields, { access: accessOf(accessId) })
  } catch (error) {
    return orThrow(Promise.reject(error))
  }
}

/** Returns the real id of a type; 0 if it has none. */
export const typeIdOf = async (name: string): Promise<Id> => {
  const { graph } = currentInternals()
  const found = await orFallback(getType(currentClient(), name), undefined)
  return found ? graph.real(found.id) : 0
}
