import type { Graph } from '../../local/graph.ts'
import type { WeftError } from '../../model/error.ts'
import type { Id } from '../../model/id.ts'
import type { Http } from '../../wire/http.ts'
import { retryLater } from '../../wire/retry.ts'
import { type Change, ChangeStream } from './change-stream.ts'
import type { Fetcher } from './fetcher.ts'

/** A subscription to one concept. Without a callback, the concept and its record are refetched instead. */
export interface Subscriber {
  readonly id: Id
  readonly changed: (() => void) | undefined
}

export interface FollowerParts {
  readonly graph: Graph
  readonly http: Http
  readonly fetcher: () => Promise<Fetcher>
  readonly subscribers: ReadonlySet<Subscriber>
  /** Names the change stream that the tabs of this application share. Without a name, the tab has its own stream. */
  readonly streamName: string | undefined
  /** Refetches the live queries that a change of these concepts may affect, or all of them. */
  refetchQueries(changed?: ReadonlySet<Id>): void
}

/**
 * Applies changes by other clients to this page: refetches live queries and watched records when the server announces changes.
 *
 * | event of the stream | effect |
 * |---|---|
 * | change of some ids | the queries and subscribers that these ids concern are refetched or notified |
 * | gap: changes may have been missed | all queries and subscribers are refetched or notified |
 *
 * The server announces a change once. A refetch that fails without a network is therefore kept:
 *
 *     idle ──scheduleRefetch──▶ refetchPending ──retryRefetch, online──▶ idle (everything is refetched)
 */
export class ChangeFollower {
  readonly stream: ChangeStream
  readonly #parts: FollowerParts
  #status: 'idle' | 'refetchPending' = 'idle'

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.stream = new ChangeStream(parts.http, {
      onChange: (change) => this.#onChange(change),
      onGap: () => {
        parts.refetchQueries()
        this.refetchWatched()
      },
      name: parts.streamName,
    })
  }

  /** Reconnects, and repeats a refetch that failed, when the server may be reachable again. */
  networkChanged(): void {
    this.stream.retry()
    this.#retryRefetch()
  }

  /** Refetches the records of the subscribers, or of those whose id matches, and notifies those with a callback. */
  refetchWatched(matches: (id: Id) => boolean = () => true): void {
    const { fetcher, http, subscribers } = this.#parts
    // The call may have waited for this code, and the client may have been closed in the meantime.
    if (http.closeSignal.aborted) return
    const affected = [...subscribers].filter(({ id }) => matches(id))
    const ids = affected.flatMap(({ id, changed }) => (changed ? [] : id))
    if (ids.length > 0)
      fetcher()
        .then((fetcher) => fetcher.refetch(ids))
        .catch((error) => this.#scheduleRefetch(error))
    for (const { changed } of affected) changed?.()
  }

  #onChange(change: Change): void {
    const { graph, refetchQueries } = this.#parts
    const changed = new Set(change.map((id) => graph.canonical(id)))
    refetchQueries(changed)
    this.refetchWatched((id) => changed.has(graph.canonical(id)))
  }

  #scheduleRefetch(error: WeftError): void {
    if (error.kind !== 'unavailable' || this.#parts.http.closeSignal.aborted) return
    this.#status = 'refetchPending'
    retryLater(() => this.#retryRefetch())
  }

  #retryRefetch(): void {
    const { closeSignal, online } = this.#parts.http
    if (this.#status !== 'refetchPending' || !online || closeSignal.aborted) return
    this.#status = 'idle'
    this.refetchWatched()
  }
}
