import { pause } from '../store/pause.ts'
import { ignore } from '../wire/wait.ts'
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
  /**
   * Pages kept when the worker is installed. Of others the last 50 that were visited are, unless the query of their
   * address has a secret.
   */
  readonly pages?: readonly string[]
  /** The page shown without a network instead of one that is not kept. */
  readonly fallback?: string
  /** How long the network may take for a page that is kept, in ms. 3 s unless said otherwise. */
  readonly patience?: number
}

/** So many pages that were visited are kept. */
const most = 50

/** Keeps pages and assets of its own origin. What is private, and what is under /api/, is nobody's but who asked. */
export class Keeper {
  readonly #options: Kept
  readonly #name: string
  readonly #patience: number
  /** Paths of the files. */
  #assets: Promise<readonly string[]> | undefined

  constructor(options: Kept) {
    this.#options = options
    this.#name = prefix() + options.version
    this.#patience = options.patience ?? 3_000
  }

  /** Fetches what is to be here. What does not come, or has no room, is kept when it is first used. */
  async install(): Promise<void> {
    await Promise.all((await this.#listed()).map((url) => this.add(url)))
  }

  /** Drops what other versions kept. */
  async activate(): Promise<void> {
    const others = (await caches.keys()).filter((n) => n.startsWith(prefix()) && n !== this.#name)
    await Promise.all(others.map((name) => caches.delete(name)))
  }

  /** Keeps what is at an address, unless it is kept, or cannot be had. */
  async add(address: string): Promise<void> {
    const url = plain(address)
    if (await this.#kept(url)) return
    await fetch(url).then((response) => this.#keep(url, response), ignore)
  }

  /** Answers what is kept here, from the network or without. */
  fetched(event: Fetched): void {
    const { request } = event
    const { origin, pathname } = new URL(request.url)
    if (request.method !== 'GET' || origin !== scope.location.origin) return
    if (pathname.startsWith('/api/') || request.headers.has('Range')) return
    event.respondWith(request.mode === 'navigate' ? this.#page(event) : this.#asset(event))
  }

  /** The page as the server has it now, or as it had it last, or the one that says that there is no network. */
  async #page(event: Fetched): Promise<Response> {
    const url = plain(event.request.url)
    const { fallback } = this.#options
    const network = this.#newest(event, url)
    event.waitUntil(network.catch(ignore))
    const last = await this.#find(url)
    try {
      const newest = await (last ? Promise.race([network, pause(this.#patience)]) : network)
      if (newest && (newest.status < 500 || !last)) return newest
    } catch (e) {
      const other = () => this.#find(url, { ...loosely, ignoreSearch: true })
      const found = last ?? (await other()) ?? (fallback && (await this.#find(fallback)))
      if (!found) throw e
      return found
    }
    return last as Response
  }

  async #newest(event: Fetched, url: string): Promise<Response> {
    const response = (await event.preloadResponse) ?? (await fetch(event.request))
    event.waitUntil(this.#keep(url, response.clone()).then(() => this.#trim()))
    return response
  }

  /** An asset's name changes with its content, so the first answer is good for ever. */
  async #asset(event: Fetched): Promise<Response> {
    const { request } = event
    const { pathname } = new URL(request.url)
    this.#assets ??= this.#assetList().then(
      (list) => list.map((url) => absolute(url).pathname),
      () => [],
    )
    const assets = (await Promise.race([this.#assets, pause(this.#patience)])) ?? []
    if (!assets.includes(pathname)) return fetch(request)
    const kept = await this.#find(request)
    if (kept) return kept
    const response = await fetch(request)
    event.waitUntil(this.#keep(request.url, response.clone()))
    return response
  }

  /** What is kept at an address, if the disk says so in time: no page waits for one that does not answer. */
  async #find(url: RequestInfo, how?: CacheQueryOptions): Promise<Response | undefined> {
    const kept = this.#kept(url, how).catch(ignore)
    return (await Promise.race([kept, pause(this.#patience)])) ?? undefined
  }

  async #kept(url: RequestInfo, how: CacheQueryOptions = loosely): Promise<Response | undefined> {
    return (await caches.open(this.#name)).match(url, how)
  }

  /** Keeps a response that anybody may see, as it is, at this address, if there is room for it. */
  async #keep(url: string, response: Response): Promise<void> {
    const { ok, status, redirected, headers } = response
    const whose = `${headers.get('Cache-Control')} ${headers.get('Vary')}`
    if (!ok || status === 206 || redirected || personal.test(whose) || secret.test(url)) return
    const cache = await caches.open(this.#name)
    await cache.put(url, response).catch(ignore)
  }

  /** Drops the oldest of what was visited. */
  async #trim(): Promise<void> {
    const cache = await caches.open(this.#name)
    const listed = await this.#listed()
    const visited = (await cache.keys()).filter(({ url }) => !listed.includes(url))
    for (const request of visited.slice(0, -most)) await cache.delete(request, loosely)
  }

  /** Addresses of all that is to be here. */
  async #listed(): Promise<string[]> {
    const { assets = [], pages = [], fallback = [] } = this.#options
    const list = [...(await this.#assetList()), ...pages].concat(assets, fallback)
    return list.map((url) => absolute(url).href)
  }

  /** The list as it was when this version was installed. */
  async #assetList(): Promise<readonly string[]> {
    const { assets = [] } = this.#options
    if (typeof assets !== 'string') return assets
    await this.add(assets)
    const manifest = await this.#kept(assets, {})
    return manifest ? ((await manifest.json()) as string[]) : []
  }
}

/** Of what this worker keeps: another one of the origin has another scope. */
const prefix = () => `weft ${scope.registration.scope} `

/** By the address alone, whatever the request said besides. */
const loosely = { ignoreVary: true }

const absolute = (address: string): URL => new URL(address, scope.location.href)

/** An address without what only the page reads of it. */
const plain = (address: string): string => address.replace(/#.*/, '')

/** What headers say of a response that is not for everybody. */
const personal = /no-store|private|cookie|authorization|\*/i

/** A name, in the query of an address, of what lets in whoever knows it. */
const secret = /\?.*(token|code|secret|pass\w*|auth|key|session)=/i
