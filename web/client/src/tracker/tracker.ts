import type { Client } from '../api.ts'
import { type Internals, internalsOf } from '../internals.ts'
import type { Id } from '../model/id.ts'
import { observeReads } from './observe-reads.ts'
import { type Counts, type Kind, kinds, UsageCounts } from './usage-counts.ts'

/*
 * Usage statistics: which concepts and connections an application reads most.
 *
 *   reads of a client ──observe-reads.ts──▶ UsageCounts ──every two minutes──▶ POST sync-access-tracker
 *
 *   idle ──start──▶ counting ──the returned function, or client.close──▶ idle
 *
 * While counting, a read costs one map update, and a request is sent only for a signed-in user with new counts. Counts
 * of a failed request are kept for the next one.
 */

export interface TrackerOptions {
  /** Logs failed requests, for example a `Logger`. */
  readonly logger?: { log(level: 'ERROR', message: string, fields: { errorMessage: string }): void }
  /** Minimum time between two successful requests, in milliseconds. Default: 120,000. */
  readonly sendInterval?: number
  /**
   * Interval at which the tracker checks whether a request is due, in milliseconds. Also the delay of a retry. Default:
   * 60,000.
   */
  readonly checkInterval?: number
}

/** Counts the uses of concepts and connections. The server adds up the counts of all tabs and users. */
export interface Tracker {
  /**
   * Counts the application's reads from now on, and sends the counts regularly while a user is signed in. Returns a
   * function that stops this and keeps the counts. Starting a running tracker returns the same function.
   */
  start(): () => void
  /** Counts one use of a concept, even while stopped. */
  countConcept(id: Id): void
  /** Counts one use of a connection, even while stopped. */
  countConnection(id: Id): void
  /** Lists the `n` most used concepts and connections. A record without a real id is listed by its local id. */
  getTop(n: number): Readonly<Record<Kind, readonly UsageCount[]>>
  /**
   * Sends the counts now. Resolves with true if the server has received them; with false for a guest, without new
   * counts, or after a failed request.
   */
  sendToServer(): Promise<boolean>
  /** Saves the counts in local storage for a later visit. Returns false if that fails. */
  save(): boolean
  /** Loads and removes saved counts. Resolves with false if none were saved for this user and server. */
  load(): Promise<boolean>
}

export interface UsageCount {
  readonly id: Id
  readonly count: number
}

/** Maximum number of ids in one request, and in the saved counts. */
const maxIds = 10_000
/** Local storage key of saved counts. */
const storageKey = 'Access Data'

/** Returns the tracker of a client. A client has one tracker; the options of later calls are ignored. */
export function createTracker(client: Client, options?: TrackerOptions): Tracker {
  const tracker = trackers.get(client) ?? new ClientTracker(client, options)
  trackers.set(client, tracker)
  return tracker
}

const trackers = new WeakMap<Client, Tracker>()

class ClientTracker implements Tracker {
  readonly #client: Client
  readonly #internals: Internals
  readonly #options: TrackerOptions
  readonly #usage: UsageCounts
  /** Time of the next scheduled request, in milliseconds of `performance.now()`. */
  #dueAt = 0
  /** Stops the counting; undefined while idle. */
  #stop: (() => void) | undefined
  /** The current request. */
  #flight: Promise<boolean> | undefined
  /** The string that this tracker saved last. */
  #savedText: string | undefined

  constructor(client: Client, options: TrackerOptions = {}) {
    this.#client = client
    this.#internals = internalsOf(client)
    this.#options = options
    this.#usage = new UsageCounts(this.#internals.graph)
  }

  readonly start = (): (() => void) => {
    if (this.#stop) return this.#stop
    const { checkInterval = 60_000 } = this.#options
    this.#scheduleNext()
    const timer = setInterval(() => {
      if (performance.now() >= this.#dueAt) void this.sendToServer()
    }, checkInterval)
    const stop = () => {
      if (this.#stop !== stop) return
      clearInterval(timer)
      stopObserving()
      this.#stop = undefined
    }
    const stopObserving = observeReads(this.#client, this.#usage, stop)
    this.#stop = stop
    return stop
  }

  readonly countConcept = (id: Id): void => this.#usage.add('concepts', id)

  readonly countConnection = (id: Id): void => this.#usage.add('connections', id)

  readonly getTop = (n: number) => ({
    concepts: this.#rank('concepts', n),
    connections: this.#rank('connections', n),
  })

  readonly sendToServer = (): Promise<boolean> => {
    this.#flight ??= this.#send().finally(() => {
      this.#flight = undefined
    })
    return this.#flight
  }

  readonly save = (): boolean => {
    const counts = this.#usage.snapshot(maxIds)
    this.#savedText = JSON.stringify({ about: this.#owner(), counts })
    try {
      if (countIds(counts) === 0) localStorage.removeItem(storageKey)
      else localStorage.setItem(storageKey, this.#savedText)
      return true
    } catch {
      return false
    }
  }

  readonly load = async (): Promise<boolean> => {
    await this.#client.ready
    try {
      const text = localStorage.getItem(storageKey) ?? ''
      const { about, counts } = JSON.parse(text) as { about: string; counts: Counts }
      if (text === this.#savedText || about !== this.#owner()) return false
      for (const kind of kinds)
        for (const [id, count] of Object.entries(counts[kind])) this.#usage.add(kind, +id, count)
      localStorage.removeItem(storageKey)
      return true
    } catch {
      return false
    }
  }

  /** Sends the counts in requests of at most `maxIds` ids. */
  async #send(): Promise<boolean> {
    const { graph, http } = this.#internals
    let size = maxIds
    while (size === maxIds) {
      const { user } = graph
      const counts = this.#usage.snapshot(maxIds)
      size = countIds(counts)
      if (!http.token || size === 0) return false
      try {
        await http.post('/api/v1/access-tracker/sync-access-tracker', counts)
      } catch (e) {
        const message = 'Failed to sync data to the server.'
        this.#options.logger?.log('ERROR', message, { errorMessage: `${e}` })
        return false
      }
      if (user === graph.user) this.#usage.subtract(counts)
      if (this.#savedText) this.save()
    }
    this.#scheduleNext()
    return true
  }

  #scheduleNext(): void {
    this.#dueAt = performance.now() + (this.#options.sendInterval ?? 120_000)
  }

  #rank(kind: Kind, n: number): UsageCount[] {
    const ranked = this.#usage.rank(kind).slice(0, n)
    return ranked.map(([id, count]) => ({ id, count }))
  }

  /** Returns a string that identifies the user, server and store to which the counts belong. */
  #owner(): string {
    const { store, user } = this.#internals.graph
    return `${this.#client.url} ${store} ${user}`
  }
}

const countIds = ({ concepts, connections }: Counts): number =>
  Object.keys(concepts).length + Object.keys(connections).length
