import { asWeftError, type WeftError } from '../graph/error.ts'
import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import type { Watched } from '../local/watchers.ts'
import { type Answer, checkQuery, type Query } from '../query/query.ts'
import { run } from '../query/run.ts'
import { type Http, jitter } from '../wire/http.ts'
import { answerOf, queryRequest } from '../wire/query.ts'
import type { Change } from './feed.ts'
import type { Fetcher } from './fetcher.ts'

/** What a query needs around it. */
export interface Surroundings {
  readonly graph: Graph
  readonly http: Http
  readonly fetcher: Fetcher
  /** Writes not settled yet, oldest first. */
  pending(): readonly Mutation[]
  /** Resolves when no write is on its way: its answer is to be taken in before that of a query. */
  calm(): Promise<void>
  remember(key: string, answer: Answer): void
}

const longestWait = 30_000

/** One query, whoever asks it and in whatever format: its answer, kept true while somebody subscribes. */
export class Asked {
  readonly key: string
  readonly query: Query
  readonly #around: Surroundings
  readonly #rendered: () => void
  #watching: ReadonlySet<Watched> = new Set()
  readonly #touched = () => this.#rendered()
  #answer: Answer | undefined
  /** Says whether the server gave the answer and nothing speaks against it since. */
  current = false
  /** What the server says is wrong with the query. */
  error: WeftError | undefined
  /** Set once the server was asked, whatever came of it. */
  tried = false
  live = false
  #flight: Promise<void> | undefined
  #again = false
  #wait = 1_000
  #timer: ReturnType<typeof setTimeout> | undefined
  #view: { version: number; answer: Answer } | undefined

  constructor(query: Query, key: string, around: Surroundings, rendered: () => void) {
    this.query = query
    this.key = key
    this.#around = around
    this.#rendered = rendered
  }

  get underWay(): boolean {
    return this.#flight !== undefined
  }

  /** Says whether there is an answer, of whatever time. */
  get recalled(): boolean {
    return this.#answer !== undefined
  }

  /** Starts from the answer of an earlier time. */
  recall(answer: Answer | undefined): void {
    if (this.#answer || !answer) return
    this.#answer = answer
    this.#view = undefined
  }

  /** The answer as it stands with what is known and written here. */
  view(): Answer {
    const { graph } = this.#around
    if (this.#view?.version !== graph.version) {
      this.#view = { version: graph.version, answer: this.#project() }
    }
    return this.#view.answer
  }

  start(): void {
    this.live = true
    this.watch()
    void this.refresh()
  }

  stop(): void {
    this.live = false
    this.current = false
    clearTimeout(this.#timer)
    this.#watchOnly(new Set())
  }

  /** Asks the server. Who asks while a request is under way gets one that starts after it. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer)
    this.#again = true
    this.#flight ??= this.#ask().finally(() => {
      this.#flight = undefined
    })
    await this.#flight
  }

  /** The server cannot be reached, or said that changes were missed. */
  doubt(): void {
    if (!this.current) return
    this.current = false
    this.#rendered()
  }

  /** A write was settled: an answer given before it does not know the record it made. */
  settled(m: Mutation): void {
    const answer = this.#answer
    if (!answer || !this.#makesRoot(m)) return
    const id = this.#around.graph.real(m.id)
    if (answer.roots.includes(id)) return
    this.#keep({ ...answer, roots: [id, ...answer.roots], total: answer.total + 1 })
  }

  /** Says whether a change elsewhere may have changed the answer. */
  concerns(change: Change): boolean {
    const { graph } = this.#around
    const type = this.query.type && graph.type(this.query.type)
    if (this.query.type && type === undefined) return true
    const ids = new Set<Id>(this.query.conceptIds)
    const { roots, links } = this.view()
    for (const id of roots) ids.add(graph.real(id))
    for (const link of links) {
      const c = graph.connection(link)
      if (c) ids.add(graph.real(c.from)).add(graph.real(c.to)).add(graph.real(c.type))
    }
    if (typeof type === 'number') ids.add(graph.real(type))
    return [...change.concepts, ...change.types].some((id) => ids.has(id))
  }

  /** Watches what the answer hangs on, and nothing else. */
  watch(): void {
    if (!this.live) return
    const { graph } = this.#around
    const answer = this.view()
    const ids = new Set<Watched>([...answer.roots, ...this.#mains(answer)])
    if (this.query.type) ids.add(this.query.type).add(graph.type(this.query.type) ?? 0)
    this.#watchOnly(ids)
  }

  #watchOnly(ids: ReadonlySet<Watched>): void {
    const { watchers } = this.#around.graph
    for (const id of this.#watching) if (!ids.has(id)) watchers.delete(id, this.#touched)
    for (const id of ids) if (!this.#watching.has(id)) watchers.add(id, this.#touched)
    this.#watching = ids
  }

  async #ask(): Promise<void> {
    while (this.#again) {
      this.#again = false
      try {
        checkQuery(this.query)
        await this.#askOnce()
        this.error = undefined
        this.#wait = 1_000
      } catch (e) {
        this.#failed(asWeftError(e))
      }
      this.tried = true
      this.#rendered()
    }
  }

  async #askOnce(): Promise<void> {
    const { graph, http, fetcher } = this.#around
    const since = graph.confirmations
    const query = { ...this.query, ...this.#realIds() }
    const answer = answerOf(await http.post('/api/freeschema-query', queryRequest(query)), query)
    await this.#around.calm()
    await Promise.all([fetcher.connections(answer.links), fetcher.concepts(answer.roots)])
    // A write settled meanwhile, which this answer may not know of. The next one will.
    if (graph.confirmations !== since) this.#again = true
    if (this.#again && this.current) return
    if (wantsOwn(this.query)) fetcher.inside(answer.roots, new Set(answer.links), since)
    this.current = true
    this.#keep(answer)
  }

  /** Records made here may be asked about before their local ids mean anything to the server. */
  #realIds(): { conceptIds?: readonly Id[] } {
    const ids = this.query.conceptIds?.map((id) => this.#around.graph.real(id))
    return ids ? { conceptIds: ids.filter((id) => id > 0) } : {}
  }

  #keep(answer: Answer): void {
    this.#answer = answer
    this.#view = undefined
    this.#around.remember(this.key, answer)
    this.watch()
  }

  /** What may pass by itself is tried again; the rest is the query's fault, or the caller's. */
  #failed(error: WeftError): void {
    this.current = false
    if (error.kind !== 'unavailable' && error.kind !== 'internal') {
      this.error = error
      return
    }
    if (!this.live || !this.#around.http.online) return
    this.#timer = setTimeout(() => void this.refresh(), jitter(this.#wait))
    this.#wait = Math.min(2 * this.#wait, longestWait)
  }

  #project(): Answer {
    const { graph } = this.#around
    if (!this.#answer) return this.#local()
    const made = (this.query.page ?? 1) === 1 ? this.#around.pending() : []
    const ours = made.filter((m) => this.#makesRoot(m)).map((m) => graph.name(m.id))
    const theirs = this.#answer.roots.map((id) => graph.name(id))
    const roots = [...new Set([...ours.toReversed(), ...theirs])]
    const here = roots.filter((id) => graph.concept(id))
    const answer = { ...this.#answer, roots: here }
    const links = new Set(answer.links.filter((id) => graph.connection(id)))
    for (const main of this.#mains(answer)) for (const c of graph.links(main)) links.add(c.id)
    return {
      ...answer,
      links: [...links],
      total: this.#answer.total + here.length - theirs.length,
    }
  }

  /** What the graph here has to say, before the server said anything. */
  #local(): Answer {
    try {
      return run(this.#around.graph, this.query)
    } catch {
      return { roots: [], links: [], reverse: [], counts: [], total: 0, order: 'DESC' }
    }
  }

  /** The compositions whose own data the answer speaks of. */
  #mains(answer: Answer): Set<Id> {
    const { graph } = this.#around
    const mains = new Set<Id>(wantsOwn(this.query) ? answer.roots : [])
    for (const id of answer.links) {
      const type = graph.connection(id)?.type
      if (type !== undefined && graph.concept(type)?.composition) mains.add(type)
    }
    return mains
  }

  #makesRoot(m: Mutation): boolean {
    return m.kind === 'create' && m.type === this.query.type && !this.query.conceptIds?.length
  }
}

const wantsOwn = (q: Query): boolean =>
  q.selectors?.includes('self') === true ||
  q.hops?.some((hop) => hop.connection === 'self') === true
