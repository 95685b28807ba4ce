import { type Fetched, scope } from './scope.ts'

/** What is kept for reading without a network. */
export interface Kept {
  /** Names what is kept. What another version kept is dropped once this one takes over. */
  readonly version: string
  /**
   * Files whose content never changes under their name, kept when the worker is installed: their addresses, or the
   * address of a JSON list of them.
   */
  readonly assets?: readonly string[] | string
  /** Pages kept when the worker is installed. Others are kept as they are visited. */
  readonly pages?: readonly string[]
  /** The page shown without a network instead of one that is not kept. */
  readonly fallback?: string
  /** How long the network may take for a page that is kept, in ms. 3 s unless said otherwise. */
  readonly patience?: number
}

/** Keeps pages and assets of its own origin. What is private, and what is under /api/, is nobody's but who asked. */
export class Keeper {
  readonly #kept: Kept
  readonly #name: string
  #assets: Promise<ReadonlySet<string>> | undefined

  constructor(kept: Kept) {
    this.#kept = kept
    this.#name = prefix() + kept.version
  }

  /** Fetches what is to be here. What does not come is kept when it is first used. */
  async install(): Promise<void> {
    const { pages = [], fallback = [] } = this.#kept
    const waiting = [...(await this.#assetList()), ...pages].concat(fallback)
    const next = async () => {
      for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) await this.add(url)
    }
    await Promise.all([next(), next(), next()])
  }

  /** Drops what other versions kept. */
  async activate(): Promise<void> {
    const others = (await caches.keys()).filter((n) => n.startsWith(prefix()) && n !== this.#name)
    await Promise.all(others.map((name) => caches.delete(name)))
  }

  /** Keeps what is at an address, unless it is kept, or cannot be had. */
  async add(address: string): Promise<void> {
    const url = plain(address)
    const cache = await caches.open(this.#name)
    if (await cache.match(url, loosely)) return
    const response = await fetch(url).catch(() => undefined)
    if (response && isPublic(response)) await cache.put(url, response)
  }

  /** Answers what is kept here, from the network or without. */
  fetched(event: Fetched): void {
    const { request } = event
    const { origin, pathname } = new URL(request.url)
    if (request.method !== 'GET' || origin !== scope.location.origin) return
    if (pathname.startsWith('/api/') || request.headers.has('Range')) return
    event.respondWith(request.mode === 'navigate' ? this.#page(event) : this.#asset(request))
  }

  /** The page as the server has it now, or as it had it last, or the one that says that there is no network. */
  async #page(event: Fetched): Promise<Response> {
    const cache = await caches.open(this.#name)
    const url = plain(event.request.url)
    const last = await cache.match(url, loosely)
    const network = this.#newest(event, cache, url)
    try {
      const newest = await (last ? Promise.race([network, this.#late()]) : network)
      if (newest && (newest.status < 500 || !last)) return newest
    } catch (e) {
      const other = await cache.match(url, { ...loosely, ignoreSearch: true })
      const { fallback } = this.#kept
      const found = last ?? other ?? (fallback && (await cache.match(fallback, loosely)))
      if (!found) throw e
      return found
    }
    network.catch(() => {})
    return last as Response
  }

  async #newest(event: Fetched, cache: Cache, url: string): Promise<Response> {
    const response = (await event.preloadResponse) ?? (await fetch(event.request))
    if (isPublic(response)) event.waitUntil(cache.put(url, response.clone()))
    return response
  }

  #late(): Promise<undefined> {
    return new Promise((late) => setTimeout(late, this.#kept.patience ?? 3_000, undefined))
  }

  /** An asset's name changes with its content, so the first answer is good for ever. */
  async #asset(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    this.#assets ??= this.#assetSet()
    if (!(await this.#assets).has(pathname)) return fetch(request)
    const cache = await caches.open(this.#name)
    const kept = await cache.match(request, loosely)
    if (kept) return kept
    const response = await fetch(request)
    if (isPublic(response)) await cache.put(request, response.clone())
    return response
  }

  async #assetSet(): Promise<ReadonlySet<string>> {
    const list = await this.#assetList().catch(() => [])
    return new Set(list.map((url) => new URL(url, scope.location.href).pathname))
  }

  /** The list as it was when this version was installed. */
  async #assetList(): Promise<readonly string[]> {
    const { assets = [] } = this.#kept
    if (typeof assets !== 'string') return assets
    await this.add(assets)
    const manifest = await (await caches.open(this.#name)).match(assets)
    return manifest ? ((await manifest.json()) as string[]) : []
  }
}

/** Of what this worker keeps: another one of the origin has another scope. */
const prefix = () => `weft ${scope.registration.scope} `

/** By the address alone, whatever the request said besides. */
const loosely = { ignoreVary: true }

/** An address without what only the page reads of it. */
const plain = (address: string): string => address.replace(/#.*/, '')

/** Says whether anybody may see a response, as it is, at this address. */
const isPublic = (response: Response): boolean =>
  response.ok &&
  response.status !== 206 &&
  !response.redirected &&
  !/no-store|private/.test(response.headers.get('Cache-Control') ?? '')
