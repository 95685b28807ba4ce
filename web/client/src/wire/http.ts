import { type ErrorKind, WeftError } from '../graph/error.ts'

/** How long a request may take before it counts as failed. */
const patience = 30_000

/** Talks to one server and knows whether it answers. */
export class Http {
  readonly #url: string
  readonly #stop = new AbortController()
  #probe: ReturnType<typeof setTimeout> | undefined
  #answers = true
  /** Told when `online` changed. */
  changed: () => void = () => {}
  token: string | undefined
  session = 998
  /** Tells one browser profile from another. See `Ghosts` in the contract. */
  randomizer = 0

  constructor(url: string, token: string | undefined) {
    this.#url = url.replace(/\/+$/, '')
    this.token = token
    globalThis.addEventListener?.('online', this.#networkChanged)
    globalThis.addEventListener?.('offline', this.#networkChanged)
  }

  /** False when there is no network, and from a request that got no answer until one that does. */
  get online(): boolean {
    return this.#answers && globalThis.navigator?.onLine !== false
  }

  url(path: string): string {
    return this.#url + path
  }

  /** Posts JSON and returns the JSON of the answer. Throws a WeftError for everything else. */
  async post(path: string, body: unknown): Promise<unknown> {
    const answer = await this.#fetch(path, {
      method: 'POST',
      headers: this.#headers(),
      body: JSON.stringify(body),
    })
    const text = await answer.text().catch((e) => this.#silence(path, e))
    const json = parse(text)
    if (answer.ok && json !== undefined) return json
    throw answer.ok
      ? new WeftError('internal', `${path} answered something that is not JSON`)
      : refusal(answer.status, json, path)
  }

  close(): void {
    this.#answers = false
    this.#stop.abort()
    clearTimeout(this.#probe)
    globalThis.removeEventListener?.('online', this.#networkChanged)
    globalThis.removeEventListener?.('offline', this.#networkChanged)
  }

  #headers(): Record<string, string> {
    return {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'X-Session-Id': String(this.session),
      Randomizer: String(this.randomizer),
      ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}),
    }
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(patience)])
    const answer = await fetch(this.url(path), { ...init, signal }).catch((e) =>
      this.#silence(path, e),
    )
    this.#heard(true)
    return answer
  }

  #silence(path: string, cause: unknown): never {
    if (!this.#stop.signal.aborted) this.#heard(false)
    throw new WeftError('unavailable', `${path} got no answer`, cause)
  }

  #heard(answers: boolean): void {
    if (!answers) this.#ask(1_000)
    if (answers === this.#answers) return
    this.#answers = answers
    this.changed()
  }

  /** Asks for a sign of life, ever more seldom. */
  #ask(wait: number): void {
    clearTimeout(this.#probe)
    this.#probe = setTimeout(() => {
      this.#fetch('/api/health', {}).then(ignore, () => this.#ask(Math.min(2 * wait, 30_000)))
    }, jitter(wait))
  }

  readonly #networkChanged = () => {
    if (globalThis.navigator.onLine && !this.#answers) this.#ask(0)
    this.changed()
  }
}

/** About that long: clients that failed together should not come back together. */
export const jitter = (wait: number): number => wait * (0.75 + Math.random() / 2)

/** For a promise whose failure has been seen to. */
export const ignore = (): void => {}

const kinds: Readonly<Record<number, ErrorKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  413: 'tooLarge',
  429: 'unavailable',
}

function refusal(status: number, json: unknown, path: string): WeftError {
  const kind = kinds[status] ?? (status >= 500 ? 'unavailable' : 'invalid')
  const body = (isRecord(json) ? json : {}) as { message?: unknown; statusText?: unknown }
  const said = body.message || body.statusText
  return new WeftError(kind, typeof said === 'string' ? said : `${path} answered ${status}`)
}

/** The value a text says, or undefined. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Says what came instead of what was expected. */
export function malformed(expected: string, seen: unknown): never {
  const text = JSON.stringify(seen) ?? String(seen)
  throw new WeftError('internal', `expected ${expected}, not ${text.slice(0, 80)}`)
}

export const isRecord = (x: unknown): x is Record<string, unknown> =>
  typeof x === 'object' && x !== null && !Array.isArray(x)

export const isList = (x: unknown): x is readonly unknown[] => Array.isArray(x)
