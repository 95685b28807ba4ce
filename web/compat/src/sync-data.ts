import type { Id, PendingWrite } from '@weft/client'
import { disconnect } from '@weft/client/graph'
import { addConcept, addConnection } from './caches.ts'
import { type Concept, CreateDefaultConcept } from './model/concept.ts'
import type { Connection } from './model/connection.ts'
import type { InnerActions } from './model/records.ts'
import { conceptOf, toConcept, toConnection } from './records.ts'
import { currentClient, currentInternals, isOpen } from './start.ts'
import { transactions } from './transaction-list.ts'
import { commitTransaction, loadOpenTransactions, savedWrites, settledKeys } from './writes.ts'

/*
 * Sync. The client saves and sends each write automatically, so there is nothing to start. `SyncDataOnline` waits until
 * the server has accepted the writes so far. While the server is unreachable, it waits only until the writes are saved
 * in this browser; they are sent later. A failed sync loses no write.
 */

/** Lists the writes that wait for the server, except those of open transactions. */
const waitingWrites = (): PendingWrite[] =>
  isOpen()
    ? currentClient()
        .sync.writes()
        .filter((write) => !write.held)
    : []

/** Lists the unsent concepts and connections of this page. */
function unsent(): InnerActions {
  if (!isOpen()) return { concepts: [], connections: [] }
  const { graph, outbox } = currentInternals()
  const mutations = outbox.pending.mutations()
  const concepts = new Map(mutations.flatMap((m) => m.concepts).map((c) => [c.id, c]))
  const instances = [...concepts.values()].flatMap((c) => graph.concept(c.id) ?? [])
  const connections = mutations.flatMap((m) => m.connections)
  return {
    concepts: instances.filter((c) => c.id < 0).map((c) => toConcept(graph, c)),
    connections: connections
      .flatMap((c) => graph.connection(c.id) ?? [])
      .map((c) => toConnection(graph, c)),
  }
}

/** Waits for the writes made so far. Resolves with the concepts that were sent. Rejects if a write is refused. */
async function waitForWrites(): Promise<any> {
  const { concepts } = unsent()
  await currentClient().ready
  await settledKeys(new Set(waitingWrites().map((write) => write.key)))
  return concepts.map((c) => conceptOf(c.ghostId))
}

/** Removes an unsent concept. */
async function discardConcept(id: Id): Promise<void> {
  if (id < 0 && currentInternals().graph.concept(id)) currentClient().remove(id)
}

/** The unsent records. */
export class LocalSyncData {
  static ghostIdMap = new Map<number, number>()

  static get conceptsSyncArray(): Concept[] {
    return unsent().concepts
  }

  static get connectionSyncArray(): Connection[] {
    return unsent().connections
  }

  static get transactionCollections(): any[] {
    return [...transactions.keys()].map((id) => ({ id }))
  }

  static CheckContains(concept: Concept): boolean {
    return unsent().concepts.some((c) => c.ghostId === concept.id || c.id === concept.id)
  }

  static SyncDataDelete(id: number): void {
    void discardConcept(id)
  }

  static CheckContainsConnection(connection: Connection): boolean {
    return unsent().connections.some((c) => c.ghostId === connection.id || c.id === connection.id)
  }

  /** Adds a concept to this page. A local concept is already among the unsent records. */
  static AddConcept(concept: Concept): void {
    addConcept(concept)
  }

  static RemoveConcept(concept: Concept): void {
    void discardConcept(concept.id)
  }

  static SyncDataOnlineWithoutAuth(
    transactionId?: string,
    actions?: InnerActions,
    withAuth = false,
  ): Promise<any> {
    return LocalSyncData.SyncDataOnline(transactionId, actions, withAuth)
  }

  static async SyncDataOnline(
    transactionId?: string,
    _actions?: InnerActions,
    _withAuth = true,
  ): Promise<any> {
    if (transactionId && transactions.has(transactionId)) await commitTransaction(transactionId)
    return waitForWrites()
  }

  /** Replaces local ids by real ids, where these are known. */
  static ConvertGhostIdsInConnections(connectionArray: Connection[]): void {
    const { graph } = currentInternals()
    for (const connection of connectionArray) {
      connection.ofTheConceptId = graph.real(connection.ofTheConceptId)
      connection.toTheConceptId = graph.real(connection.toTheConceptId)
      connection.typeId = graph.real(connection.typeId)
    }
  }

  /** Adds the unsent concepts that connections refer to. */
  static async UpdateConceptListToIncludeRelatedConcepts(
    connectionArray: Connection[],
    conceptsArray: Concept[],
  ): Promise<void> {
    for (const { ofTheConceptId, toTheConceptId, typeId } of connectionArray)
      for (const id of [ofTheConceptId, toTheConceptId, typeId])
        if (id < 0) LocalSyncData.AddConceptIfDoesNotExist(conceptOf(id), conceptsArray)
  }

  static AddConceptIfDoesNotExist(concept: Concept, conceptList: Concept[] = []): void {
    if (concept.id && !conceptList.some((c) => c.id === concept.id)) conceptList.push(concept)
  }

  static CheckIfTheConceptIdExists(id: number, conceptList: Concept[] = []): Concept {
    return conceptList.find((c) => c.id === id) ?? CreateDefaultConcept()
  }

  static AddConnection(connection: Connection): void {
    addConnection(connection)
  }

  static RemoveConnection(connection: Connection): void {
    LocalSyncData.RemoveConnectionById(connection.id)
  }

  static RemoveConnectionById(connectionId: number): void {
    const { graph } = currentInternals()
    if (connectionId < 0 && graph.connection(connectionId))
      disconnect(currentClient(), connectionId)
  }

  /** Resolves when the writes made so far are saved in this browser. */
  static async syncDataLocalDb(): Promise<string> {
    await currentClient().ready
    await savedWrites(currentClient().sync.writes())
    return 'done'
  }

  static async initializeTransaction(transactionId: string): Promise<any> {
    const { openTransaction } = await loadOpenTransactions()
    openTransaction(transactionId)
  }

  /** Does nothing: a write belongs to its transaction from the start. */
  static async markTransactionActions(
    _transactionId: string,
    _actions: InnerActions,
  ): Promise<any> {}

  static async rollbackTransaction(transactionId: string, actions: InnerActions): Promise<any> {
    const { rollbackTransaction } = await loadOpenTransactions()
    await rollbackTransaction(transactionId)
    actions.concepts = []
    actions.connections = []
  }
}

/** The unsent records of the online calls, which are the same as those of the local calls. */
export class SyncData {
  static get conceptsSyncArray(): Concept[] {
    return unsent().concepts
  }

  static get connectionSyncArray(): Connection[] {
    return unsent().connections
  }

  static CheckContains(concept: Concept): boolean {
    return LocalSyncData.CheckContains(concept)
  }

  static SyncDataDelete(id: number): void {
    LocalSyncData.SyncDataDelete(id)
  }

  static CheckContainsConnection(connection: Connection): boolean {
    return LocalSyncData.CheckContainsConnection(connection)
  }

  static AddConcept(concept: Concept): void {
    LocalSyncData.AddConcept(concept)
  }

  static RemoveConcept(concept: Concept): void {
    LocalSyncData.RemoveConcept(concept)
  }

  static AddConnection(connection: Connection): void {
    LocalSyncData.AddConnection(connection)
  }

  static RemoveConnection(connection: Connection): void {
    LocalSyncData.RemoveConnection(connection)
  }

  static SyncDataOnline(): Promise<any> {
    return waitForWrites()
  }
}
