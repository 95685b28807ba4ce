import type { Id } from '../model/id.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import type { RowFormat } from './engine.ts'
import { formatKey, type QueryContext, SharedQuery } from './shared-query.ts'
import type { LiveQuery } from './state.ts'

interface Parts extends Omit<QueryContext, 'answers'> {
  /** Keeps the change feed open until the function it returns is called. */
  keepFeedOpen(): () => void
}

/**
 * The live queries of a page. `query` returns a handle; handles of the same query and format share one `SharedQuery`
 * while it has listeners. Notifications of changes are passed on to every `SharedQuery` with listeners.
 */
export class Queries {
  readonly #context: QueryContext
  readonly #keepFeedOpen: () => () => void
  /** The queries with listeners, by format and text. */
  readonly active = new Map<string, SharedQuery>()

  constructor(parts: Parts) {
    this.#context = { ...parts, answers: new Map() }
    this.#keepFeedOpen = parts.keepFeedOpen
    parts.graph.onSettled = () => this.#onSettled()
  }

  query<T>(query: Query, format: Format | RowFormat): LiveQuery<T> {
    const text = JSON.stringify(query)
    const key = formatKey(format) + text
    let latest = new SharedQuery(query, format, text, this.#context)
    const shared = () => {
      latest = this.active.get(key) ?? latest
      return latest
    }
    return {
      get: () => shared().get() as ReturnType<LiveQuery<T>['get']>,
      refresh: () => shared().refetch(),
      subscribe: (changed) => this.#subscribe(key, shared(), changed),
    }
  }

  networkChanged(): void {
    this.#forEachActive((query) => query.networkChanged())
  }

  /** Takes over the answers of an earlier visit, except those to queries that have been answered since. */
  restore(restored: ReadonlyMap<string, Answer>): void {
    const { answers } = this.#context
    for (const [query, answer] of restored) if (!answers.has(query)) answers.set(query, answer)
    this.#forEachActive((query) => query.update())
  }

  /** Refetches queries that a change of these concepts may affect, or all if changes may have been missed. */
  refetchAffected(changed?: Iterable<Id>): void {
    this.#forEachActive((query) => {
      if (!changed || query.isAffectedBy(changed)) void query.refetch()
    })
  }

  /** Drops all answers, because they belong to another user or store. */
  dropAnswers(): void {
    this.#context.answers.clear()
    this.#forEachActive((query) => query.update())
  }

  #onSettled(): void {
    const notified = this.#context.graph.watchers.notified()
    this.#forEachActive((query) => {
      if (!notified.has(query.update)) query.keepServerAnswer()
    })
  }

  #subscribe(key: string, query: SharedQuery, changed: () => void): () => void {
    this.active.set(key, query)
    const removeListener = query.listen(changed)
    const releaseFeed = this.#keepFeedOpen()
    return () => {
      removeListener()
      releaseFeed()
      if (!query.hasListeners && this.active.get(key) === query) this.active.delete(key)
    }
  }

  #forEachActive(work: (query: SharedQuery) => void): void {
    for (const query of [...this.active.values()]) work(query)
  }
}
