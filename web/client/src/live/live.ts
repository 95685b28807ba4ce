import { asWeftError, type WeftError } from '../graph/error.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import { share } from '../local/share.ts'
import { tell, type Watched } from '../local/watchers.ts'
import { format } from '../query/format.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import { run } from '../query/run.ts'
import type { Http } from '../wire/http.ts'
import { answerOf, queryRequest } from '../wire/query.ts'
import type { Change } from './feed.ts'
import type { Fetcher } from './fetcher.ts'
import { interests, makesRoot, project, wantsOwn } from './projection.ts'
import type { QueryState } from './state.ts'

/** What a query needs around it. */
export interface Surroundings {
  readonly graph: Graph
  readonly http: Http
  readonly fetcher: Fetcher
  /** Writes not settled yet, oldest first. */
  pending(): readonly Mutation[]
  /** Resolves when no write is on its way: its answer is to be taken in before that of a query. */
  calm(): Promise<void>
  /** The last answer to a query, of whatever time. */
  recall(query: string): Answer | undefined
  remember(query: string, answer: Answer): void
}

/** A query in one format, kept true while somebody listens. */
export class Live {
  readonly #query: Query
  readonly #text: string
  readonly #form: Format
  readonly #around: Surroundings
  readonly #listeners = new Set<() => void>()
  #state: QueryState<unknown> = { status: 'loading' }
  /** Says whether the server gave the answer and nothing speaks against it since. */
  #current = false
  /** What the server says is wrong with the query. */
  #error: WeftError | undefined
  /** Set once the server was asked, whatever came of it. */
  #tried = false
  #flight: Promise<void> | undefined
  #again = false
  #view: Answer | undefined
  #version = -1
  #shown: Answer | undefined
  #watching: ReadonlySet<Watched> = new Set()

  constructor(query: Query, form: Format, text: string, around: Surroundings) {
    this.#query = query
    this.#form = form
    this.#text = text
    this.#around = around
  }

  get(): QueryState<unknown> {
    if (this.#listeners.size === 0) this.#update()
    return this.#state
  }

  /** Starts the query when it is the first to listen; returns what stops listening. */
  listen(changed: () => void): () => void {
    // The same function may listen twice.
    const listener = () => changed()
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#watch()
      void this.refresh()
    }
    return () => {
      if (this.#listeners.delete(listener) && !this.listening) this.#stop()
    }
  }

  get listening(): boolean {
    return this.#listeners.size > 0
  }

  /** Asks the server. Who asks while a request is under way gets one that starts after it. */
  async refresh(): Promise<void> {
    this.#again = true
    this.#flight ??= this.#ask().finally(() => {
      this.#flight = undefined
    })
    await this.#flight
  }

  /** The server came, or went away. */
  networkChanged(): void {
    if (!this.#around.http.online) this.#current = false
    else if (!this.#current && !this.#error) void this.refresh()
    this.render()
  }

  /** A write was settled: an answer given before it does not know the record it made. */
  settled(m: Mutation): void {
    const answer = this.#answerNow()
    const id = this.#around.graph.real(m.id)
    if (!answer || !makesRoot(this.#query, m) || answer.roots.includes(id)) return
    this.#keep({ ...answer, roots: [id, ...answer.roots], total: answer.total + 1 })
  }

  /** Says whether a change elsewhere may have changed the answer. */
  concerns(change: Change): boolean {
    const { graph } = this.#around
    const { type } = this.#query
    if (type && graph.type(type) === undefined) return true
    return [...change.concepts, ...change.types].some((id) => this.#watching.has(graph.name(id)))
  }

  readonly render = (): void => {
    const before = this.#state
    this.#watch()
    this.#update()
    if (this.#state !== before) tell([...this.#listeners])
  }

  #stop(): void {
    this.#current = false
    this.#watchOnly(new Set())
  }

  /** Watches what the answer hangs on, and nothing else. */
  #watch(): void {
    if (!this.listening) return
    const { graph } = this.#around
    const { type } = this.#query
    const ids: Set<Watched> = interests(graph, this.#query, this.#viewNow())
    if (type) ids.add(type).add(graph.type(type) ?? 0)
    this.#watchOnly(ids)
  }

  #watchOnly(ids: ReadonlySet<Watched>): void {
    const { watchers } = this.#around.graph
    for (const id of this.#watching) if (!ids.has(id)) watchers.delete(id, this.render)
    for (const id of ids) if (!this.#watching.has(id)) watchers.add(id, this.render)
    this.#watching = ids
  }

  async #ask(): Promise<void> {
    while (this.#again) {
      this.#again = false
      await this.#askOnce().then(
        () => {
          this.#error = undefined
        },
        (e) => this.#failed(asWeftError(e)),
      )
      this.#tried = true
      this.render()
    }
  }

  async #askOnce(): Promise<void> {
    const { graph, http, fetcher } = this.#around
    const since = graph.confirmations
    const query = this.#realQuery()
    const answer = answerOf(await http.post('/api/freeschema-query', queryRequest(query)), query)
    await this.#around.calm()
    await Promise.all([fetcher.connections(answer.links), fetcher.concepts(answer.roots)])
    // A write settled meanwhile, which this answer may not know of. The next one will.
    if (graph.confirmations !== since) this.#again = true
    if (this.#again && this.#current) return
    if (wantsOwn(query)) fetcher.inside(answer.roots, new Set(answer.links), since)
    this.#current = true
    this.#keep(answer)
  }

  /** Records made here may be asked about before their local ids mean anything to the server. */
  #realQuery(): Query {
    const { conceptIds } = this.#query
    if (!conceptIds) return this.#query
    const real = conceptIds.map((id) => this.#around.graph.real(id)).filter((id) => id > 0)
    return { ...this.#query, conceptIds: real }
  }

  #keep(answer: Answer): void {
    this.#version = -1
    this.#around.remember(this.#text, answer)
  }

  /** A server that does not answer will be heard of again. The rest is the query's fault, or the caller's. */
  #failed(error: WeftError): void {
    this.#current = false
    if (error.kind === 'unavailable') this.#around.http.doubt()
    else this.#error = error
  }

  #answerNow(): Answer | undefined {
    return this.#around.recall(this.#text)
  }

  #viewNow(): Answer {
    const { graph } = this.#around
    const answer = this.#answerNow()
    if (!this.#view || this.#version !== graph.version) {
      // Before the server said anything, the graph here has its say.
      this.#view = answer
        ? project(graph, this.#query, answer, this.#around.pending())
        : run(graph, this.#query)
      this.#version = graph.version
    }
    return this.#view
  }

  #update(): void {
    const next = this.#stateNow()
    if (!same(this.#state, next)) this.#state = next
  }

  #stateNow(): QueryState<unknown> {
    const old = 'data' in this.#state ? this.#state.data : undefined
    const failed = (error: WeftError) =>
      ({ status: 'error', error, ...(old && { data: old }) }) as const
    if (this.#error) return failed(this.#error)
    const view = this.#viewNow()
    const answered = this.#answerNow() !== undefined
    if (!this.#tried && !answered && view.roots.length === 0) return { status: 'loading' }
    try {
      const data = view === this.#shown && old ? old : this.#format(view, old)
      this.#shown = view
      return { status: 'ready', data, total: view.total, complete: answered && this.#current }
    } catch (e) {
      return failed(asWeftError(e))
    }
  }

  #format(view: Answer, old: readonly unknown[] | undefined): readonly unknown[] {
    const shaped = format(this.#around.graph, view, this.#form)
    return share(old, Array.isArray(shaped) ? shaped : [shaped])
  }
}

function same(a: QueryState<unknown>, b: QueryState<unknown>): boolean {
  const [x, y] = [a, b] as Record<string, unknown>[]
  return ['status', 'data', 'total', 'complete', 'error'].every((key) => x?.[key] === y?.[key])
}
