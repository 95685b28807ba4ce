import {
  createConcept,
  createRecord,
  createType,
  findConceptByText,
  getConcepts,
  getType,
  removeWithNested,
  resolveLocalId,
} from '@weft/client/graph'
import { addReceived, decodeConcepts, internalsOf, requestAsUser } from '@weft/client/internal'
import { orFallback, orThrow } from './errors.ts'
import { Concept, CreateDefaultConcept } from './model/concept.ts'
import { anonymousUser, PRIVATE } from './model/constants.ts'
import type { InnerActions } from './model/records.ts'
import { conceptOf, toConcept } from './records.ts'
import { currentClient, currentInternals } from './start.ts'
import { accepted, type Place, placingWriter, writer } from './writes.ts'

/** Splits a type name at its last underscore. A name without an underscore, or with only a leading one, is one word. */
export function SplitStrings(typeString: string): string[] {
  const i = typeString.lastIndexOf('_')
  return i <= 0 ? [typeString] : [typeString.slice(0, i), typeString.slice(i + 1)]
}

/** Returns a concept, which is fetched if it is not loaded. If it does not exist, returns the concept with id 0. */
export async function GetTheConcept(id: number, _userId: number = anonymousUser): Promise<Concept> {
  await orFallback(currentClient().get(id), undefined)
  return conceptOf(id)
}

/** Returns a concept that was created in this browser, even during an earlier visit. */
export async function GetTheConceptLocal(id: number): Promise<any> {
  await orFallback(resolveLocalId(currentClient(), id), undefined)
  return conceptOf(id)
}

/** Returns the concepts that exist, in the order of their ids. */
export async function GetConceptBulk(passedConcepts: number[]): Promise<Concept[]> {
  const { graph } = currentInternals()
  const ids = [...new Set(passedConcepts)]
  const found = await orFallback(getConcepts(currentClient(), ids), [])
  return found.map((c) => toConcept(graph, c))
}

/** Finds a concept by its text: first among words, then among types, then among values. */
export async function GetConceptByCharacter(characterValue: string): Promise<any> {
  const found = await orFallback(findConceptByText(currentClient(), characterValue), undefined)
  return found ? conceptOf(found.id) : CreateDefaultConcept()
}

/** Finds a value by its text and the id of its type. */
export async function GetConceptByCharacterAndType(
  characterValue: string,
  typeId: number,
): Promise<any> {
  const internals = currentInternals()
  const { graph } = internals
  const local = graph.find(graph.concept(typeId)?.value ?? '', characterValue)
  if (local) return toConcept(graph, local)
  const body = { character_value: characterValue, type_id: graph.real(typeId) }
  const path = '/api/get_concept_by_character_and_type'
  const response = await orFallback(requestAsUser(internals, path, body), undefined)
  const concepts = decodeConcepts(response ? [response] : [])
  addReceived(internals, { concepts, connections: [] })
  const found = concepts.find((c) => c.value === characterValue)
  return found ? conceptOf(found.id) : CreateDefaultConcept()
}

/** Finds a type by its name. */
export async function GetConceptByCharacterAndCategoryLocal(character: string): Promise<any> {
  const found = await orFallback(getType(currentClient(), character), undefined)
  return found ? conceptOf(found.id) : CreateDefaultConcept()
}

/** Returns the concept with a local id of the user. */
export async function GetUserGhostId(
  _userId: number,
  ghostId: number,
  _sessionId?: number,
): Promise<Concept> {
  return GetTheConceptLocal(ghostId)
}

/** Adds nothing: the client itself keeps the ids of all records that were created in this browser. */
export async function AddGhostConcept(
  _concept: Concept,
  _userId: number,
  _sessionId?: number,
): Promise<void> {}

/** Creates a type on the server, unless it exists. */
export async function MakeTheTypeConceptApi(type: string, _userId: number): Promise<Concept> {
  const found = await orFallback(getType(currentClient(), type), undefined)
  if (found) return conceptOf(found.id)
  return conceptOf(await orThrow(accepted(createType(writer(), type))))
}

/** Creates a type in this page, unless it is loaded. */
export async function MakeTheTypeConceptLocal(
  typeString: string,
  _sessionId: number,
  _sessionUserId: number,
  _userId: number,
  actions?: InnerActions,
): Promise<Concept> {
  return typeConcept(writer(actions), typeString)
}

export function typeConcept(client: ReturnType<typeof writer>, name: string): Concept {
  if (name === 'the')
    return new Concept(1, anonymousUser, 5, 5, null, 'the', PRIVATE, false, '', '', 'the')
  const { graph } = internalsOf(client)
  const known = graph.type(name)
  return conceptOf(known ?? createType(client, name).id)
}

/** The value and type of an instance. */
export interface Instance {
  readonly type: string
  readonly value: unknown
  /** Whether to create a composition, which is never shared. */
  readonly composition?: boolean | undefined
  readonly access?: number | undefined
  readonly place?: Place | undefined
}

/** Creates an instance. A composition has the type as given; a value has the type with the prefix `the_`. */
export function makeInstance(
  client: ReturnType<typeof writer>,
  { type, value, composition = false, access = PRIVATE, place }: Instance,
) {
  const options = { access: accessOf(access) }
  const target = place ? placingWriter(client, place) : client
  return composition
    ? createRecord(target, type, {}, options)
    : createConcept(target, type, String(value), options)
}

/** Returns a valid access number; invalid numbers mean private. */
export const accessOf = (access: number | null | undefined): 3 | 4 | 5 =>
  access === 3 || access === 5 ? access : PRIVATE

/** Creates an instance, with a position if one is given, and waits for the server. An existing value keeps its position. */
export async function MakeTheInstanceConcept(
  type: string,
  referent: string,
  composition: boolean | undefined,
  _userId: number,
  passedAccessId: number = PRIVATE,
  _passedSessionId?: number,
  _referentId?: number,
  place?: Place,
): Promise<any> {
  const instance = { type, value: referent, composition, access: passedAccessId, place }
  return orThrow(accepted(makeInstance(writer(), instance)).then((id) => conceptOf(id)))
}

/**
 * Creates an instance in this page, with a position if one is given. It is sent automatically. An existing value keeps
 * its position.
 */
export async function MakeTheInstanceConceptLocal(
  type: string,
  referent: string,
  composition: boolean | undefined,
  _userId: number,
  accessId: number,
  _sessionInformationId?: number,
  _referentId?: number,
  actions?: InnerActions,
  place?: Place,
): Promise<any> {
  const instance = { type, value: referent, composition, access: accessId, place }
  return conceptOf(makeInstance(writer(actions), instance).id)
}

/** Creates a value with a time, and waits for the server. */
export const MakeTheTimestamp = (
  type: string,
  referent: string,
  userId: number,
  accessId: number = PRIVATE,
  sessionInformationId?: number,
): Promise<any> =>
  MakeTheInstanceConcept(type, referent, false, userId, accessId, sessionInformationId)

/** Removes a concept with its connections and the records inside it. Resolves with false if the removal is refused, otherwise with true. */
export async function DeleteConceptById(id: number): Promise<any> {
  const removed = removeWithNested(writer(), id).then(accepted)
  return orFallback(
    removed.then(() => true),
    false,
  )
}

/** Removes a concept in this page. The removal is sent automatically. */
export async function DeleteConceptLocal(id: number): Promise<any> {
  writer().remove(id)
  return true
}

/** Removes a concept as the signed-in user. Rejects if the removal is refused. */
export async function TrashTheConcept(id: number, _token: string): Promise<void> {
  await orThrow(removeWithNested(writer(), id).then(accepted))
}
