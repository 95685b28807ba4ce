import type { Logger } from '../logger/index.ts'
import { watchClicks } from './clicks.ts'
import { watchErrors } from './errors.ts'
import { watchFetch } from './fetch.ts'
import { watchRoutes } from './routes.ts'
import { watchSockets } from './sockets.ts'

/*
 * Logs events of the page: each module adds listeners, or replaces a function of the browser by a wrapper.
 *
 *   clicks.ts    clicks, without the text of inputs and private elements
 *   errors.ts    uncaught errors, unhandled rejections, console.error
 *   fetch.ts     failed requests
 *   routes.ts    page loads, route changes, unloads
 *   sockets.ts   WebSockets that open, fail and close
 *   replace.ts   wraps a function and restores it
 *
 *   stopped ──startMonitor──▶ running ──the returned function──▶ stopped
 *
 * Each event costs one log entry. Nothing is wrapped while the application's log is disabled.
 */

export interface MonitorOptions {
  /**
   * Requests to paths with these prefixes, on any server, are not logged. Requests of the logger, the tracker and
   * prefetching are never logged.
   */
  readonly ignorePaths?: readonly string[]
  /** Time from the start of the monitor to the entry for the first page, in milliseconds. Default: 3,000. */
  readonly initialDelay?: number
}

/**
 * Logs events of this page: route changes, clicks, errors, failed requests and WebSockets. The page still handles these
 * events as before. Text typed into fields and the text of elements with the attribute `data-private` are not logged.
 * Bodies of failed requests and arguments of `console.error` are logged with secrets redacted.
 *
 * Returns a function that stops the monitor and restores the replaced functions. A page has one monitor; starting it
 * again returns the same function. Does nothing outside a page, or if the application's log is disabled.
 */
export function startMonitor(logger: Logger, options: MonitorOptions = {}): () => void {
  const page = globalThis as typeof globalThis & { [stopKey]?: (() => void) | undefined }
  if (!logger.logsApplication || typeof document === 'undefined') return () => {}
  page[stopKey] ??= start(logger, options, () => {
    page[stopKey] = undefined
  })
  return page[stopKey]
}

/** Key of the stop function, shared by all copies of this module in a page. */
const stopKey = Symbol.for('weft monitor')

function start(
  logger: Logger,
  { ignorePaths = [], initialDelay }: MonitorOptions,
  onStop: () => void,
): () => void {
  const stop = new AbortController()
  const { signal } = stop
  let isLogging = false
  const log: Logger['logApplication'] = (level, message, data) => {
    // Formatting an entry may run code of the page, which may cause further events. These events are not logged.
    if (signal.aborted || isLogging) return
    isLogging = true
    try {
      logger.logApplication(level, message, data)
    } catch {
      // A failure to log must not disturb the page.
    } finally {
      isLogging = false
    }
  }
  const ignored = [...defaultIgnorePaths, ...ignorePaths]
  const restores = [
    watchRoutes(log, signal, initialDelay),
    watchFetch(log, (address) => isIgnored(address, logger.url, ignored)),
    watchSockets(log),
    watchErrors(log, signal),
  ]
  watchClicks(log, signal)
  return () => {
    if (signal.aborted) return
    stop.abort()
    for (const restore of restores.reverse()) restore()
    onStop()
  }
}

const defaultIgnorePaths = [
  '/api/logger',
  '/api/check',
  '/api/v1/access-tracker/',
  '/api/get_all_connections_of_user',
  '/api/get_all_concepts_of_user',
  '/api/get-preloaded-concepts',
]

/**
 * Reports whether the path of an address starts with one of the prefixes. For addresses under the URL of the log
 * server, the path is relative to that URL.
 */
function isIgnored(
  { href, pathname }: URL,
  logServer: string,
  prefixes: readonly string[],
): boolean {
  const path = href.startsWith(`${logServer}/`) ? href.slice(logServer.length) : pathname
  // If the URL of the server ends in a slash, the path begins with two slashes.
  const normalized = path.replace(/^\/+/, '/')
  return prefixes.some((prefix) => normalized.startsWith(prefix))
}
