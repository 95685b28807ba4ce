import { Feed } from './live/feed.ts'
import type { Change } from './live/remote/change-stream.ts'
import type { Fetcher } from './live/remote/fetcher.ts'
import type { Graph } from './local/graph.ts'
import type { WeftError } from './model/error.ts'
import type { Id } from './model/id.ts'
import type { Http } from './wire/http.ts'
import { retryLater } from './wire/retry.ts'

/** A subscription to one concept. Without a callback, the concept and its record are refetched instead. */
interface Subscriber {
  readonly id: Id
  readonly changed: (() => void) | undefined
}

interface Parts {
  readonly graph: Graph
  readonly http: Http
  readonly fetcher: () => Promise<Fetcher>
  /** Names the change stream that the tabs of this application share. Without a name, the tab has its own stream. */
  readonly streamName: string | undefined
  /** Refetches the live queries that a change of these concepts may affect, or all of them. */
  refetchQueries(changed?: ReadonlySet<Id>): void
}

/**
 * Applies changes by other clients to this page: it subscribes to the server's change feed while the page has
 * subscribers, and refetches live queries and watched records.
 *
 * | event of the feed | effect |
 * |---|---|
 * | change of some ids | the queries and subscribers that these ids concern are refetched or notified |
 * | gap: changes may have been missed | all queries and subscribers are refetched or notified |
 *
 * The server announces a change once. A refetch that fails without a network is therefore kept:
 *
 *     idle ──scheduleRefetch──▶ refetchPending ──retryRefetch, online──▶ idle (everything is refetched)
 */
export class RemoteChanges {
  readonly #parts: Parts
  readonly #feed: Feed
  readonly #subscribers = new Set<Subscriber>()
  #status: 'idle' | 'refetchPending' | 'closed' = 'idle'

  constructor(parts: Parts) {
    this.#parts = parts
    this.#feed = new Feed(
      parts.http,
      (change) => this.#onChange(change),
      () => this.onGap(),
      parts.streamName,
    )
  }

  /** Keeps the change feed open until the returned function is called. */
  keepFeedOpen(): () => void {
    return this.#feed.keepOpen()
  }

  /** Subscribes to one concept. Calls back after each change or, without a callback, refetches its record. */
  subscribe(id: Id, changed?: () => void): () => void {
    const releaseFeed = this.keepFeedOpen()
    const subscriber = { id, changed }
    this.#subscribers.add(subscriber)
    return () => {
      releaseFeed()
      this.#subscribers.delete(subscriber)
    }
  }

  /** Refetches and notifies everything, because any change may have been missed. */
  onGap(): void {
    this.#parts.refetchQueries()
    this.#refetchWatched()
  }

  /** Reconnects as the user who is signed in now. */
  reopen(): void {
    this.#feed.reopen()
  }

  /** Reconnects, and repeats a refetch that failed, when the server may be reachable again. */
  networkChanged(): void {
    this.#feed.retry()
    this.#retryRefetch()
  }

  close(): void {
    this.#status = 'closed'
    this.#feed.close()
  }

  #onChange(change: Change): void {
    const { graph, refetchQueries } = this.#parts
    const changed = new Set(change.map((id) => graph.canonical(id)))
    refetchQueries(changed)
    this.#refetchWatched((id) => changed.has(graph.canonical(id)))
  }

  #refetchWatched(matches: (id: Id) => boolean = () => true): void {
    const affected = [...this.#subscribers].filter(({ id }) => matches(id))
    const ids = affected.flatMap(({ id, changed }) => (changed ? [] : id))
    if (ids.length > 0)
      this.#parts
        .fetcher()
        .then((fetcher) => fetcher.refetch(ids))
        .catch((error) => this.#scheduleRefetch(error))
    for (const { changed } of affected) changed?.()
  }

  #scheduleRefetch(error: WeftError): void {
    if (error.kind !== 'unavailable' || this.#status === 'closed') return
    this.#status = 'refetchPending'
    retryLater(() => this.#retryRefetch())
  }

  #retryRefetch(): void {
    if (this.#status !== 'refetchPending' || !this.#parts.http.online) return
    this.#status = 'idle'
    this.#refetchWatched()
  }
}
