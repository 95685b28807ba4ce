import { WeftError } from '../graph/error.ts'

/** How long a request may take before it counts as failed. */
const patience = 30_000
/** How long to wait before asking a silent server again: doubled each time. */
const firstWait = 1_000
export const longestWait = 60_000
/** The longest that a server may ask to be left alone. */
const longestPause = 3_600_000

/** Whom a request goes to, and as whom, where that is not the server and whoever is signed in. */
export interface As {
  readonly origin?: string
  /** The session of somebody who was not signed in. */
  readonly guest?: string | undefined
}

/** Talks to one server, and knows whether it can be talked to. */
export class Http {
  /** Without a slash at its end. */
  readonly url: string
  readonly #stop = new AbortController()
  #answers = true
  #wait = firstWait
  /** What the server asked to wait. */
  #pause = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = false
  #renewing: Promise<unknown> | undefined
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
    const { signal } = this.#stop
    for (const event of ['online', 'offline'])
      globalThis.addEventListener?.(event, this.#networkChanged, { signal })
  }

  /** False without a network, and from a request that came to nothing until the server answers again. */
  get online(): boolean {
    return this.#answers && globalThis.navigator?.onLine !== false
  }

  /** Asks as whoever is signed in. A token that is refused is renewed, once for all who wait, and it is asked again. */
  async get(path: string, init: RequestInit = {}, as: As = {}): Promise<Response> {
    const token = as.guest === undefined ? this.token : undefined
    const answer = await this.#send(path, init, as)
    const again = answer.status === 401 && (await this.#isRenewed(token))
    return again ? this.#send(path, init, as) : answer
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
    const answer = await this.#fetch(path, init, as)
    if (!answer.ok) {
      this.#pause = pauseOf(answer.wait)
      throw refusal(answer.status, answer.text, path)
    }
    const json = parse(answer.text)
    if (json === undefined) throw new WeftError('unavailable', `${path} answered no JSON`)
    this.#wait = firstWait
    if (!this.#asked) this.#probe()
    return json
  }

  /** Asks how the server is, and which store it has. Rejects when there is no answer. */
  async ask(): Promise<string | undefined> {
    this.#stopWaiting()
    this.#asked = true
    const { ok, text } = await this.#fetch('/api/health', {})
    const { store } = said<{ store: string }>(text)
    if (!ok) this.doubt()
    else {
      this.met(store)
      this.#heard(true)
    }
    return store
  }

  /** Nothing more is sent until the server says that it is well, and not too soon. */
  doubt(): void {
    if (this.#stop.signal.aborted) return
    if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#probe(), Math.max(jitter(this.#wait), this.#pause))
      this.#pause = 0
      this.#wait = Math.min(2 * this.#wait, longestWait)
    }
    this.#heard(false)
  }

  close(): void {
    this.#stop.abort()
    this.#stopWaiting()
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #send(path: string, init: RequestInit, { origin = this.url, guest }: As): Promise<Response> {
    const token = guest === undefined && this.token
    const authorization = token && { Authorization: `Bearer ${token}` }
    return this.fetch(origin + path, { ...init, headers: { ...init.headers, ...authorization } })
  }

  /** Throws an error with a cause when there is no answer, which says something about the server alone. */
  async #fetch(path: string, init: RequestInit, as: As = {}) {
    try {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(patience)])
      const answer = await this.get(path, { ...init, signal }, as)
      const { ok, status, headers } = answer
      return { ok, status, text: await answer.text(), wait: headers.get('Retry-After') }
    } catch (e) {
      if (as.origin === undefined) this.doubt()
      throw new WeftError('unavailable', `${path} got no answer`, e)
    }
  }

  /** Says whether there is another token by now, of the same user. */
  async #isRenewed(old: string | undefined): Promise<boolean> {
    if (this.token === old) {
      this.#renewing ??= this.renew?.()
        .catch(ignore)
        .finally(() => {
          this.#renewing = undefined
        })
      await this.#renewing
    }
    return this.token !== old && userOf(this.token) === userOf(old)
  }

  #probe(): void {
    this.ask().catch(ignore)
  }

  #heard(answers: boolean): void {
    if (answers === this.#answers) return
    this.#answers = answers
    this.changed()
  }

  readonly #networkChanged = () => {
    if (globalThis.navigator.onLine && !this.#answers) this.#probe()
    this.changed()
  }
}

/** Who a token is for. One that does not say, as an API key, is for a number that does not give it away. */
export function userOf(token: string | undefined): string | undefined {
  if (!token) return undefined
  const payload = token.split('.')[1] ?? ''
  try {
    const { sub } = said<{ sub: string }>(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    if (sub) return sub
  } catch {}
  let sum = 0
  for (const c of token) sum = (33 * sum + c.charCodeAt(0)) % 2 ** 47
  return `key ${sum}`
}

/** About that long: clients that failed together should not come back together. */
export const jitter = (wait: number): number => wait * (0.75 + Math.random() / 2)

/** Does work, in about ten seconds, that was refused or did not load. */
export const later = (work: () => void) => setTimeout(work, jitter(10_000))

/** What load brings, loaded when first asked for. Rejects where it does not load; the next to ask tries again. */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((e) => {
      loaded = undefined
      throw new WeftError('unavailable', 'code did not load', e)
    })
    return loaded
  }
}

/** For a promise whose failure has been seen to. */
export const ignore = (): void => {}

/** What an answer with an error status says. A page instead of JSON is from something in between. */
export function refusal(status: number, text: string, path: string): WeftError {
  const { kind, message } = said<WeftError>(text)
  const isPage = text !== '' && parse(text) === undefined
  const isLater = status === 408 || status === 429
  const usual =
    status === 401
      ? 'unauthorized'
      : status === 413
        ? 'tooLarge'
        : status >= 500 || isLater || isPage
          ? 'unavailable'
          : 'invalid'
  return new WeftError(isLater ? usual : (kind ?? usual), message ?? `${path} answered ${status}`)
}

/** How long a `Retry-After` asks to wait, in milliseconds. It says seconds, or a date. */
function pauseOf(text: string | null): number {
  const seconds = Number(text ?? 0)
  const wait = Number.isNaN(seconds) ? Date.parse(text ?? '') - Date.now() : 1000 * seconds
  return Math.min(Math.max(wait || 0, 0), longestPause)
}

/** The record a text says, as far as it says one. */
export function said<T>(text: string): Partial<T> {
  const json = parse(text)
  return isRecord(json) ? (json as Partial<T>) : {}
}

/** The value a text says, or undefined. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Says what came instead of what was expected. */
export function malformed(expected: string, seen: unknown): never {
  const text = String(JSON.stringify(seen)).slice(0, 80)
  throw new WeftError('internal', `expected ${expected}, not ${text}`)
}

export const isRecord = (x: unknown): x is Record<string, unknown> =>
  typeof x === 'object' && x !== null && !Array.isArray(x)

/** A list that came over the network. */
export const listOf = (x: unknown): readonly unknown[] =>
  Array.isArray(x) ? x : malformed('a list', x)

/** A concept or a connection that came over the network. */
export function recordOf<T extends { readonly id: number }>(x: unknown): T {
  const record = x as T | null | undefined
  return typeof record?.id === 'number' ? record : malformed('a record', x)
}
