import { toFreeschemaError } from '../errors.ts'
import { JUSTDATA } from '../model/constants.ts'

/*
 * Listeners: results that stay up to date while they have subscribers.
 *
 *   created ──subscribe, execute──▶ loading ──first result──▶ live ──last unsubscribe──▶ created
 *
 * A listener follows local writes and changes by other clients. Its source is a live query of the client, or a result that is
 * computed again when one of the records it depends on changes.
 *
 *   observer.ts   the class that applications extend, and the interface of its source
 *   sources.ts    the two kinds of sources
 *   queries.ts    listeners of schema queries, compositions, lists and links
 *   searches.ts   listeners of searches
 */

/** The source of a listener: a result that may change. */
export interface Source {
  /** Starts the source and calls back after each change. Returns a function that stops it. */
  start(changed: () => void): () => void
  /** Resolves when the first result has arrived. */
  load(): Promise<void>
  /** Fetches the result again. */
  refresh(): Promise<void>
  /** Returns the current result. Throws the error of the source. */
  read(): any
}

/**
 * Listens to data. Applications get instances from the functions of the other files of this folder, and may extend the
 * class.
 */
export class DependencyObserver {
  subscribers: any[] = []
  mainConcept = 0
  compositionIds: number[] = []
  conceptIds: number[] = []
  internalConnections: number[] = []
  reverse: number[] = []
  linkers: number[] = []
  newIds: number[] = []
  dependency: number[] = []
  isDataLoaded = false
  isUpdating = false
  data: any = []
  fetched = false
  format: number = JUSTDATA
  eventHandlers: { [key: string]: (event: Event) => void } = {}
  /** The source, while there are subscribers. `stop` ends it. */
  protected source: Source | undefined
  protected stop: (() => void) | undefined

  /** Also updates on each new concept of a type. */
  listenToEventType(id: number): void {
    this.listenToEvent(id)
  }

  /** Also updates on each event with this id as its name. */
  listenToEvent(id: number): void {
    if (typeof window === 'undefined') return
    this.removeListenToEvent(id)
    const handler = () => void this.refreshQuietly()
    this.eventHandlers[id] = handler
    window.addEventListener(String(id), handler)
  }

  removeListenToEvent(id: number): void {
    const handler = this.eventHandlers[id]
    if (!handler) return
    window.removeEventListener(String(id), handler)
    delete this.eventHandlers[id]
  }

  /** Also updates on each new connection from a concept. */
  listenToEventConnectionType(id: number, _connectionType: number): void {
    this.listenToEvent(id)
  }

  /** Computes the data from the source. Subclasses may override it. */
  async bind(): Promise<any> {
    if (this.source) this.data = this.source.read()
    return this.data
  }

  /** Loads the data, unless it is loaded. */
  async run(): Promise<void> {
    if (!this.isDataLoaded) await this.execute()
  }

  /** Asks the server again, with the current query, and notifies the subscribers. */
  async update(): Promise<void> {
    this.isUpdating = true
    try {
      const hadSubscribers = this.stop !== undefined
      this.close()
      await this.open(hadSubscribers)
      await this.bind()
    } finally {
      this.isUpdating = false
    }
    this.notify()
  }

  /**
   * Calls back with the data, and again after every change. Resolves after the first callback. Both the promise and its
   * value have a method `unsubscribe`. An error is passed to `errorCallback` and rejects the promise.
   */
  subscribe(callback: any, errorCallback?: (error: Error) => void): any {
    this.subscribers.push(callback)
    const unsubscribe = () => this.unsubscribe(callback)
    const started = this.begin(callback, errorCallback).then(() => ({ unsubscribe }))
    return Object.assign(started, { unsubscribe })
  }

  /** Loads the data without subscribing. */
  async execute(): Promise<void> {
    const wasOpen = this.stop !== undefined
    await this.open(wasOpen)
    await this.bind()
    if (!wasOpen && this.subscribers.length === 0) this.close()
  }

  /** Removes a subscriber. Returns the number of remaining subscribers. */
  unsubscribe(callback: any): number {
    this.subscribers = this.subscribers.filter((subscriber) => subscriber !== callback)
    if (this.subscribers.length === 0) this.close()
    return this.subscribers.length
  }

  /** Calls all subscribers with the data. */
  notify(): void {
    for (const subscriber of [...this.subscribers]) subscriber(this.data, this)
  }

  /** Creates the source. Classes without a source keep their data. */
  protected createSource(): Source | undefined | Promise<Source | undefined> {
    return undefined
  }

  private async begin(callback: any, errorCallback?: (error: Error) => void): Promise<void> {
    try {
      await this.open(true)
      const before = this.data
      await this.bind()
      if (!this.subscribers.includes(callback)) return
      if (this.data !== before || this.isDataLoaded) callback(this.data, this)
      this.isDataLoaded = true
    } catch (e) {
      const error = toFreeschemaError(e)
      errorCallback?.(error)
      throw error
    }
  }

  /** Loads the source. If `stays` is set, keeps it up to date from then on. */
  private async open(stays: boolean): Promise<void> {
    this.source ??= await this.createSource()
    const { source } = this
    if (!source) return
    if (stays && !this.stop) this.stop = source.start(() => void this.changed())
    await source.load()
    this.fetched = true
    this.isDataLoaded = true
  }

  private close(): void {
    this.stop?.()
    this.stop = undefined
    this.source = undefined
    for (const id of Object.keys(this.eventHandlers)) this.removeListenToEvent(Number(id))
  }

  private async changed(): Promise<void> {
    if (this.isUpdating || !this.fetched) return
    const before = this.data
    await this.bind()
    if (this.data !== before) this.notify()
  }

  private async refreshQuietly(): Promise<void> {
    await this.source?.refresh().catch(() => {})
    await this.changed()
  }
}
