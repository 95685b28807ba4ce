import { WeftError } from '../model/error.ts'
import { parseJson } from './json.ts'
import { lazyLoad } from './lazy.ts'
import { ignoreError, retryLater } from './retry.ts'

/*
 * The connection to one server. Every request of a client goes through `Http`.
 *
 * Status of the server, as seen from this page:
 *
 *   reachable ──request without a response, failed health check──▶ unreachable
 *   unreachable ──successful health check──▶ reachable
 *
 * While a server is unreachable, `health.ts` repeats the health check with backoff (`serverRetry` in `retry.ts`).
 * `online` combines this status with the browser's own; the outbox and the live queries send nothing while it is false.
 *
 *   fetchWithToken   one fetch, signed; renews a refused token once and repeats the request
 *   requestText      fetchWithToken with a timeout; a missing response makes the server unreachable
 *   post             requestText with JSON both ways; an error response becomes a WeftError
 *
 * A request that succeeds costs no more than its fetch. `health.ts` is loaded for the first health check, which follows
 * the first successful `post`, or for the first failure.
 */

/** Time limit of one request, in milliseconds. */
const requestTimeout = 30_000

/** Session number of clients without a session. `randomizer` distinguishes them. */
export const defaultSession = '998'

/** The destination and the sender of a request. Default: the main server and the current user. */
export interface RequestOptions {
  /** Origin of another server. */
  readonly origin?: string
  /** Session of a signed-out user. The request is then sent without a token, and only `post` sends the session. */
  readonly guest?: string | undefined
}

/** A response and its body. */
interface TextResponse {
  readonly response: Response
  readonly text: string
}

/** Sends requests to one server and tracks whether it can be reached. */
export class Http {
  /** Origin of the server, without a trailing slash. */
  readonly url: string
  readonly #stop = new AbortController()
  /** Aborts when the client closes. */
  readonly closeSignal = this.#stop.signal
  #status: 'reachable' | 'unreachable' = 'reachable'
  #hasCheckedHealth = false
  /** Number of failed attempts since the last successful `post`; the exponent of the backoff. */
  failures = 0
  /** Called when `online` may have changed. */
  onOnlineChange: () => void = () => {}
  /** Called with the id of the server's store whenever the server reports it. */
  onStoreSeen: (store: string | undefined) => void = () => {}
  /** Bearer token of the current user. */
  token: string | undefined
  /** Sends a request. The service worker and the devtools replace it. */
  fetch: typeof fetch = (...request) => fetch(...request)
  /** Distinguishes browser profiles that share a session number. */
  randomizer = 0
  session = defaultSession
  /** Obtains a new `token` after the server refused the current one. */
  renewToken: (() => Promise<unknown>) | undefined
  /** Reads records by their ids. Resolves with the records that were found. `servers.ts` replaces it. */
  readRecords: (path: string, ids: readonly number[]) => Promise<unknown> = (path, ids) =>
    this.post(path, ids)

  /**
   * Fetches a path with a GET request that changes nothing, for example a stored widget. `isFound` reports whether the
   * JSON of a response contains the requested data. `servers.ts` replaces the function.
   */
  readPath: (path: string, isFound: (json: unknown) => boolean) => Promise<Response> = (path) =>
    this.fetchWithToken(path)

  constructor(url: string, token: string | undefined) {
    this.url = url.replace(/\/+$/, '')
    this.token = token
    for (const event of ['online', 'offline'])
      globalThis.addEventListener?.(event, this.#networkChanged, { signal: this.closeSignal })
  }

  /** Reports whether both the network and the server are available. */
  get online(): boolean {
    return this.#status === 'reachable' && globalThis.navigator?.onLine !== false
  }

  /**
   * Fetches a path as the current user. After a 401 the token is renewed, once for all waiting requests, and the
   * request is repeated if the new token belongs to the same user.
   */
  async fetchWithToken(
    path: string,
    init: RequestInit = {},
    { origin = this.url, guest }: RequestOptions = {},
  ): Promise<Response> {
    const token = guest === undefined ? this.token : undefined
    const send = () => {
      const authorization = guest === undefined &&
        this.token && { Authorization: `Bearer ${this.token}` }
      const headers = { ...init.headers, ...authorization }
      return this.fetch(origin + path, { ...init, headers })
    }
    const response = await send()
    const health =
      response.status === 401 && this.renewToken && (await this.#loadHealth().catch(ignoreError))
    return health && (await health.replaceToken(token)) ? send() : response
  }

  /** Posts JSON and returns the JSON of the response. Throws a WeftError for every other outcome. */
  async post(path: string, body: unknown, options: RequestOptions = {}): Promise<unknown> {
    const init = {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Session-Id': options.guest ?? this.session,
        Randomizer: String(this.randomizer),
      },
      body: JSON.stringify(body),
    }
    const { response, text } = await this.requestText(path, init, options)
    const json = parseJson(text)
    if (!response.ok || json === undefined)
      throw (await this.#loadHealth()).readRefusal(response, text, path)
    this.failures = 0
    if (!this.#hasCheckedHealth) this.checkHealth().catch(ignoreError)
    return json
  }

  /**
   * Fetches a path and reads the body as text. If no response arrives within 30 seconds, throws `unavailable` with the
   * error of the fetch as its cause, and the server counts as unreachable.
   */
  async requestText(
    path: string,
    init: RequestInit,
    options: RequestOptions = {},
  ): Promise<TextResponse> {
    try {
      const signal = AbortSignal.any([this.closeSignal, AbortSignal.timeout(requestTimeout)])
      const response = await this.fetchWithToken(path, { ...init, signal }, options)
      return { response, text: await response.text() }
    } catch (e) {
      if (options.origin === undefined) this.reportUnreachable()
      throw new WeftError('unavailable', `${path} received no response`, e)
    }
  }

  /** Requests the server's health and returns the id of its store. Rejects without a response. */
  async checkHealth(): Promise<string | undefined> {
    this.#hasCheckedHealth = true
    return (await this.#loadHealth()).check()
  }

  /** Marks the server as unreachable and schedules health checks until one succeeds. */
  reportUnreachable(): void {
    if (this.closeSignal.aborted) return
    this.setStatus('unreachable')
    this.#loadHealth().then(
      (health) => health.scheduleCheck(),
      () => retryLater(() => this.reportUnreachable()),
    )
  }

  close(): void {
    this.#stop.abort()
  }

  setStatus(status: 'reachable' | 'unreachable'): void {
    if (status === this.#status) return
    this.#status = status
    this.onOnlineChange()
  }

  readonly #loadHealth = lazyLoad(async () =>
    (await import('./health.ts')).createServerHealth(this),
  )

  readonly #networkChanged = () => {
    if (globalThis.navigator.onLine && this.#status === 'unreachable')
      this.checkHealth().catch(ignoreError)
    this.onOnlineChange()
  }
}
