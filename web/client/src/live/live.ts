import { asWeftError, WeftError } from '../graph/error.ts'
import { type Id, isReal } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import { share } from '../local/share.ts'
import { tell, type Watched } from '../local/watchers.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import type { Http } from '../wire/http.ts'
import { ignore, later } from '../wire/wait.ts'
import { type Engine, plain } from './engine.ts'
import type { Fetcher } from './fetcher.ts'
import type { QueryState } from './state.ts'

/** What a query needs around it. */
export interface Surroundings {
  readonly graph: Graph
  readonly http: Http
  readonly fetcher: () => Promise<Fetcher>
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
const more = /^RAW|"(logic|after|depth|agg|exp|legacy)/
/**
 * Loaded with the first such query, so that pages that have none do not pay for it. Where it cannot be, it is
 * tried again after a while, and when the network comes back.
 */
let filtered: Engine | undefined

/** A query in one format, kept true while somebody listens. */
export type Live = ReturnType<typeof liveQuery>

export function liveQuery(query: Query, form: Format, text: string, around: Surroundings) {
  const { graph, http, fetcher, pending, calm, answers, remembered } = around
  const { watchers } = graph
  const listeners = new Set<() => void>()
  let state: QueryState<unknown> = { status: 'loading' }
  /** Says whether the server gave the answer and nothing speaks against it since. */
  let current = false
  /** What the server says is wrong with the query. */
  let refused: WeftError | undefined
  /** Set once the server was asked, whatever came of it. */
  let tried = false
  let flight: Promise<void> | undefined
  let again = false
  /** Set while the server knows none of the concepts that the query starts from. */
  let early = false
  let view: Answer | undefined
  /** What the view was made of: the last answer, if there was one, and the graph as it was. */
  let source: Answer | undefined
  let version = -1
  /** The settled writes that the view knows of. */
  let confirmations = 0
  let shown: Answer | undefined
  let watching: ReadonlySet<Watched> = new Set()
  /** Whose state that is. */
  let whose = graph.user

  const listening = (): boolean => listeners.size > 0

  const engineNow = (): Engine | undefined => (more.test(form + text) ? filtered : plain)

  function get(): QueryState<unknown> {
    if (!listening()) update()
    return state
  }

  /** Starts the query when it is the first to listen; returns what stops listening. */
  function listen(changed: () => void): () => void {
    // The same function may listen twice.
    const listener = () => changed()
    listeners.add(listener)
    if (listeners.size === 1) {
      update()
      watch()
      void refresh()
    }
    return () => {
      if (!listeners.delete(listener) || listening()) return
      current = false
      watch()
    }
  }

  /** Asks the server. Who asks while a request is under way gets one that starts after it. */
  async function refresh(): Promise<void> {
    again = true
    flight ??= ask().finally(() => {
      flight = undefined
    })
    await flight
  }

  /** The server came, or went away. */
  function networkChanged(): void {
    if (!http.online) current = false
    else if (listening() && !current) void refresh()
    render()
  }

  /** Says whether a change elsewhere of some concepts may have changed the answer. */
  const concerns = (change: Iterable<Id>): boolean =>
    [0, ...change].some((id) => watching.has(id) || watching.has(`${id}`))

  function render(): void {
    if (early && listening() && startsThere()) {
      early = false
      void refresh()
    }
    const changed = update()
    watch()
    if (changed) tell([...listeners])
  }

  /** Watches what the answer hangs on while somebody listens, and nothing else. */
  function watch(): void {
    const engine = engineNow()
    const ids =
      listening() && engine && view
        ? engine.interests(graph, query, view, text)
        : new Set<Watched>()
    for (const id of watching) if (!ids.has(id)) watchers.delete(id, render)
    for (const id of ids) if (!watching.has(id)) watchers.add(id, render)
    watching = ids
  }

  async function ask(): Promise<void> {
    while (again) {
      again = false
      await askOnce().then(
        () => {
          refused = undefined
        },
        (e) => {
          if (again) return
          const error = asWeftError(e)
          current = false
          // A server that does not answer will be heard of again. The rest is the query's fault, or the caller's.
          if (error.kind === 'unavailable') http.doubt()
          else refused = error
          // Or that of something in between, which may let the same pass later.
          if (error.cause) later(() => refused === error && networkChanged())
        },
      )
      tried = true
      render()
    }
  }

  const startsThere = (): boolean => {
    const { conceptIds = [] } = query
    return conceptIds.length === 0 || conceptIds.some((id) => isReal(graph.real(id)))
  }

  async function askOnce(): Promise<void> {
    if (!engineNow()) {
      filtered = await import('./filtered.ts').catch(() => undefined)
      render()
    }
    const engine = engineNow()
    const notLoaded = () => {
      current = false
      later(networkChanged)
    }
    if (!engine) return notLoaded()
    early = !startsThere()
    if (early) return
    const { confirmations: since, user } = graph
    const request = engine.request(query, (id) => graph.real(id))
    const [json, fetch] = await Promise.all([
      http.post('/api/freeschema-query', request),
      fetcher().catch(ignore),
    ])
    if (user !== graph.user) return
    if (!fetch) return notLoaded()
    const answer = engine.told(fetch.answer(json, query), json)
    await calm()
    await Promise.all([fetch.connections(answer.links), fetch.concepts(answer.roots)])
    if (user !== graph.user) return
    // A write settled meanwhile, which this answer may not know of. What is shown does, and the next answer will.
    const late = graph.confirmations !== since
    if (late) again = true
    if (again && (current || (late && view?.roots.length))) return
    if (engine.whole(query)) fetch.inside(answer.roots, new Set(answer.links), since)
    current = true
    keep(answer)
  }

  function keep(answer: Answer): void {
    answers.set(text, answer)
    remembered(text, answer)
  }

  function viewNow(engine: Engine): Answer {
    let answer = answers.get(text)
    if (view && source === answer) {
      if (version === graph.version) return view
      // What was shown with a write that is settled by now is what the server will say, but for those that wait.
      if (answer && confirmations !== graph.confirmations) {
        answer = engine.settled(graph, query, view, pending())
        keep(answer)
      }
    }
    // Before the server said anything, the graph here has its say.
    view = answer ? engine.project(graph, query, answer, pending()) : engine.run(graph, query)
    source = answer
    version = graph.version
    confirmations = graph.confirmations
    return view
  }

  /** Says whether the state is another now. */
  function update(): boolean {
    const [x, y] = [state, stateNow()] as Record<string, unknown>[]
    if (Object.keys({ ...x, ...y }).every((key) => x?.[key] === y?.[key])) return false
    state = y as QueryState<unknown>
    return true
  }

  function stateNow(): QueryState<unknown> {
    if (whose !== graph.user) {
      whose = graph.user
      state = { status: 'loading' }
      refused = undefined
    }
    const { data: old } = state as { data?: readonly unknown[] }
    const engine = engineNow()
    try {
      if (refused) throw refused
      if (!engine && tried) throw new WeftError('unavailable', 'filters did not load')
      const now = engine && viewNow(engine)
      if (!now || !(tried || source || now.roots.length > 0)) return { status: 'loading' }
      const data = now === shown && old ? old : share(old, engine.format(graph, now, form))
      shown = now
      const complete = current && now.links === source?.links
      return { status: 'ready', data, total: now.total, ...now.more, complete }
    } catch (e) {
      return { status: 'error', error: asWeftError(e), data: old }
    }
  }

  return { get, listen, listening, refresh, networkChanged, concerns, render }
}
