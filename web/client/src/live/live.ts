import { asWeftError, WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import { share } from '../local/share.ts'
import { tell, type Watched } from '../local/watchers.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import { type Http, jitter } from '../wire/http.ts'
import { type Engine, plain } from './engine.ts'
import { patience } from './feed.ts'
import type { Fetcher } from './fetcher.ts'
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
  /** The last answer to each query, of whatever time. */
  answers: Map<string, Answer>
  /** Told what to keep for the next visit. */
  remembered: (query: string, answer: Answer) => void
}

/**
 * What makes a query one for `filtered.ts`, in its format and text. A value that begins like one of these
 * members costs the download and changes nothing.
 */
const more = /^RAW|"(logic|after|depth|agg|exp)/
/**
 * Loaded with the first such query, so that pages that have none do not pay for it. Where it cannot be, it is
 * tried again after a while, and when the network comes back.
 */
let filtered: Engine | undefined

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
  /** What the view was made of: the last answer, if there was one, and the graph as it was. */
  #answer: Answer | undefined
  #version = -1
  /** The settled writes that the view knows of. */
  #confirmations = 0
  #shown: Answer | undefined
  #watching: ReadonlySet<Watched> = new Set()

  constructor(query: Query, form: Format, text: string, around: Surroundings) {
    this.#query = query
    this.#form = form
    this.#text = text
    this.#around = around
  }

  get(): QueryState<unknown> {
    if (!this.listening) this.#update()
    return this.#state
  }

  /** Starts the query when it is the first to listen; returns what stops listening. */
  listen(changed: () => void): () => void {
    // The same function may listen twice.
    const listener = () => changed()
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#update()
      this.#watch()
      void this.refresh()
    }
    return () => {
      if (!this.#listeners.delete(listener) || this.listening) return
      this.#current = false
      this.#watch()
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
    else if (this.listening && !this.#current && !this.#error) void this.refresh()
    this.render()
  }

  /** Says whether a change elsewhere of some concepts may have changed the answer. */
  concerns(change: Iterable<Id>): boolean {
    const watching = this.#watching
    return [0, ...change].some((id) => watching.has(id) || watching.has(`${id}`))
  }

  readonly render = (): void => {
    const changed = this.#update()
    this.#watch()
    if (changed) tell([...this.#listeners])
  }

  /** Watches what the answer hangs on while somebody listens, and nothing else. */
  #watch(): void {
    const { graph } = this.#around
    const { watchers } = graph
    const [engine, view] = [this.#engine, this.#view]
    const ids =
      this.listening && engine && view
        ? engine.interests(graph, this.#query, view, this.#text)
        : new Set<Watched>()
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
        (e) => {
          const error = asWeftError(e)
          this.#current = false
          // A server that does not answer will be heard of again. The rest is the query's fault, or the caller's.
          if (error.kind === 'unavailable') this.#around.http.doubt()
          else this.#error = error
        },
      )
      this.#tried = true
      this.render()
    }
  }

  async #askOnce(): Promise<void> {
    const { graph, http, fetcher, calm } = this.#around
    if (!this.#engine) {
      filtered = await import('./filtered.ts').catch(() => undefined)
      this.render()
    }
    const engine = this.#engine
    if (!engine) {
      setTimeout(() => this.networkChanged(), jitter(patience))
      return
    }
    const since = graph.confirmations
    const query = this.#query
    const request = engine.request(query, (id) => graph.real(id))
    const answer = engine.answer(await http.post('/api/freeschema-query', request), query)
    await calm()
    await Promise.all([fetcher.connections(answer.links), fetcher.concepts(answer.roots)])
    // A write settled meanwhile, which this answer may not know of. The next one will.
    if (graph.confirmations !== since) this.#again = true
    if (this.#again && this.#current) return
    if (engine.whole(query)) fetcher.inside(answer.roots, new Set(answer.links), since)
    this.#current = true
    this.#keep(answer)
  }

  get #engine(): Engine | undefined {
    return more.test(this.#form + this.#text) ? filtered : plain
  }

  #keep(answer: Answer): void {
    this.#around.answers.set(this.#text, answer)
    this.#around.remembered(this.#text, answer)
  }

  #viewNow(engine: Engine): Answer {
    const { graph, pending, answers } = this.#around
    let answer = answers.get(this.#text)
    if (this.#view && this.#answer === answer) {
      if (this.#version === graph.version) return this.#view
      // What was shown with a write that is settled by now is what the server will say, but for those that wait.
      if (answer && this.#confirmations !== graph.confirmations) {
        answer = engine.settled(graph, this.#query, this.#view, pending())
        this.#keep(answer)
      }
    }
    // Before the server said anything, the graph here has its say.
    this.#view = answer
      ? engine.project(graph, this.#query, answer, pending())
      : engine.run(graph, this.#query)
    this.#answer = answer
    this.#version = graph.version
    this.#confirmations = graph.confirmations
    return this.#view
  }

  /** Says whether the state is another now. */
  #update(): boolean {
    const [x, y] = [this.#state, this.#stateNow()] as Record<string, unknown>[]
    if (Object.keys({ ...x, ...y }).every((key) => x?.[key] === y?.[key])) return false
    this.#state = y as QueryState<unknown>
    return true
  }

  #stateNow(): QueryState<unknown> {
    const { data: old } = this.#state as { data?: readonly unknown[] }
    const engine = this.#engine
    try {
      if (this.#error) throw this.#error
      if (!engine && this.#tried) throw new WeftError('unavailable', 'filters did not load')
      const view = engine && this.#viewNow(engine)
      if (!view || !(this.#tried || this.#answer || view.roots.length > 0))
        return { status: 'loading' }
      const data =
        view === this.#shown && old
          ? old
          : share(old, engine.format(this.#around.graph, view, this.#form))
      this.#shown = view
      const complete = this.#current && view.links === this.#answer?.links
      return { status: 'ready', data, total: view.total, ...view.more, complete }
    } catch (e) {
      return { status: 'error', error: asWeftError(e), data: old }
    }
  }
}
