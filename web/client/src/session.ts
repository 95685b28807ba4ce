import type { ClientOptions } from './api.ts'
import type { Queries } from './live/queries.ts'
import type { Fetcher } from './live/remote/fetcher.ts'
import type { Graph } from './local/graph.ts'
import type { RemoteChanges } from './remote-changes.ts'
import { type createLocalIds, randomNumber } from './store/local-ids.ts'
import type { LoadedStorage, Storage } from './store/storage.ts'
import type { Outbox } from './sync/outbox.ts'
import type { Http } from './wire/http.ts'
import { ignoreError } from './wire/retry.ts'
import { userFromToken } from './wire/token.ts'

interface Parts {
  readonly graph: Graph
  readonly http: Http
  readonly ids: ReturnType<typeof createLocalIds>
  readonly outbox: Outbox
  readonly queries: Queries
  readonly remoteChanges: RemoteChanges
  fetcher(): Promise<Fetcher>
  /** The database of this application, or undefined if nothing is kept. */
  readonly disk: Storage | undefined
}

/**
 * The life cycle of a client: it opens with the data of an earlier visit, follows sign-ins and changes of the store, and
 * closes.
 *
 *     opening ──the disk was read, or cannot be──▶ open ──close()──▶ closed
 *        └───────────────────close()──────────────────────────────────▲
 *
 * | event | effect |
 * |---|---|
 * | `setToken`, same user | waiting writes are sent |
 * | `setToken`, another user | the graph is emptied, cached data of the previous user evicted, pending writes of the new user shown |
 * | the server names its store | writes are sent |
 * | the server names another store | cached ids are invalid: the graph is emptied, writes to old records fail |
 * | the server becomes reachable or unreachable | the outbox, queries and the change feed reconnect |
 *
 * Reading and writing work in every state: writes made while opening wait in the outbox until the disk is read.
 */
export class Session {
  readonly #parts: Parts
  #status: 'opening' | 'open' | 'closed' = 'opening'
  #storage: Storage | undefined
  /** Resolves when the client is open. */
  readonly ready: Promise<void>

  constructor(parts: Parts, refresh: ClientOptions['refresh']) {
    this.#parts = parts
    const { http, outbox, queries, remoteChanges } = parts
    http.onStoreSeen = (store) => this.#onStoreSeen(store)
    http.onOnlineChange = () => {
      outbox.networkChanged()
      queries.networkChanged()
      remoteChanges.networkChanged()
    }
    if (refresh) http.renewToken = () => this.#renewToken(refresh)
    this.ready = this.#open()
  }

  /** The database, once an earlier visit was restored from it. */
  get storage(): Storage | undefined {
    return this.#storage
  }

  /** Signs in or out. */
  setToken(token: string | undefined): void {
    const { graph, http, outbox, remoteChanges } = this.#parts
    http.token = token
    const user = userFromToken(token)
    if (user !== graph.user) this.#switchUser(user)
    remoteChanges.reopen()
    outbox.userChanged()
    remoteChanges.onGap()
  }

  close(): void {
    const { disk, http, remoteChanges } = this.#parts
    this.#status = 'closed'
    remoteChanges.close()
    disk?.close()
    http.close()
  }

  async #open(): Promise<void> {
    const { disk, graph, http, outbox, queries, remoteChanges, fetcher } = this.#parts
    let loadedFetcher: Fetcher | undefined
    fetcher().then((loaded) => {
      loadedFetcher = loaded
    }, ignoreError)
    const saved = await this.#load()
    if (this.#status === 'closed') return disk?.close()
    this.#status = 'open'
    http.randomizer = saved?.randomizer ?? randomNumber()
    // The server may have responded before the disk. Only a loaded fetcher can have added its records.
    const isIncomplete = loadedFetcher?.evictCandidates(saved?.mutations ?? [])
    if (saved) this.#restore(saved)
    const announcedStore = graph.store
    graph.store = saved?.store
    outbox.open(disk, saved?.mutations ?? [])
    queries.restore(saved?.answers ?? new Map())
    if (isIncomplete) remoteChanges.onGap()
    this.#onStoreSeen(announcedStore)
  }

  /**
   * Reads the data of the current user. If another user signs in during the read, reads again. Undefined if the disk
   * does not work.
   */
  async #load(): Promise<LoadedStorage | undefined> {
    const { disk, graph } = this.#parts
    for (;;) {
      // The application may call setToken right after createClient.
      await undefined
      const { user } = graph
      // IndexedDB is missing in some private windows. Everything else works there.
      const saved = await disk?.load(user).catch(() => undefined)
      if (user === graph.user) return saved
    }
  }

  #restore({ idsBelow, seen, store }: LoadedStorage): void {
    const { disk, graph, ids } = this.#parts
    ids.useBlock(idsBelow)
    graph.adoptRealIds(seen)
    graph.add(seen)
    this.#storage = disk
    disk?.setCacheOwner({ store, user: graph.user })
  }

  async #renewToken(refresh: () => Promise<string | undefined>): Promise<void> {
    const token = await refresh()
    if (token && token !== this.#parts.http.token) this.setToken(token)
  }

  #switchUser(user: string | undefined): void {
    const { graph, outbox, queries } = this.#parts
    graph.user = user
    outbox.pending.reproject()
    queries.dropAnswers()
    this.#storage?.setCacheOwner({ user })
  }

  #onStoreSeen(store: string | undefined): void {
    const { graph, outbox } = this.#parts
    if (store && store !== graph.store) this.#switchStore(store)
    outbox.send(true)
  }

  /** Switches to the store that the server now serves, or adopts the first known store. */
  #switchStore(store: string): void {
    const { graph, outbox, queries, remoteChanges } = this.#parts
    const wasKnown = !!graph.store
    graph.store = store
    const lost = wasKnown ? outbox.pending.replaceStore() : []
    void this.#storage?.replaceStore(store, lost).catch(ignoreError)
    outbox.publish({ kind: 'store', store })
    if (!wasKnown) return
    queries.dropAnswers()
    remoteChanges.onGap()
  }
}
