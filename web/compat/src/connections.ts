import type { Id } from '@weft/client'
import {
  allConnections,
  connect,
  disconnect,
  findConnectionsBetween,
  getConnections,
  linkLegacy,
  unlinkAll,
} from '@weft/client/graph'
import { internalsOf } from '@weft/client/internal'
import { orFallback, orThrow, refuse } from './errors.ts'
import type { Concept } from './model/concept.ts'
import { Connection, createDefaultConnection } from './model/connection.ts'
import { anonymousUser, orderInternal, orderLink, PRIVATE, PUBLIC } from './model/constants.ts'
import type { CountInfo } from './model/queries.ts'
import type { InnerActions } from './model/records.ts'
import { connectionType, toConnection } from './records.ts'
import { currentClient, currentInternals } from './start.ts'
import { accepted, writer } from './writes.ts'

/*
 * Connections, and the three ways to create one:
 *
 *   type link       type `<type of the source>_<relation>`, order 1000
 *   internal        type is the main concept of a composition, order 1
 *   legacy linker   type is a value of `the_connection`, order 1000
 *
 * A connection between two public concepts is public; any other connection is private.
 */

type Writer = ReturnType<typeof writer>

/** Creates a type link. The relation is a full name of a type. */
function makeLink(client: Writer, from: Id, relation: string, to: Id): Id {
  const access = linkAccess(client, from, to)
  return connect(client, from, relation, to, { access, order: orderLink }).connection
}

/**
 * Returns the access of a link. It is public between two public concepts, so that all users who see both see the link.
 */
function linkAccess(client: Writer, from: Id, to: Id): 4 | 5 {
  const { graph } = internalsOf(client)
  const isPublic = (id: Id) => graph.concept(id)?.access === PUBLIC
  return isPublic(from) && isPublic(to) ? PUBLIC : PRIVATE
}

/** Returns a connection that this page created or loaded. */
export function connectionOf(id: Id): Connection {
  const { graph } = currentInternals()
  const stored = graph.connection(id)
  return stored ? toConnection(graph, stored) : createDefaultConnection()
}

const isConnectable = (from: Id, to: Id): boolean => {
  const { graph } = currentInternals()
  return graph.canonical(from) !== graph.canonical(to)
}

/**
 * Creates a type link in this page. For a connection from a concept to itself, creates nothing and returns the
 * connection with id 0.
 */
export async function CreateConnection(
  ofTheConcept: Concept,
  toTheConcept: Concept,
  connectionTypeString: string,
  actions?: InnerActions,
): Promise<any> {
  return linkConcepts(writer(actions), ofTheConcept, toTheConcept, connectionTypeString)
}

export const linkConcepts = (
  client: Writer,
  { id: from }: Concept,
  { id: to }: Concept,
  relation: string,
): Connection =>
  isConnectable(from, to)
    ? connectionOf(makeLink(client, from, relation, to))
    : createDefaultConnection()

/** Creates a type link whose type is `<type of the source>_<linker>`. */
export async function CreateConnectionBetweenEntityLocal(
  concept1Data: Concept,
  concept2Data: Concept,
  linker: string,
  actions?: InnerActions,
): Promise<any> {
  return linkEntities(writer(actions), concept1Data, concept2Data, linker)
}

export function linkEntities(client: Writer, of: Concept, to: Concept, linker: string): Connection {
  return linkConcepts(client, of, to, `${of.type?.characterValue ?? of.typeCharacter}_${linker}`)
}

interface LegacyOptions {
  readonly both?: boolean | undefined
  readonly count?: boolean | undefined
}

export function linkWithLinker(
  client: Writer,
  { id: from }: Concept,
  { id: to }: Concept,
  linker: string,
  { both = false, count = false }: LegacyOptions,
) {
  const access = linkAccess(client, from, to)
  return linkLegacy(client, from, linker, to, { both, count, access })
}

/** Creates a legacy link in this page. `both` also creates the reverse link. */
export async function CreateConnectionBetweenTwoConceptsLocal(
  ofTheConcept: Concept,
  toTheConcept: Concept,
  linker: string,
  both = false,
  actions?: InnerActions,
): Promise<any> {
  if (!isConnectable(ofTheConcept.id, toTheConcept.id)) return createDefaultConnection()
  const write = linkWithLinker(writer(actions), ofTheConcept, toTheConcept, linker, { both })
  return connectionOf(write.connection)
}

/** Creates a legacy link and waits for the server. `count` also stores the number of these links at each source. */
export async function CreateConnectionBetweenTwoConcepts(
  ofTheConcept: Concept,
  toTheConcept: Concept,
  linker: string,
  both = false,
  count = false,
): Promise<any> {
  if (!isConnectable(ofTheConcept.id, toTheConcept.id)) return createDefaultConnection()
  const ids = [ofTheConcept.id, toTheConcept.id]
  await orFallback(
    currentInternals()
      .fetcher()
      .then((f) => f.fetchConcepts(ids)),
    undefined,
  )
  const write = linkWithLinker(writer(), ofTheConcept, toTheConcept, linker, { both, count })
  await orThrow(accepted(write))
  return connectionOf(write.connection)
}

export const CreateConnectionBetweenTwoConceptsGeneral = (
  ofTheConcept: Concept,
  toTheConcept: Concept,
  linker: string,
  both = false,
  count = false,
): Promise<Connection> =>
  CreateConnectionBetweenTwoConcepts(ofTheConcept, toTheConcept, linker, both, count)

/** Returns a connection object. Nothing is stored. */
export const CreateTheConnection = (
  ofTheConceptId: number,
  userId: number,
  toTheConceptId: number,
  typeId: number,
): Connection =>
  new Connection(0, ofTheConceptId, toTheConceptId, userId, typeId, orderInternal, PRIVATE)

/** Creates a connection and waits for the server. Both ends and the type must have real ids. */
export async function CreateTheConnectionGeneral(
  ofTheConceptId: number,
  _ofTheConceptUserId: number,
  toTheConceptId: number,
  typeId: number,
  orderId: number = orderInternal,
  accessId: number = PRIVATE,
): Promise<Connection> {
  const { graph } = currentInternals()
  if (Math.min(...[ofTheConceptId, toTheConceptId].map((id) => graph.real(id))) <= 0)
    refuse('cannot create connection because id are negative ')
  if (!isConnectable(ofTheConceptId, toTheConceptId)) return createDefaultConnection()
  const type = connectionType(currentInternals(), typeId)
  const options = { order: orderId, access: accessId === PUBLIC ? PUBLIC : PRIVATE } as const
  const write = connect(writer(), ofTheConceptId, type, toTheConceptId, options)
  await orThrow(accepted(write))
  return connectionOf(write.connection)
}

/** Creates a connection in this page. */
export async function CreateTheConnectionLocal(
  ofTheConceptId: number,
  toTheConceptId: number,
  typeId: number,
  orderId: number = orderInternal,
  typeString = '',
  _userId: number = anonymousUser,
  actions?: InnerActions,
): Promise<any> {
  const ends = { from: ofTheConceptId, to: toTheConceptId, typeId, typeString, order: orderId }
  return makeConnection(writer(actions), ends)
}

export interface ConnectionParts {
  readonly from: Id
  readonly to: Id
  readonly typeId: Id
  /** Name of the type, used when the type has no id. */
  readonly typeString: string
  readonly order: number
}

export function makeConnection(
  client: Writer,
  { from, to, typeId, typeString, order }: ConnectionParts,
): Connection {
  if (!isConnectable(from, to)) return createDefaultConnection()
  const type = typeId ? connectionType(internalsOf(client), typeId) : typeString
  const access = linkAccess(client, from, to)
  return connectionOf(connect(client, from, type, to, { access, order }).connection)
}

/** Removes a connection. Resolves with false if the removal is refused. */
export const DeleteConnectionById = (id: number): Promise<any> => DeleteConnectionByIdBulk([id])

/** Removes connections in one write. */
export async function DeleteConnectionByIdBulk(ids: number[]): Promise<any> {
  return wasAccepted(async () => disconnect(writer(), ids.filter(Boolean)))
}

export const DeleteConnectionByType = (id: number, linker: string): Promise<any> =>
  DeleteConnectionByTypeBulk(id, [linker])

/** Removes all links of some types from a concept, in one write. Types are given by their full names. */
export async function DeleteConnectionByTypeBulk(id: number, linkers: string[]): Promise<any> {
  return wasAccepted(() => unlinkAll(writer(), id, linkers))
}

const wasAccepted = async (makeWrite: () => Promise<ReturnType<typeof disconnect>>) =>
  orFallback(
    makeWrite()
      .then(accepted)
      .then(() => true),
    false,
  )

/** Returns a connection, which is fetched if it is not loaded. */
export async function GetConnectionById(id: number): Promise<any> {
  return (await GetConnectionBulk([id]))[0] ?? createDefaultConnection()
}

/** Returns the connections that exist. Their ends and types are loaded with them. */
export async function GetConnectionBulk(connectionIds: number[] = []): Promise<Connection[]> {
  const { graph } = currentInternals()
  const ids = [...new Set(connectionIds)]
  const found = await orFallback(getConnections(currentClient(), ids), [])
  return found.map((c) => toConnection(graph, c))
}

export const GetConnectionDataPrefetch = (connectionIds: number[]): Promise<Connection[]> =>
  GetConnectionBulk(connectionIds)

/** Returns the connections inside a composition. */
export const GetAllConnectionsOfComposition = async (
  composition_id: number,
): Promise<Connection[]> => GetAllConnectionsOfCompositionBulk([composition_id])

/** Returns the connections inside compositions, oldest first within each. */
export async function GetAllConnectionsOfCompositionBulk(
  composition_ids: number[] = [],
): Promise<any> {
  const { graph, fetcher } = currentInternals()
  await orFallback(
    fetcher().then((f) => f.refetch(composition_ids)),
    undefined,
  )
  return composition_ids.flatMap((id) =>
    graph.connectionsOfType(id).map((c) => toConnection(graph, c)),
  )
}

/** Returns all connections from a concept. */
export const GetLinkerConnectionFromConcepts = (id: number): Promise<Connection[]> =>
  connectionsAt(id, 'out')

/** Returns all connections to a concept. */
export const GetLinkerConnectionToConcepts = (id: number): Promise<Connection[]> =>
  connectionsAt(id, 'in')

async function connectionsAt(id: Id, direction: 'out' | 'in'): Promise<Connection[]> {
  const { graph } = currentInternals()
  const found = await orFallback(allConnections(currentClient(), id, direction), [])
  return found.map((c) => toConnection(graph, c))
}

/** Returns one page of the connections of a type from a concept, newest first. */
export async function GetConnectionOfTheConcept(
  typeId: number,
  ofTheConceptId: number,
  _userId: number,
  inpage = 10,
  page = 1,
): Promise<any> {
  const { graph } = currentInternals()
  const type = graph.real(typeId)
  const found = (await connectionsAt(ofTheConceptId, 'out')).filter((c) => c.typeId === type)
  return found.reverse().slice((page - 1) * inpage, page * inpage)
}

/** Returns the connections of a type, given by its name, at a concept. `reverse` selects connections to the concept. */
export async function GetAllTheConnectionsByTypeAndOfTheConcept(
  id: number,
  linker: string,
  reverse = false,
): Promise<any> {
  const [found] = [await connectionsAt(id, reverse ? 'in' : 'out')]
  return found.filter((c) => c.type.characterValue === linker)
}

/**
 * Returns the links between two concepts: legacy links, given the linker, or type links, given the full name. If
 * `forward` is false, source and target are exchanged.
 */
export async function GetConnectionBetweenTwoConceptsLinker(
  ofTheConcept: Concept,
  toTheConcept: Concept,
  linker: string,
  fullLinker: string,
  forward = true,
): Promise<any> {
  const { graph } = currentInternals()
  const [{ id: from }, { id: to }] = forward
    ? [ofTheConcept, toTheConcept]
    : [toTheConcept, ofTheConcept]
  const typed = fullLinker ? [{ from, to, relation: fullLinker }] : []
  const source = forward ? ofTheConcept : toTheConcept
  const prefix = source.type?.characterValue ?? source.typeCharacter
  const relation = `${prefix}_s_${linker}_${forward ? 's' : 'by'}`
  const legacy = linker ? [{ from, to, relation, legacy: true }] : []
  const links = [...typed, ...legacy]
  const found = await orFallback(findConnectionsBetween(currentClient(), links), [])
  return found.map((c) => toConnection(graph, c))
}

/** Adds the names of the counted connection types to `countInfos`. */
export async function GetConnectionTypeForCount(countInfos: CountInfo[]): Promise<any> {
  const { graph } = currentInternals()
  const ids = countInfos.map((info) => info.connectionTypeId)
  await orFallback(
    currentInternals()
      .fetcher()
      .then((f) => f.fetchConcepts(ids)),
    undefined,
  )
  for (const info of countInfos)
    info.connectionType = graph.concept(info.connectionTypeId)?.value ?? ''
  return countInfos
}
