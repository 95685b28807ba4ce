import { delay } from '../../store/delay.ts'
import { ignoreError } from '../../wire/retry.ts'
import type { Farewell, Greeting } from '../protocol.ts'
import { BackgroundSender } from './background-sender.ts'
import { OfflineCache, type OfflineOptions } from './offline-cache.ts'
import { PageRequests } from './page-requests.ts'
import { scope } from './scope.ts'

/*
 * worker/serve: the code that a service worker runs. All of it is loaded at the start, because a service worker cannot
 * import code later.
 *
 * event                   handled by
 * install, activate       OfflineCache: fetches the listed files; deletes those of other versions
 * fetch                   OfflineCache: pages and assets, from the network or the cache
 * message 'hello'         PageRequests: sends the requests of a page, over its port
 *                         BackgroundSender: stores the token and session
 * message 'farewell'      BackgroundSender: sends the writes of a page that closed
 * sync, or else fetch     BackgroundSender: sends the writes of clients without an open page
 *
 * A browser may end an idle worker at any time. The worker's memory is therefore a cache: pages greet again, and tokens
 * are saved only with `keepToken`.
 */

export interface ServeOptions extends OfflineOptions {
  /**
   * Whether this worker replaces another version immediately, even while pages of that version are open. Default: true.
   */
  readonly takeOver?: boolean
  /**
   * Whether to save the token on disk. The writes of a signed-in user are then sent even after the browser has ended
   * the worker. Without `keepToken`, they wait for the next visit.
   */
  readonly keepToken?: boolean
  /** Called with every greeting of a page. A greeting always has all fields. */
  readonly onGreeting?: (greeting: Greeting) => void
}

/**
 * An activation delays pages that open during it for at most this time, in ms. The rest of its work continues
 * afterwards.
 */
const activationTimeout = 2_000
/** Interval at which a waiting worker asks to take over, in ms. */
const takeOverInterval = 1_000

/**
 * Runs the service worker: it caches pages and assets for offline use, sends requests for the pages that
 * `registerWorker` connects, and sends writes when no page is open. Must be called once, when the script first runs.
 */
export function serve(options: ServeOptions): void {
  const cache = new OfflineCache(options)
  const requests = new PageRequests()
  const sender = new BackgroundSender(requests, options.keepToken ?? false)

  let takeOverTimer: ReturnType<typeof setInterval> | undefined
  const takeOver = () => void scope.skipWaiting()

  scope.addEventListener('install', (event) => {
    event.waitUntil(cache.install())
    if (options.takeOver === false) return
    takeOver()
    // The request is repeated, because Chromium checks only once whether the previous worker is idle while a debugger
    // is attached.
    takeOverTimer = setInterval(takeOver, takeOverInterval)
  })
  scope.addEventListener('activate', (event) => {
    clearInterval(takeOverTimer)
    const activated = [cache.activate(), scope.clients.claim(), sender.activate()]
    event.waitUntil(Promise.race([Promise.all(activated), delay(activationTimeout)]))
  })
  scope.addEventListener('message', (event) => {
    const message: Greeting | Farewell | null = event.data
    const [port] = event.ports
    if (message?.weft === 'hello' && port) {
      options.onGreeting?.(message)
      event.waitUntil(cache.add(message.address))
      event.waitUntil(sender.onGreeting(message))
      event.waitUntil(requests.onGreeting(message, port, event.source?.id))
    } else if (message?.weft === 'farewell')
      event.waitUntil(sender.send(message.name).catch(ignoreError))
  })
  scope.addEventListener('fetch', (event) => {
    cache.onFetch(event)
    // With background sync the browser fires a sync event instead.
    if (!('sync' in scope.registration)) event.waitUntil(sender.sendAll())
  })
  scope.addEventListener('sync', (event) => event.waitUntil(sender.send(event.tag)))
}
