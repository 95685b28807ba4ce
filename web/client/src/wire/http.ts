import { WeftError } from '../graph/error.ts'

/** How long a request may take before it counts as failed. */
const patience = 30_000
/** How long to wait before asking a silent server again: doubled each time. */
const firstWait = 1_000
export const longestWait = 60_000

/** The session of clients that were not given one. The randomizer tells them apart. */
const session = '998'

/** Talks to one server, and knows whether it can be talked to. */
export class Http {
  /** Without a slash at its end. */
  readonly url: string
  readonly #stop = new AbortController()
  #answers = true
  #wait = firstWait
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = false
  /** Told when `online` changed. */
  changed: () => void = () => {}
  /** Told, whenever the server says so, which store it has. */
  met: (store: string | undefined) => void = () => {}
  token: string | undefined
  /** Makes the requests: here, unless somebody else does. */
  fetch: typeof fetch = (...request) => fetch(...request)
  /** Tells one browser profile from another. */
  randomizer = 0

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

  /** Asks as whoever is signed in. */
  get(path: string, init: RequestInit = {}): Promise<Response> {
    const authorization = this.token && { Authorization: `Bearer ${this.token}` }
    return this.fetch(this.url + path, { ...init, headers: { ...init.headers, ...authorization } })
  }

  /** Posts JSON and returns the JSON of the answer. Throws a WeftError for everything else. */
  async post(path: string, body: unknown): Promise<unknown> {
    const answer = await this.#fetch(path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Session-Id': session,
        Randomizer: String(this.randomizer),
      },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw refusal(answer.status, answer.text, path)
    const json = parse(answer.text)
    if (json === undefined) throw new WeftError('internal', `${path} answered no JSON`)
    this.#wait = firstWait
    if (!this.#asked) this.#probe()
    return json
  }

  /** Asks how the server is, and which store it has. Rejects when there is no answer. */
  async ask(): Promise<string | undefined> {
    clearTimeout(this.#timer)
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
    clearTimeout(this.#timer)
    if (this.#stop.signal.aborted) return
    this.#timer = setTimeout(() => this.#probe(), jitter(this.#wait))
    this.#wait = Math.min(2 * this.#wait, longestWait)
    this.#heard(false)
  }

  close(): void {
    this.#stop.abort()
    clearTimeout(this.#timer)
  }

  async #fetch(path: string, init: RequestInit) {
    try {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(patience)])
      const answer = await this.get(path, { ...init, signal })
      const { ok, status } = answer
      return { ok, status, text: await answer.text() }
    } catch (e) {
      this.doubt()
      throw new WeftError('unavailable', `${path} got no answer`, e)
    }
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

function refusal(status: number, text: string, path: string): WeftError {
  const { kind, message } = said<WeftError>(text)
  const usual =
    status === 401 ? 'unauthorized' : status >= 500 || status === 429 ? 'unavailable' : 'invalid'
  return new WeftError(kind ?? usual, message ?? `${path} answered ${status}`)
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
