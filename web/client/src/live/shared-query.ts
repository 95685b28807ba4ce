import type { Graph } from '../local/graph.ts'
import { reuseEqualParts } from '../local/structural-sharing.ts'
import { callListeners, type Watched } from '../local/watchers.ts'
import { asWeftError, WeftError } from '../model/error.ts'
import { type Id, isReal } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import type { Http } from '../wire/http.ts'
import { ignoreError, retryLater } from '../wire/retry.ts'
import { type Engine, plainEngine, type RowFormat } from './engine.ts'
import type { View } from './projection.ts'
import type { Fetcher } from './remote/fetcher.ts'
import type { QueryState } from './state.ts'

/** The parts of a client that its queries share. */
export interface QueryContext {
  readonly graph: Graph
  readonly http: Http
  readonly fetcher: () => Promise<Fetcher>
  /** The last answer of the server to each query, by its text. Answers of earlier visits are among them. */
  readonly answers: Map<string, Answer>
  /** Returns the writes that are not settled, oldest first. */
  pending(): readonly Mutation[]
  /**
   * Resolves when no write is being sent. A query waits for this, because the receipt of a write must be applied before
   * a later answer.
   */
  sendingEnds(): Promise<void>
  /** Called with each answer that should be kept for the next visit. */
  onAnswer(query: string, answer: Answer): void
}

/** The status of the server's answer; see the diagram of `SharedQuery`. */
type Status = 'unfetched' | 'awaitingRoots' | 'fresh' | 'stale' | Refused

interface Refused {
  readonly refusal: WeftError
}

/** A view, and the counters of the graph by which it is cached. */
interface CachedView extends View {
  readonly graphVersion: number
  readonly settledCount: number
}

/** The state that subscribers saw last, with its answer and its user. */
interface Emitted {
  readonly state: QueryState<unknown>
  readonly answer: Answer | undefined
  readonly user: string | undefined
}

const loading: QueryState<unknown> = { status: 'loading' }

/**
 * Matches the format and text of queries that need the filter engine. A search value that looks like one of these
 * members also matches; the engine is then loaded without need, and the answer is the same.
 */
const filterSyntax = /^RAW|"(logic|after|depth|agg|exp|legacy|direct|orderBy|warn)/

/** Returns the name that distinguishes a format among queries of the same text. */
export const formatKey = (format: Format | RowFormat): string =>
  typeof format === 'string' ? format : format.key

const formatRows = (engine: Engine, graph: Graph, answer: Answer, format: Format | RowFormat) =>
  typeof format === 'string'
    ? engine.format(graph, answer, format)
    : format.toRows(answer, (query) => engine.run(graph, query))

/** The filter engine. The first query that needs it loads it for all queries of the page. */
let filterEngine: Engine | undefined

/**
 * A query in one format, shared by all its subscribers, and kept up to date while it has any.
 *
 * Status of the server's answer:
 *
 *                   answer            network lost, last subscriber left
 *     unfetched ───────────▶ fresh ───────────────────────────────────▶ stale
 *         │                    ▲                                          │
 *         │                    └──────────────── answer ──────────────────┤
 *         ├── no root is on the server yet ──▶ awaitingRoots ── synced ──▶│
 *         └── error of the query or the user ─▶ Refused ── another user ─▶┘
 *
 * - Every status can lead to every other one by the next fetch; `unfetched` is never entered again.
 * - While the server is unreachable, the answer is `stale`, even one that arrives late. It is fetched again when the
 * network is back.
 * - Only a `fresh` answer that no pending write changes is reported as `complete`.
 *
 * One fetch runs at a time. A refetch requested during a fetch is queued and starts after it (`#refetchQueued`).
 *
 * Subscribers see a computed answer (a `View`): the server's answer with pending writes applied, or the answer of the
 * local graph if the server has not answered. When a watched id changed, `update` recomputes the view, which costs one
 * projection. Subscribers are notified if the state differs. Equal parts of the data stay the same objects.
 */
export class SharedQuery {
  readonly #context: QueryContext
  readonly #query: Query
  readonly #format: Format | RowFormat
  readonly #text: string
  readonly #needsFilterEngine: boolean
  readonly #listeners = new Set<() => void>()
  #status: Status = 'unfetched'
  #fetching: Promise<void> | undefined
  #refetchQueued = false
  readonly #missingLinks = new Set<Id>()
  #view: CachedView | undefined
  #emitted: Emitted
  #watched: ReadonlySet<Watched> = new Set()

  /** `text` is the query as JSON, under which answers are cached. */
  constructor(query: Query, format: Format | RowFormat, text: string, context: QueryContext) {
    this.#context = context
    this.#query = query
    this.#format = format
    this.#text = text
    this.#needsFilterEngine = filterSyntax.test(formatKey(format) + text)
    this.#emitted = { state: loading, answer: undefined, user: context.graph.user }
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  /** Returns the state. Without listeners the state is not kept up to date, so it is computed by this call. */
  get(): QueryState<unknown> {
    if (!this.hasListeners) this.#updateState()
    return this.#emitted.state
  }

  /** Adds a listener. The first listener starts the query. Returns a function that removes it. */
  listen(changed: () => void): () => void {
    // The same function may be added twice.
    const listener = () => changed()
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#updateState()
      this.#updateWatched()
      void this.refetch()
    }
    return () => {
      if (!this.#listeners.delete(listener) || this.hasListeners) return
      this.#markStale()
      this.#updateWatched()
    }
  }

  /** Asks the server. If a request is under way, another one starts after it. */
  async refetch(): Promise<void> {
    this.#refetchQueued = true
    this.#fetching ??= this.#fetchWhileQueued().finally(() => {
      this.#fetching = undefined
    })
    await this.#fetching
  }

  /** Called when the server becomes reachable or unreachable. */
  networkChanged(): void {
    if (!this.#context.http.online) this.#markStale()
    else if (this.hasListeners && this.#status !== 'fresh') void this.refetch()
    this.update()
  }

  /** Reports whether a change of these concepts by another client may have changed the answer. */
  isAffectedBy(changed: Iterable<Id>): boolean {
    // A query that depends on a type that is not loaded watches 0. Any change may concern that type.
    return [0, ...changed].some((id) => this.#watched.has(id) || this.#watched.has(`${id}`))
  }

  /** Recomputes the state after the graph, the pending writes or the answer changed, and notifies listeners. */
  readonly update = (): void => {
    if (this.#status === 'awaitingRoots' && this.hasListeners && this.#isRootSynced()) {
      this.#status = 'stale'
      void this.refetch()
    }
    const isChanged = this.#updateState()
    this.#updateWatched()
    if (this.hasListeners) this.#refetchMissingLinks()
    if (isChanged) callListeners([...this.#listeners])
  }

  /**
   * Called when writes were settled that do not affect the view. Later changes of other writes must not count as an effect of
   * these.
   */
  keepServerAnswer(): void {
    const { settledCount } = this.#context.graph
    if (this.#view) this.#view = { ...this.#view, settledCount }
  }

  /**
   * Fetches again if the graph lacks links of the answer: the answer of another query, which the server gave earlier or later,
   * did not list them. A link causes one fetch only, because the server may list links that it does not return.
   */
  #refetchMissingLinks(): void {
    const { graph, pending } = this.#context
    const { answer, serverAnswer } = this.#view ?? {}
    if (this.#status !== 'fresh' || !serverAnswer || pending().length > 0) return
    if (answer?.links === serverAnswer.links) {
      this.#missingLinks.clear()
      return
    }
    const missing = serverAnswer.links.filter((id) => !graph.connection(id))
    const isKnown = missing.every((id) => this.#missingLinks.has(id))
    for (const id of missing) this.#missingLinks.add(id)
    if (!isKnown) void this.refetch()
  }

  async #fetchWhileQueued(): Promise<void> {
    while (this.#refetchQueued) {
      this.#refetchQueued = false
      try {
        await this.#fetch()
        if (this.#status === 'unfetched' || refusalOf(this.#status)) this.#status = 'stale'
      } catch (error) {
        this.#onFetchError(asWeftError(error))
      }
      this.update()
    }
  }

  /** Fetches once. The status remains if the answer is outdated on arrival. */
  async #fetch(): Promise<void> {
    const { graph, http, fetcher: loadFetcher, sendingEnds } = this.#context
    const engine = await this.#loadEngine()
    if (!engine) return this.#onCodeMissing()
    if (!this.#isRootSynced()) {
      this.#status = 'awaitingRoots'
      return
    }
    if (this.#status === 'awaitingRoots') this.#status = 'stale'
    const { settledCount, user } = graph
    const request = engine.encodeRequest(this.#query, (id) => graph.real(id))
    const [json, fetcher] = await Promise.all([
      http.post('/api/freeschema-query', request),
      loadFetcher().catch(ignoreError),
    ])
    if (user !== graph.user) return
    if (!fetcher) return this.#onCodeMissing()
    const answer = engine.decodeDetails(fetcher.decodeAnswer(json, this.#query), json)
    await sendingEnds()
    await fetcher.fetchRecords(answer)
    if (user === graph.user) this.#onAnswer(engine, fetcher, answer, settledCount)
  }

  /** Applies an answer that was requested when `settledCount` writes were settled. */
  #onAnswer(engine: Engine, fetcher: Fetcher, answer: Answer, settledCount: number): void {
    // A write settled during the request, so the answer may miss it. Keep the current view, if any, and refetch.
    const mayMissWrite = this.#context.graph.settledCount !== settledCount
    if (mayMissWrite) this.#refetchQueued = true
    const hasView = this.#status === 'fresh' || (mayMissWrite && this.#view?.answer.roots.length)
    if (this.#refetchQueued && hasView) return
    if (engine.listsWholeRecords(this.#query))
      fetcher.evictUnlisted(answer.roots, new Set(answer.links), settledCount)
    fetcher.evictUnlistedLinks(this.#query.hops ?? [], answer, settledCount)
    // The network may have been lost since the answer was requested.
    this.#status = this.#context.http.online ? 'fresh' : 'stale'
    this.#storeAnswer(answer)
  }

  #onFetchError(error: WeftError): void {
    const { http } = this.#context
    const isRefused = refusalOf(this.#status) !== undefined
    if (this.#refetchQueued) {
      if (this.#status === 'unfetched') this.#status = 'stale'
    } else if (error.kind === 'unavailable') {
      if (!isRefused) this.#status = 'stale'
      http.reportUnreachable()
    } else {
      this.#status = { refusal: error }
      // An error with a cause may come from a proxy, which may let the same request pass later.
      if (error.cause) retryLater(() => refusalOf(this.#status) === error && this.networkChanged())
    }
  }

  /** Handles a failure to load the code of the fetcher or the filter engine. */
  #onCodeMissing(): void {
    this.#status = 'stale'
    retryLater(() => this.networkChanged())
  }

  #markStale(): void {
    if (this.#status === 'fresh') this.#status = 'stale'
  }

  /** Reports whether the server has at least one of the concepts that the query starts from. */
  #isRootSynced(): boolean {
    const { conceptIds = [] } = this.#query
    const { graph } = this.#context
    return conceptIds.length === 0 || conceptIds.some((id) => isReal(graph.real(id)))
  }

  /** The engine that executes the query, or undefined while it is not loaded. */
  get #engine(): Engine | undefined {
    return this.#needsFilterEngine ? filterEngine : plainEngine
  }

  async #loadEngine(): Promise<Engine | undefined> {
    if (!this.#engine) {
      filterEngine = await import('./filters/index.ts').catch(() => undefined)
      this.update()
    }
    return this.#engine
  }

  #storeAnswer(answer: Answer): void {
    const { answers, onAnswer } = this.#context
    answers.set(this.#text, answer)
    onAnswer(this.#text, answer)
  }

  /** Recomputes the state and reports whether it changed. An equal state remains the same object. */
  #updateState(): boolean {
    const { graph } = this.#context
    const { state: previous, user } = this.#emitted
    if (user !== graph.user) {
      if (refusalOf(this.#status)) this.#status = 'stale'
      this.#emitted = { state: loading, answer: undefined, user: graph.user }
    }
    const next = this.#computeState()
    const isChanged = !isShallowEqual(previous, next)
    this.#emitted = { ...this.#emitted, state: isChanged ? next : previous }
    return isChanged
  }

  #computeState(): QueryState<unknown> {
    const { graph } = this.#context
    const { state, answer: shown } = this.#emitted
    const oldData = (state as { data?: readonly unknown[] }).data
    const refusal = refusalOf(this.#status)
    const wasFetched = this.#status !== 'unfetched'
    const engine = this.#engine
    try {
      if (refusal) throw refusal
      if (!engine) {
        if (wasFetched)
          throw new WeftError('unavailable', 'the code for filters could not be loaded')
        return loading
      }
      const { answer, serverAnswer } = this.#updateView(engine)
      if (!wasFetched && !serverAnswer && answer.roots.length === 0) return loading
      const isSame = answer === shown && oldData !== undefined
      const data = isSame
        ? oldData
        : reuseEqualParts(oldData, formatRows(engine, graph, answer, this.#format))
      this.#emitted = { ...this.#emitted, answer }
      const complete = this.#status === 'fresh' && answer.links === serverAnswer?.links
      return { status: 'ready', data, total: answer.total, ...answer.details, complete }
    } catch (error) {
      return { status: 'error', error: asWeftError(error), data: oldData }
    }
  }

  /** Recomputes the view if the graph or the server's answer changed. */
  #updateView(engine: Engine): CachedView {
    const { answers, graph } = this.#context
    const { version: graphVersion, settledCount } = graph
    const view = this.#view
    let serverAnswer = answers.get(this.#text)
    const isSameAnswer = view && view.serverAnswer === serverAnswer
    if (isSameAnswer && view.graphVersion === graphVersion) return view
    const pending = this.#context.pending()
    if (isSameAnswer && serverAnswer && view.settledCount !== settledCount) {
      serverAnswer = engine.withoutPending(graph, this.#query, view, pending)
      this.#storeAnswer(serverAnswer)
    }
    const answer = serverAnswer
      ? engine.project(graph, this.#query, serverAnswer, pending)
      : engine.run(graph, this.#query)
    this.#view = { answer, serverAnswer, pending, graphVersion, settledCount }
    return this.#view
  }

  /** While there are listeners, watches exactly the ids that the answer depends on. */
  #updateWatched(): void {
    const { graph } = this.#context
    const engine = this.#engine
    const ids =
      this.hasListeners && engine && this.#view
        ? engine.dependencies(graph, this.#query, this.#view.answer, this.#text)
        : new Set<Watched>()
    for (const id of this.#watched) if (!ids.has(id)) graph.watchers.delete(id, this.update)
    for (const id of ids) if (!this.#watched.has(id)) graph.watchers.add(id, this.update)
    this.#watched = ids
  }
}

const refusalOf = (status: Status): WeftError | undefined =>
  typeof status === 'object' ? status.refusal : undefined

function isShallowEqual(a: QueryState<unknown>, b: QueryState<unknown>): boolean {
  const [x, y] = [a, b] as object[] as Record<string, unknown>[]
  return Object.keys({ ...x, ...y }).every((key) => x?.[key] === y?.[key])
}
