import { pause } from '../store/pause.ts'
import { ignore } from '../wire/wait.ts'
import type { Farewell, Greeting } from '../worker/message.ts'
import { Background } from './background.ts'
import { Keeper, type Kept } from './keeper.ts'
import { Router } from './router.ts'
import { scope } from './scope.ts'

export interface ServeOptions extends Kept {
  /** Takes over from another version at once, while its pages are open. True unless said otherwise. */
  readonly takeOver?: boolean
  /**
   * Writes the token down, on this disk, so that writes of who is signed in are sent when the browser has ended the
   * worker since. Without it they wait for the next visit.
   */
  readonly keepToken?: boolean
  /** Told what every page says of itself, for what the application does here: often, and each time all of it. */
  readonly greeted?: (greeting: Greeting) => void
}

/** How long taking over may hold the pages that are opened meanwhile, in ms. What is not done by then goes on beside. */
const holding = 2_000

/**
 * What a service worker runs: it keeps pages and assets for reading without a network, makes requests for the pages
 * that `registerWorker` connects, and sends the writes that no page is left to send. To be called once, when the
 * script is first run.
 */
export function serve(options: ServeOptions): void {
  const keeper = new Keeper(options)
  const router = new Router()
  const background = new Background(router, options.keepToken ?? false)

  let taking: ReturnType<typeof setInterval> | undefined
  const takeOver = () => void scope.skipWaiting()

  scope.addEventListener('install', (event) => {
    event.waitUntil(keeper.install())
    if (options.takeOver === false) return
    takeOver()
    // Chromium asks once whether the worker before has anything to do, and not again while somebody debugs it.
    taking = setInterval(takeOver, 1_000)
  })
  scope.addEventListener('activate', (event) => {
    clearInterval(taking)
    const taken = [keeper.activate(), scope.clients.claim(), background.activate()]
    event.waitUntil(Promise.race([Promise.all(taken), pause(holding)]))
  })
  scope.addEventListener('message', (event) => {
    const said: Greeting | Farewell | null = event.data
    const [port] = event.ports
    if (said?.weft === 'hello' && port) {
      options.greeted?.(said)
      event.waitUntil(keeper.add(said.address))
      event.waitUntil(background.met(said))
      event.waitUntil(router.greeted(said, port, event.source?.id))
    } else if (said?.weft === 'farewell') event.waitUntil(background.send(said.name).catch(ignore))
  })
  scope.addEventListener('fetch', (event) => {
    keeper.fetched(event)
    // Where there is background sync the browser says when it is time.
    if (!('sync' in scope.registration)) event.waitUntil(background.sendAll())
  })
  scope.addEventListener('sync', (event) => event.waitUntil(background.send(event.tag)))
}
