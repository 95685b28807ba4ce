import { type Loaded, loading } from '../lookup.ts'

/** The state of one key of a cache. */
export type CacheState<T> = Loaded<T, Error>

/** The source of the data of a cache. */
export interface CacheSource<T> {
  /**
   * Fetches the response text for a key. Resolves with undefined if the server has nothing under the key. Rejects after
   * any other failure.
   */
  readonly fetchText: (key: string) => Promise<string | undefined>
  /**
   * Parses a response. Resolves with undefined if the response contains no data.
   *
   * @param isShown whether older data of this key is shown while the new data is prepared
   */
  readonly parse: (text: string, isShown: boolean) => Promise<T | undefined>
}

/** Data that is younger than this is not refetched by a new subscription, in milliseconds. */
const freshDuration = 30_000

interface Entry<T> {
  readonly state: CacheState<T>
  /** The response text, to detect a response without changes. */
  readonly text?: string | undefined
  readonly loadedAt: number
}

/**
 * A stale-while-revalidate cache of server responses, by key.
 *
 *   loading ──▶ ready     refetched by `refresh`, and by a subscription after 30 s; still shown during the fetch and after errors
 *       │ ────▶ missing   the server has nothing under the key; refetched likewise
 *       └─────▶ error     loaded again by `load`, `refresh` and, after 30 s, a new subscription
 *
 * Concurrent requests for a key share one fetch. A response with the same text keeps the same state object, so that no
 * listener is notified. Nothing is evicted; `clear` drops everything.
 */
export class Cache<T> {
  readonly #source: CacheSource<T>
  readonly #entries = new Map<string, Entry<T>>()
  /** The running fetch of each key. */
  readonly #inFlight = new Map<string, Promise<void>>()
  /** For each key, the fetch that starts after the running one. */
  readonly #queued = new Map<string, Promise<void>>()
  readonly #listeners = new Map<string, Set<() => void>>()

  constructor(source: CacheSource<T>) {
    this.#source = source
  }

  get(key: string): CacheState<T> {
    return this.#entries.get(key)?.state ?? loading
  }

  /** Calls `onChange` after every change of the state, and loads the key if it is not loaded or older than 30 s. */
  subscribe(key: string, onChange: () => void): () => void {
    const listeners = this.#listeners.get(key) ?? new Set()
    this.#listeners.set(key, listeners.add(onChange))
    const { loadedAt } = this.#entries.get(key) ?? { loadedAt: 0 }
    if (loadedAt < Date.now() - freshDuration) void this.#fetchOnce(key)
    return () => {
      listeners.delete(onChange)
      if (listeners.size === 0 && this.#listeners.get(key) === listeners)
        this.#listeners.delete(key)
    }
  }

  /** Loads a key that is not loaded or failed. Never rejects; errors are stored in the state. */
  async load(key: string): Promise<void> {
    const { status } = this.get(key)
    if (status === 'loading' || status === 'error') await this.#fetchOnce(key)
  }

  /**
   * Refetches a key. Its data stays until a different response arrives; the same response or an error keeps it. While a
   * fetch is running, one more is queued, because the response of the running fetch may be older than the change.
   */
  async refresh(key: string): Promise<void> {
    const running = this.#inFlight.get(key)
    if (running === undefined) return this.#fetchOnce(key)
    const queued = this.#queued.get(key)
    if (queued !== undefined) return queued
    const next = running.then(() => {
      this.#queued.delete(key)
      return this.#fetchOnce(key)
    })
    this.#queued.set(key, next)
    return next
  }

  /** Stores data that was loaded by other means. */
  put(key: string, data: T): void {
    this.#store(key, { state: { status: 'ready', data }, loadedAt: Date.now() })
  }

  /** Drops all data and the results of all running fetches, then loads every key that has a subscriber. */
  clear(): void {
    const keys = [...this.#entries.keys()]
    this.#inFlight.clear()
    this.#entries.clear()
    for (const key of keys) this.#notify(key)
    for (const key of this.#listeners.keys()) void this.#fetchOnce(key)
  }

  #fetchOnce(key: string): Promise<void> {
    const running = this.#inFlight.get(key)
    if (running !== undefined) return running
    const fetching: Promise<void> = this.#fetchEntry(key).then((entry) => {
      // The cache was cleared in the meantime: the response may belong to another user.
      if (this.#inFlight.get(key) !== fetching) return
      this.#inFlight.delete(key)
      this.#store(key, entry)
    })
    this.#inFlight.set(key, fetching)
    return fetching
  }

  async #fetchEntry(key: string): Promise<Entry<T>> {
    const current = this.#entries.get(key)
    const isShown = current?.state.status === 'ready'
    const loadedAt = Date.now()
    try {
      const text = await this.#source.fetchText(key)
      // Data from `put` has no text, and the response for a removed key has none either.
      const isSame = text !== undefined && text === current?.text
      if (current && isShown && isSame) return { ...current, loadedAt }
      const data = text === undefined ? undefined : await this.#source.parse(text, isShown)
      const state = data === undefined ? missing : ({ status: 'ready', data } as const)
      return { state, text, loadedAt }
    } catch (e) {
      const error = e instanceof Error ? e : new Error(String(e))
      return current && isShown ? current : { state: { status: 'error', error }, loadedAt }
    }
  }

  #store(key: string, entry: Entry<T>): void {
    const isSame = this.#entries.get(key)?.state === entry.state
    this.#entries.set(key, entry)
    if (!isSame) this.#notify(key)
  }

  #notify(key: string): void {
    for (const listener of [...(this.#listeners.get(key) ?? [])]) listener()
  }
}

const missing = { status: 'missing' } as const

/** Returns the text of a response; undefined for status 404. Throws for every other failure. */
export async function textOf(response: Response): Promise<string | undefined> {
  const { status, statusText } = response
  // An unread body would keep the connection open.
  if (!response.ok) void response.body?.cancel()
  if (status === 404) return undefined
  if (!response.ok)
    throw new Error(statusText || statusTexts.get(status) || `the server responded ${status}`)
  return response.text()
}

/** Status texts for HTTP/2 and later, where responses have none. */
const statusTexts = new Map([
  [401, 'Unauthorized'],
  [406, 'Not Acceptable'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
])
