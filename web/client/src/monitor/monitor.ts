import type { Logger } from '../logger/index.ts'
import { watchClicks } from './clicks.ts'
import { watchErrors } from './errors.ts'
import { watchFetch } from './fetch.ts'
import { watchRoutes } from './routes.ts'
import { watchSockets } from './sockets.ts'

export interface MonitorOptions {
  /**
   * Beginnings of paths, of any server, that requests are not logged for, besides those of the logger, the tracker
   * and of what is fetched ahead.
   */
  readonly ignore?: readonly string[]
  /** How long after the start the first page is logged, in milliseconds: 3,000. */
  readonly settle?: number
}

/** Notes what happened, if the monitor still runs. */
export type Note = Logger['logApplication']

/**
 * Logs what happens in this page: where it goes, clicks, errors, failed requests and WebSockets. What the page does
 * itself goes on as before. What somebody types into a field is not logged, nor the text of what has the attribute
 * `data-private`; but the body of a request that failed is, and what the page writes to the console as an error, both
 * without secrets. Returns what ends it and puts everything back.
 *
 * A page is monitored once: who starts it again gets what ends the one that runs. Nothing happens where the
 * application's log is off, or there is no page.
 */
export function startMonitor(logger: Logger, options: MonitorOptions = {}): () => void {
  const page = globalThis as typeof globalThis & { [running]?: (() => void) | undefined }
  if (!logger.logsApplication || typeof document === 'undefined') return () => {}
  page[running] ??= start(logger, options, () => {
    page[running] = undefined
  })
  return page[running]
}

/** The same for every copy of this module that a page may hold. */
const running = Symbol.for('weft monitor')

function start(
  logger: Logger,
  { ignore = [], settle }: MonitorOptions,
  ended: () => void,
): () => void {
  const stop = new AbortController()
  const { signal } = stop
  let busy = false
  /** What is logged may run code of the page, which may do what is logged. */
  const note: Note = (level, message, data) => {
    if (signal.aborted || busy) return
    busy = true
    try {
      logger.logApplication(level, message, data)
    } catch {
      // The page goes on.
    } finally {
      busy = false
    }
  }
  const restores = [
    watchRoutes(note, signal, settle),
    watchFetch(note, (address) => ignores(address, logger.url, [...always, ...ignore])),
    watchSockets(note),
    watchErrors(note, signal),
  ]
  watchClicks(note, signal)
  return () => {
    if (signal.aborted) return
    stop.abort()
    for (const restore of restores.reverse()) restore()
    ended()
  }
}

const always = [
  '/api/logger',
  '/api/check',
  '/api/v1/access-tracker/',
  '/api/get_all_connections_of_user',
  '/api/get_all_concepts_of_user',
  '/api/get-preloaded-concepts',
]

/** Says whether the path of an address begins so, at its server or behind that of the log. */
function ignores({ href, pathname }: URL, log: string, beginnings: readonly string[]): boolean {
  const path = href.startsWith(`${log}/`) ? href.slice(log.length) : pathname
  // Bases of servers may end in a slash.
  const plain = path.replace(/^\/+/, '/')
  return beginnings.some((beginning) => plain.startsWith(beginning))
}
