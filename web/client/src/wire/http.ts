import { WeftError } from '../graph/error.ts'
import { parse } from './json.ts'
import { ignore, later, lazy } from './wait.ts'

/** How long a request may take before it counts as failed. */
const patience = 30_000
/** Whom a request goes to, and as whom, where that is not the server and whoever is signed in. */
export interface As {
  readonly origin?: string
  /** The session of somebody who was not signed in. */
  readonly guest?: string | undefined
}

/** What came back, and what it says. */
interface Answer {
  readonly answer: Response
  readonly text: string
}

/** Talks to one server, and knows whether it can be talked to. What that takes when all is not well is loaded later. */
export class Http {
  /** Without a slash at its end. */
  readonly url: string
  readonly #stop = new AbortController()
  readonly closed = this.#stop.signal
  #answers = true
  #asked = false
  /** How often the server was found not to answer, since it did. */
  failures = 0
  /** Told when `online` changed. */
  changed: () => void = () => {}
  /** Told, whenever the server says so, which store it has. */
  met: (store: string | undefined) => void = () => {}
  token: string | undefined
  /** Makes the requests: here, unless somebody else does. */
  fetch: typeof fetch = (...request) => fetch(...request)
  /** Tells one browser profile from another. */
  randomizer = 0
  /** The session of clients that were not given one. The randomizer tells them apart. */
  session = '998'
  /** Asks for another token when one was refused. */
  renew: (() => Promise<unknown>) | undefined
  /** Reads records by their ids, those that are found. */
  read: (path: string, ids: readonly number[]) => Promise<unknown> = (path, ids) =>
    this.post(path, ids)

  constructor(url: string, token: string | undefined) {
    this.url = url.replace(/\/+$/, '')
    this.token = token
    for (const event of ['online', 'offline'])
      globalThis.addEventListener?.(event, this.#networkChanged, { signal: this.closed })
  }

  /** False without a network, and from a request that came to nothing until the server answers again. */
  get online(): boolean {
    return this.#answers && globalThis.navigator?.onLine !== false
  }

  /** Asks as whoever is signed in. A token that is refused is renewed, once for all who wait, and it is asked again. */
  async get(path: string, init: RequestInit = {}, as: As = {}): Promise<Response> {
    const token = as.guest === undefined ? this.token : undefined
    const send = () => {
      const authorization = as.guest === undefined &&
        this.token && { Authorization: `Bearer ${this.token}` }
      const headers = { ...init.headers, ...authorization }
      return this.fetch((as.origin ?? this.url) + path, { ...init, headers })
    }
    const answer = await send()
    const health = answer.status === 401 && this.renew && (await this.#health().catch(ignore))
    return health && (await health.isRenewed(token)) ? send() : answer
  }

  /** Posts JSON and returns the JSON of the answer. Throws a WeftError for everything else. */
  async post(path: string, body: unknown, as: As = {}): Promise<unknown> {
    const init = {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Session-Id': as.guest ?? this.session,
        Randomizer: String(this.randomizer),
      },
      body: JSON.stringify(body),
    }
    const { answer, text } = await this.ask(path, init, as)
    const json = parse(text)
    if (!answer.ok || json === undefined) throw (await this.#health()).refused(answer, text, path)
    this.failures = 0
    if (!this.#asked) this.probe().catch(ignore)
    return json
  }

  /** Throws an error with a cause when there is no answer. */
  async ask(path: string, init: RequestInit, as: As = {}): Promise<Answer> {
    try {
      const signal = AbortSignal.any([this.closed, AbortSignal.timeout(patience)])
      const answer = await this.get(path, { ...init, signal }, as)
      return { answer, text: await answer.text() }
    } catch (e) {
      if (as.origin === undefined) this.doubt()
      throw new WeftError('unavailable', `${path} got no answer`, e)
    }
  }

  /** Asks how the server is, and which store it has. Rejects when there is no answer. */
  async probe(): Promise<string | undefined> {
    this.#asked = true
    return (await this.#health()).ask()
  }

  /** Nothing more is sent until the server says that it is well, and not too soon. */
  doubt(): void {
    if (this.closed.aborted) return
    this.heard(false)
    this.#health().then(
      (health) => health.wait(),
      () => later(() => this.doubt()),
    )
  }

  close(): void {
    this.#stop.abort()
  }

  /** Says whether the server answers. */
  heard(answers: boolean): void {
    if (answers === this.#answers) return
    this.#answers = answers
    this.changed()
  }

  readonly #health = lazy(async () => (await import('./health.ts')).healthOf(this))

  readonly #networkChanged = () => {
    if (globalThis.navigator.onLine && !this.#answers) this.probe().catch(ignore)
    this.changed()
  }
}
