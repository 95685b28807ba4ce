import { delay } from '../../store/delay.ts'
import { ignoreError } from '../../wire/retry.ts'
import { type FetchEvent, scope } from './scope.ts'

/** Pages and assets that are cached for offline use. */
export interface OfflineOptions {
  /** Name of the cache. When this version takes over, the caches of other versions are deleted. */
  readonly version: string
  /**
   * URLs of files whose content never changes under their name, or the URL of a JSON list of these URLs. The files are
   * cached when the worker is installed.
   */
  readonly assets?: readonly string[] | string
  /**
   * Pages that are cached when the worker is installed. The last 50 other pages that were visited are also cached,
   * except pages with a secret in the query of their URL.
   */
  readonly pages?: readonly string[]
  /** The page shown offline in place of a page that is not cached. */
  readonly fallback?: string
  /** A page load uses the cache if the network takes longer than this, in ms. Default: 3,000. */
  readonly networkTimeout?: number
}

/** Maximum number of visited pages in the cache. */
const maxVisited = 50
const defaultNetworkTimeout = 3_000

/**
 * Caches pages and assets of the worker's origin. Private responses, and all paths under /api/, are never cached.
 *
 * page    from the network; from the cache when the network fails or takes longer than `networkTimeout`, and when the
 *         server returns a server error
 * asset   from the cache; from the network when it is not cached, and then cached
 * other   from the network
 */
export class OfflineCache {
  readonly #options: OfflineOptions
  readonly #name: string
  readonly #networkTimeout: number
  /** Paths of the assets. */
  #assets: Promise<readonly string[]> | undefined

  constructor(options: OfflineOptions) {
    this.#options = options
    this.#name = cachePrefix() + options.version
    this.#networkTimeout = options.networkTimeout ?? defaultNetworkTimeout
  }

  /** Fetches all listed files. A file that cannot be fetched or saved now is cached when it is first used. */
  async install(): Promise<void> {
    await Promise.all((await this.#listed()).map((url) => this.add(url)))
  }

  /** Deletes the caches of other versions. */
  async activate(): Promise<void> {
    const others = (await caches.keys()).filter(
      (name) => name.startsWith(cachePrefix()) && name !== this.#name,
    )
    await Promise.all(others.map((name) => caches.delete(name)))
  }

  /** Fetches and caches a file, unless it is cached or cannot be fetched. */
  async add(address: string): Promise<void> {
    const url = withoutFragment(address)
    if (await this.#match(url)) return
    await fetch(url).then((response) => this.#put(url, response), ignoreError)
  }

  /** Responds to requests for pages and assets. */
  onFetch(event: FetchEvent): void {
    const { request } = event
    const { origin, pathname } = new URL(request.url)
    if (request.method !== 'GET' || origin !== scope.location.origin) return
    if (pathname.startsWith('/api/') || request.headers.has('Range')) return
    event.respondWith(request.mode === 'navigate' ? this.#page(event) : this.#asset(event))
  }

  async #page(event: FetchEvent): Promise<Response> {
    const url = withoutFragment(event.request.url)
    const { fallback } = this.#options
    const network = this.#fetchPage(event, url)
    event.waitUntil(network.catch(ignoreError))
    const cached = await this.#find(url)
    try {
      const response = await (cached
        ? Promise.race([network, delay(this.#networkTimeout)])
        : network)
      if (response && (response.status < 500 || !cached)) return response
    } catch (e) {
      const withoutQuery = () => this.#find(url, { ...anyHeaders, ignoreSearch: true })
      const found = cached ?? (await withoutQuery()) ?? (fallback && (await this.#find(fallback)))
      if (!found) throw e
      return found
    }
    return cached as Response
  }

  async #fetchPage(event: FetchEvent, url: string): Promise<Response> {
    const response = (await event.preloadResponse) ?? (await fetch(event.request))
    event.waitUntil(this.#put(url, response.clone()).then(() => this.#evictVisited()))
    return response
  }

  /** Responds with an asset. A cached asset never expires, because its name changes with its content. */
  async #asset(event: FetchEvent): Promise<Response> {
    const { request } = event
    const { pathname } = new URL(request.url)
    this.#assets ??= this.#assetList().then(
      (list) => list.map((url) => absolute(url).pathname),
      () => [],
    )
    const assets = (await Promise.race([this.#assets, delay(this.#networkTimeout)])) ?? []
    if (!assets.includes(pathname)) return fetch(request)
    const cached = await this.#find(request)
    if (cached) return cached
    const response = await fetch(request)
    event.waitUntil(this.#put(request.url, response.clone()))
    return response
  }

  /** Returns the cached response; undefined if there is none, or if the disk takes longer than `networkTimeout`. */
  async #find(url: RequestInfo, options?: CacheQueryOptions): Promise<Response | undefined> {
    const cached = this.#match(url, options).catch(ignoreError)
    return (await Promise.race([cached, delay(this.#networkTimeout)])) ?? undefined
  }

  async #match(
    url: RequestInfo,
    options: CacheQueryOptions = anyHeaders,
  ): Promise<Response | undefined> {
    return (await caches.open(this.#name)).match(url, options)
  }

  /** Caches a response that is complete and the same for every user, if there is room for it. */
  async #put(url: string, response: Response): Promise<void> {
    const { ok, status, redirected, headers } = response
    const scopeHeaders = `${headers.get('Cache-Control')} ${headers.get('Vary')}`
    const isPrivate = privateHeaders.test(scopeHeaders) || secretInQuery.test(url)
    if (!ok || status === 206 || redirected || isPrivate) return
    const cache = await caches.open(this.#name)
    await cache.put(url, response).catch(ignoreError)
  }

  /** Evicts the oldest visited pages. */
  async #evictVisited(): Promise<void> {
    const cache = await caches.open(this.#name)
    const listed = await this.#listed()
    const visited = (await cache.keys()).filter(({ url }) => !listed.includes(url))
    for (const request of visited.slice(0, -maxVisited)) await cache.delete(request, anyHeaders)
  }

  /** Returns the URLs of all files in the options. */
  async #listed(): Promise<string[]> {
    const { assets = [], pages = [], fallback = [] } = this.#options
    const list = [...(await this.#assetList()), ...pages].concat(assets, fallback)
    return list.map((url) => absolute(url).href)
  }

  /** Returns the list of assets from the time when this version was installed. */
  async #assetList(): Promise<readonly string[]> {
    const { assets = [] } = this.#options
    if (typeof assets !== 'string') return assets
    await this.add(assets)
    const manifest = await this.#match(assets, {})
    return manifest ? ((await manifest.json()) as string[]) : []
  }
}

/** Prefix of the cache names of this worker. It contains the scope, which differs between the workers of an origin. */
const cachePrefix = () => `weft ${scope.registration.scope} `

/** Makes the cache match by URL alone, regardless of the headers of the request. */
const anyHeaders = { ignoreVary: true }

const absolute = (address: string): URL => new URL(address, scope.location.href)

const withoutFragment = (address: string): string => address.replace(/#.*/, '')

/** Matches the headers of a response that is not the same for every user. */
const privateHeaders = /no-store|private|cookie|authorization|\*/i

/** Matches a URL whose query contains a secret that grants access. */
const secretInQuery = /\?.*(token|code|secret|pass\w*|auth|key|session)=/i
