import { delay } from '../../store/delay.ts'
import { batchPerMicrotask } from '../batch.ts'
import {
  type Greeting,
  protocolVersion,
  type ToPage,
  type ToWorker,
  type WorkerRequest,
  type WorkerResponse,
} from '../protocol.ts'
import { scope } from './scope.ts'

/** A page that has greeted the worker. */
interface ConnectedPage {
  /** Name of its client. */
  readonly name: string
  /** The browser's id of the page. */
  readonly clientId: string | undefined
  /** Requests of the page that are under way, by id. */
  readonly requests: Map<number, Promise<void>>
  /** Posts to the port of the first greeting. All messages use this port, so that they keep their order. */
  post(message: ToPage): void
  /** Called with the token that the page was asked for. */
  onToken: ((token: string | undefined) => void) | undefined
}

/** Maximum time to wait for a page to renew a token, in ms. The page may have to ask the user. */
const renewalTimeout = 60_000

/**
 * Sends the requests of pages. Each page has its own port. The browser may end the worker at any time, so all state of
 * the worker can be restored from the next greetings.
 */
export class PageRequests {
  readonly #pages = new Map<string, ConnectedPage>()

  /** Handles a greeting. Resolves when all requests that the page has sent so far have a response. */
  async onGreeting(
    greeting: Greeting,
    port: MessagePort,
    clientId: string | undefined,
  ): Promise<void> {
    const { at, waiting } = greeting
    if (greeting.protocol !== protocolVersion)
      return port.postMessage({ welcome: protocolVersion, unknown: [], at } satisfies ToPage)
    const known = this.#pages.get(greeting.page)
    if (known) port.close()
    const page = known ?? this.#connect(greeting, port, clientId)
    // Messages that arrived on the port before the greeting may not have been dispatched yet.
    await delay(0)
    const unknown = waiting.filter((id) => !page.requests.has(id))
    page.post({ welcome: protocolVersion, unknown, at })
    await Promise.all(page.requests.values())
  }

  /**
   * Asks the pages of a client for a token other than `refused`. Resolves with the first such token; undefined if no
   * page has one.
   */
  async renewToken(name: string, refused: string | undefined): Promise<string | undefined> {
    await this.#removeClosedPages()
    const pages = [...this.#pages.values()].filter((page) => page.name === name)
    const renewals = pages.map(
      (page) =>
        new Promise<string>((resolve, reject) => {
          page.onToken = (token) => (token && token !== refused ? resolve(token) : reject())
          page.post({ renew: true })
        }),
    )
    return Promise.race([Promise.any(renewals), delay(renewalTimeout)]).catch(() => undefined)
  }

  async #removeClosedPages(): Promise<void> {
    const open = (await scope.clients.matchAll({ includeUncontrolled: true })).map(({ id }) => id)
    for (const [page, { clientId }] of this.#pages)
      if (clientId && !open.includes(clientId)) this.#pages.delete(page)
  }

  #connect(greeting: Greeting, port: MessagePort, clientId: string | undefined): ConnectedPage {
    void this.#removeClosedPages()
    const requests = new Map<number, Promise<void>>()
    const post = (message: ToPage) => port.postMessage(message)
    const page: ConnectedPage = {
      name: greeting.name,
      clientId,
      requests,
      post,
      onToken: undefined,
    }
    const respond = batchPerMicrotask<WorkerResponse>((answers) => post({ answers }))
    port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
      if ('token' in data) return page.onToken?.(data.token)
      for (const request of data.asks) {
        const responded = fetchFor(request).then((response) => {
          requests.delete(request.id)
          respond(response)
        })
        requests.set(request.id, responded)
      }
    }
    this.#pages.set(greeting.page, page)
    return page
  }
}

/** Sends a request. Resolves with status 0 if the server does not respond. */
async function fetchFor({ id, url, ...request }: WorkerRequest): Promise<WorkerResponse> {
  try {
    const response = await fetch(url, { method: 'POST', ...request })
    const { status, headers } = response
    return { id, status, headers: [...headers], text: await response.text() }
  } catch {
    return { id, status: 0, headers: [], text: 'no answer' }
  }
}
