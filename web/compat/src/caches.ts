import type { Id } from '@weft/client'
import { findConceptByText, getConnections } from '@weft/client/graph'
import { orFallback } from './errors.ts'
import { type Concept, CreateDefaultConcept } from './model/concept.ts'
import { type Connection, createDefaultConnection } from './model/connection.ts'
import { anonymousUser } from './model/constants.ts'
import { conceptOf, fromConcept, fromConnection, toConcept, toConnection } from './records.ts'
import { currentClient, currentInternals, isOpen } from './start.ts'
import { WidgetDetails } from './widgets/details.ts'

/*
 * The caches and trees of the wire contract, as views of the client's graph. Reading a cache reads the graph, and
 * adding a record adds it to the graph. No record is stored twice, and no cache must be loaded first.
 */

/** Adds a record of the server to the graph. A local record is already in the graph. */
export function addConcept(concept: Concept): void {
  if (concept.id <= 0 || !isOpen()) return
  const { graph } = currentInternals()
  const { type } = concept
  const concepts = [...(type?.id > 0 ? [fromConcept(type)] : []), fromConcept(concept)]
  graph.add({ concepts, connections: [] })
}

export function addConnection(connection: Connection): void {
  if (connection.id <= 0 || !isOpen()) return
  currentInternals().graph.add({ concepts: [], connections: [fromConnection(connection)] })
}

/** Evicts a record of the server until it is needed again. */
function evictConcept(id: Id): void {
  if (isOpen() && id > 0) currentInternals().graph.evict([id], [])
}

/** Returns the loaded instances of a type. */
function instancesOf(typeId: Id): Concept[] {
  const { graph } = currentInternals()
  return graph.instances(typeId).map((id) => conceptOf(id))
}

/** Returns the loaded instances of a type that belong to a user or to the shared user. */
function instancesOfUser(typeId: Id, userId: Id): Concept[] {
  const owners = [userId, anonymousUser]
  return instancesOf(typeId).filter((c) => owners.includes(c.userId))
}

/** Finds a loaded value by its text and the id of its type. */
function findValue(text: string, typeId: Id): Concept {
  const { graph } = currentInternals()
  const found = graph.find(graph.concept(typeId)?.value ?? '', text)
  return found ? toConcept(graph, found) : CreateDefaultConcept()
}

/** Finds a loaded type by its name. */
function findType(name: string): Concept {
  const { graph } = currentInternals()
  const id = graph.type(name)
  return id === undefined ? CreateDefaultConcept() : conceptOf(id)
}

async function findByText(text: string): Promise<Concept> {
  const known = findType(text)
  if (known.id) return known
  const found = await orFallback(findConceptByText(currentClient(), text), undefined)
  return found ? conceptOf(found.id) : CreateDefaultConcept()
}

const widgets = new Map<number, WidgetDetails>()

/** The concepts of this page. */
export class ConceptsData {
  static conceptsArray: Concept[] = []
  static NPC: number[] = []
  static conceptDictionary: any = {}
  name = 'conceptsArray'

  static CheckContains(concept: Concept): boolean {
    return currentInternals().graph.concept(concept.id) !== undefined
  }

  static AddNpc(id: number): void {
    if (!ConceptsData.NPC.includes(id)) ConceptsData.NPC.push(id)
    if (ConceptsData.NPC.length > 10) ConceptsData.NPC = []
  }

  static GetNpc(id: number): boolean {
    return ConceptsData.NPC.includes(id)
  }

  static AddConceptToStorage(concept: Concept): void {
    addConcept(concept)
  }

  /** Adds the loaded concepts to one list, and the ids of the other concepts to a second list. */
  static async GetConceptBulkData(
    ids: number[],
    connectionArray: Concept[],
    remainingIds: any,
  ): Promise<void> {
    for (const id of ids) {
      const found = conceptOf(id)
      if (found.id) connectionArray.push(found)
      else remainingIds.push(id)
    }
  }

  static AddWidget(widgetDetails: WidgetDetails): void {
    widgets.set(widgetDetails.widgetId, widgetDetails)
  }

  static AddConcept(concept: Concept): void {
    addConcept(concept)
  }

  static AddConceptToMemory(concept: Concept): void {
    addConcept(concept)
  }

  static AddConceptTemporary(concept: Concept): void {
    addConcept(concept)
  }

  static RemoveConcept(concept: Concept): void {
    evictConcept(concept.id)
  }

  static async GetWidget(id: number): Promise<WidgetDetails> {
    return widgets.get(id) ?? new WidgetDetails()
  }

  static async RemoveWidget(id: number): Promise<any> {
    return widgets.delete(id)
  }

  /** Returns a loaded concept. */
  static async GetConcept(id: number): Promise<any> {
    return conceptOf(id)
  }

  static GetConceptByCharacter(characterValue: string): Promise<Concept> {
    return findByText(characterValue)
  }

  static GetConceptByCharacterUpdated(characterValue: string): Promise<Concept> {
    return findByText(characterValue)
  }

  static async GetConceptByCharacterAndTypeLocal(
    character_value: string,
    typeId: number,
  ): Promise<Concept> {
    return findValue(character_value, typeId)
  }

  static async GetConceptByCharacterAndCategoryLocal(
    character_value: string,
    _categoryId: number,
  ): Promise<Concept> {
    return findType(character_value)
  }

  static GetConceptsByTypeId(typeId: number): Concept[] {
    return instancesOf(typeId)
  }

  static async GetConceptsByTypeIdAndUser(typeId: number, userId: number): Promise<any> {
    return instancesOfUser(typeId, userId)
  }

  static GetBinaryCharacterTree(): any {
    return null
  }

  getName(): string {
    return this.name
  }
}

/** The connections of this page. */
export class ConnectionData {
  static deletedConnections: number[] = []
  static connectionArray: Connection[] = []
  static connectionDictionary: any = {}
  name = 'connectionArray'

  static CheckContains(connection: Connection): boolean {
    return currentInternals().graph.connection(connection.id) !== undefined
  }

  static AddConnectionToStorage(connection: Connection): void {
    addConnection(connection)
  }

  static AddNpConn(id: number): void {
    ConnectionData.deletedConnections.push(id)
  }

  static GetNpConn(id: number): boolean {
    return ConnectionData.deletedConnections.includes(id)
  }

  static AddConnection(connection: Connection): void {
    addConnection(connection)
  }

  static AddConnectionToMemory(connection: Connection): void {
    addConnection(connection)
  }

  static AddToDictionary(connection: Connection): void {
    addConnection(connection)
  }

  /** Evicts a connection until it is needed again. */
  static RemoveConnection(connection: Connection): void {
    if (connection.id > 0) currentInternals().graph.evict([], [connection.id])
  }

  /** Does nothing: connections are found by their types without a tree. */
  static GetConnectionTypeOfTree(): void {}

  static async GetConnectionByOfTheConceptAndType(
    ofTheConceptId: number,
    typeId: number,
  ): Promise<any> {
    return ConnectionData.GetConnectionByOfType(ofTheConceptId, typeId)
  }

  /** Returns the loaded connections of a type from a concept. */
  static GetConnectionByOfType(ofTheConceptId: number, typeId: number): any {
    const { graph } = currentInternals()
    return graph.out(ofTheConceptId, typeId).map((c) => toConnection(graph, c))
  }

  static GetConnectionTree(): any {
    return null
  }

  static GetConnectionTypeTree(): any {
    return null
  }

  /** Adds the loaded connections to one list, and the ids of the other connections to a second list. */
  static async GetConnectionBulkData(
    ids: number[],
    connectionArray: Connection[],
    remainingIds: any,
  ): Promise<void> {
    const { graph } = currentInternals()
    for (const id of ids) {
      const found = graph.connection(id)
      if (found) connectionArray.push(toConnection(graph, found))
      else remainingIds.push(id)
    }
  }

  static async GetConnection(id: number): Promise<any> {
    const { graph } = currentInternals()
    const [found] = await orFallback(getConnections(currentClient(), [id]), [])
    return found ? toConnection(graph, found) : createDefaultConnection()
  }

  /** Returns the loaded connections inside a composition. */
  static async GetConnectionsOfCompositionLocal(id: number): Promise<any> {
    const { graph } = currentInternals()
    return graph.connectionsOfType(id).map((c) => toConnection(graph, c))
  }

  /** Returns the loaded connections from a concept. */
  static async GetConnectionsOfConcept(id: number): Promise<any> {
    const { graph } = currentInternals()
    return graph.out(id).map((c) => toConnection(graph, c))
  }

  getName(): string {
    return this.name
  }
}

/** The concepts that were created in this browser. */
export class LocalConceptsData {
  static localconceptsArray: Concept[] = []
  name = 'localconceptsArray'

  static AddConcept(concept: Concept): void {
    addConcept(concept)
  }

  static AddPermanentConcept(concept: Concept): void {
    addConcept(concept)
  }

  static async RemoveConcept(concept: Concept): Promise<void> {
    evictConcept(concept.id)
  }

  static async RemoveConceptById(conceptId: number): Promise<void> {
    evictConcept(conceptId)
  }

  static AddConceptToMemory(concept: Concept): void {
    addConcept(concept)
  }

  static async GetConcept(id: number): Promise<Concept> {
    return conceptOf(id)
  }

  /** Does nothing: the client tracks which records are sent. */
  static async UpdateConceptSyncStatus(_id: number): Promise<void> {}

  static async GetConceptByGhostId(id: number): Promise<Concept> {
    return conceptOf(id)
  }

  static async GetConceptByCharacter(characterValue: string): Promise<Concept> {
    return findType(characterValue)
  }

  static async GetConceptByCharacterAndTypeLocal(
    character_value: string,
    typeId: number,
  ): Promise<Concept> {
    return findValue(character_value, typeId)
  }

  static async GetConceptByCharacterAndCategoryLocal(
    character_value: string,
    _categoryId: number,
  ): Promise<Concept> {
    return findType(character_value)
  }

  static GetConceptsByTypeId(typeId: number): Concept[] {
    return instancesOf(typeId)
  }

  static async GetConceptsByTypeIdAndUser(typeId: number, userId: number): Promise<Concept[]> {
    return instancesOfUser(typeId, userId)
  }

  /** Does nothing: unsent records must not be lost. */
  static async ClearData(): Promise<void> {}

  getName(): string {
    return this.name
  }
}
