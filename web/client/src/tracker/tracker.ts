import type { Client } from '../api.ts'
import type { Id } from '../graph/id.ts'
import { insideOf } from '../inside.ts'
import { observe } from './observe.ts'
import { type Counts, type Kind, kinds, Uses } from './uses.ts'

export interface TrackerOptions {
  /** Told when the server could not be: a logger will do. */
  readonly logger?: { log(level: 'ERROR', message: string, fields: { errorMessage: string }): void }
  /** How long to wait, in milliseconds, from one time that the server was told to the next: 120,000. */
  readonly interval?: number
  /** How often to look, in milliseconds, whether that time has come: 60,000. Also when to try again. */
  readonly check?: number
}

/**
 * Counts which concepts and connections an application uses of a client, and tells the server, which adds up
 * what all tabs and users tell it.
 */
export interface Tracker {
  /**
   * From now on what the application reads is counted, and told when it is time and somebody is signed in, until the
   * function returned is called. What was counted stays. One that runs is not started again.
   */
  start(): () => void
  /** Counts one more use, also without being started. */
  countConcept(id: Id): void
  countConnection(id: Id): void
  /** Those used most, first. What the server does not know yet goes by its local id. */
  getTop(n: number): Readonly<Record<Kind, readonly Use[]>>
  /** Tells the server now. False when nobody is signed in, there is nothing to tell, or it did not succeed. */
  sendToServer(): Promise<boolean>
  /** Keeps what was counted in local storage, for a later visit. False where that does not work. */
  save(): boolean
  /** Takes back what an earlier visit saved. False when there is nothing, or it is of another user or server. */
  load(): Promise<boolean>
}

export interface Use {
  readonly id: Id
  readonly count: number
}

/** The most ids that servers take at once, and that are saved. */
const most = 10_000
/** Where uses are saved. */
const key = 'Access Data'

/** The tracker of a client: asking again gives the same one. */
export function createTracker(client: Client, options?: TrackerOptions): Tracker {
  const tracker = trackers.get(client) ?? trackerOf(client, options)
  trackers.set(client, tracker)
  return tracker
}

const trackers = new WeakMap<Client, Tracker>()

function trackerOf(client: Client, options: TrackerOptions = {}): Tracker {
  const { logger, interval = 120_000, check = 60_000 } = options
  const { graph, http } = insideOf(client)
  const uses = new Uses(graph)
  let due = 0
  let stop: (() => void) | undefined
  let flight: Promise<boolean> | undefined
  /** What this tracker saved last. */
  let saved: string | undefined

  function start(): () => void {
    if (stop) return stop
    due = performance.now() + interval
    const timer = setInterval(() => {
      if (performance.now() >= due) void sendToServer()
    }, check)
    const unobserve = observe(client, uses, end)
    function end(): void {
      if (stop !== end) return
      clearInterval(timer)
      unobserve()
      stop = undefined
    }
    stop = end
    return end
  }

  function sendToServer(): Promise<boolean> {
    flight ??= send().finally(() => {
      flight = undefined
    })
    return flight
  }

  async function send(): Promise<boolean> {
    let size = most
    while (size === most) {
      const { user } = graph
      const counts = uses.counts(most)
      size = sizeOf(counts)
      if (!http.token || size === 0) return false
      try {
        await http.post('/api/v1/access-tracker/sync-access-tracker', counts)
      } catch (e) {
        logger?.log('ERROR', 'Failed to sync data to the server.', { errorMessage: `${e}` })
        return false
      }
      if (user === graph.user) uses.subtract(counts)
      if (saved) save()
    }
    due = performance.now() + interval
    return true
  }

  /** Whose uses these are, and of what. */
  const about = () => `${client.url} ${graph.store} ${graph.user}`

  function save(): boolean {
    const counts = uses.counts(most)
    saved = JSON.stringify({ about: about(), counts })
    try {
      if (sizeOf(counts) === 0) localStorage.removeItem(key)
      else localStorage.setItem(key, saved)
      return true
    } catch {
      return false
    }
  }

  async function load(): Promise<boolean> {
    await client.ready
    try {
      const text = localStorage.getItem(key) ?? ''
      const { about: of, counts } = JSON.parse(text) as { about: string; counts: Counts }
      if (text === saved || of !== about()) return false
      for (const kind of kinds)
        for (const [id, count] of Object.entries(counts[kind])) uses.add(kind, +id, count)
      localStorage.removeItem(key)
      return true
    } catch {
      return false
    }
  }

  const top = (kind: Kind, n: number): Use[] =>
    uses
      .ranked(kind)
      .slice(0, n)
      .map(([id, count]) => ({ id, count }))

  return {
    start,
    countConcept: (id) => uses.add('concepts', id),
    countConnection: (id) => uses.add('connections', id),
    getTop: (n) => ({ concepts: top('concepts', n), connections: top('connections', n) }),
    sendToServer,
    save,
    load,
  }
}

const sizeOf = ({ concepts, connections }: Counts): number =>
  Object.keys(concepts).length + Object.keys(connections).length
