import type { Tracker } from '@weft/client/tracker'
import { toConcept, toConnection } from './records.ts'
import { currentClient, currentInternals } from './start.ts'

/** Counts the uses of concepts and connections. `init` starts it if the flag `accessTracker` is set. */
export class AccessTracker {
  static conceptsData: Record<number, number> = {}
  static connectionsData: Record<number, number> = {}
  static SYNC_INTERVAL_MS = 120_000
  static nextSyncTime = 0
  static activateStatus = false
  static accessData: any = null

  static incrementConcept(conceptId: number): void {
    if (!conceptId) return
    AccessTracker.conceptsData[conceptId] = (AccessTracker.conceptsData[conceptId] ?? 0) + 1
    void loadTracker().then((tracker) => tracker.countConcept(conceptId))
  }

  static incrementConnection(connectionId: number): void {
    if (!connectionId) return
    const counts = AccessTracker.connectionsData
    counts[connectionId] = (counts[connectionId] ?? 0) + 1
    void loadTracker().then((tracker) => tracker.countConnection(connectionId))
  }

  static getTopConcepts(n: number): [number, number][] {
    return top(AccessTracker.conceptsData, n)
  }

  static getTopConnections(n: number): [number, number][] {
    return top(AccessTracker.connectionsData, n)
  }

  static saveDataToLocalStorage(): void {
    void loadTracker().then((tracker) => tracker.save())
  }

  static loadDataFromLocalStorage(): void {
    void loadTracker().then((tracker) => tracker.load())
  }

  /** Sends the counts. A failed request is repeated later. */
  static async sendToServer(): Promise<void> {
    await (await loadTracker()).sendToServer()
    AccessTracker.nextSyncTime = Date.now() + AccessTracker.SYNC_INTERVAL_MS
  }

  static syncToServer(): Promise<void> {
    return AccessTracker.sendToServer()
  }

  static setNextSyncTime(): void {
    AccessTracker.nextSyncTime = Date.now() + AccessTracker.SYNC_INTERVAL_MS
  }

  static startAutoSync(): void {
    AccessTracker.activateStatus = true
    void loadTracker().then((tracker) => tracker.start())
  }

  static syncNow(): Promise<void> {
    return AccessTracker.sendToServer()
  }

  /** Fetches the most used concepts. */
  static async GetSuggestedConcepts(n?: number): Promise<any> {
    const { suggestedConcepts } = await import('@weft/client/tracker')
    const { graph } = currentInternals()
    return (await suggestedConcepts(currentClient(), n)).map((c) => toConcept(graph, c))
  }

  /** Fetches the most used connections. */
  static async GetSuggestedConnections(n?: number): Promise<any> {
    const { suggestedConnections } = await import('@weft/client/tracker')
    const { graph } = currentInternals()
    return (await suggestedConnections(currentClient(), n)).map((c) => toConnection(graph, c))
  }

  /** Does nothing: suggested concepts are already in the graph. */
  static addConceptToBinaryTree(): void {}

  static addConnectionToBinaryTree(): void {}
}

function top(counts: Record<number, number>, n: number): [number, number][] {
  const entries = Object.entries(counts).map(([id, count]): [number, number] => [Number(id), count])
  return entries.sort(([, a], [, b]) => b - a).slice(0, n)
}

async function loadTracker(): Promise<Tracker> {
  const { createTracker } = await import('@weft/client/tracker')
  return createTracker(currentClient())
}
