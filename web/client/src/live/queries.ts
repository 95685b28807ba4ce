import { asWeftError } from '../graph/error.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import { share } from '../local/share.ts'
import { tell } from '../local/watchers.ts'
import { format } from '../query/format.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import { queryRequest } from '../wire/query.ts'
import { Asked, type Surroundings } from './asked.ts'
import type { Change } from './feed.ts'
import type { LiveQuery, QueryState } from './state.ts'

/** Every query of the page. */
export class Queries {
  readonly #around: Surroundings
  readonly #listen: () => () => void
  readonly #asked = new Map<string, { asked: Asked; lives: Set<Live>; leave: () => void }>()
  #answers = new Map<string, Answer>()

  /** Opens the change feed with listen, for as long as anything is subscribed. */
  constructor(around: Omit<Surroundings, 'remember'>, listen: () => () => void) {
    const { graph, http, fetcher } = around
    this.#listen = listen
    this.#around = {
      graph,
      http,
      fetcher,
      pending: () => around.pending(),
      calm: () => around.calm(),
      remember: (key, answer) => this.#remember(key, answer),
    }
    http.subscribe(() => this.#networkChanged())
  }

  get graph(): Graph {
    return this.#around.graph
  }

  /** Told what to keep for the next visit. */
  remembered: (key: string, answer: Answer) => void = () => {}

  /** Takes over the answers of an earlier visit. */
  open(answers: ReadonlyMap<string, Answer>): void {
    this.#answers = new Map([...answers, ...this.#answers])
    for (const { asked, lives } of this.#asked.values()) {
      asked.recall(this.#answers.get(asked.key))
      for (const live of lives) live.render()
    }
  }

  query<T>(query: Query, form: Format): LiveQuery<T> {
    return new Live(query, form, this) as unknown as LiveQuery<T>
  }

  /** A query nobody subscribed to yet: what is here, from memory. */
  peek(query: Query): Asked {
    const key = keyOf(query)
    const known = this.#asked.get(key)
    if (known) return known.asked
    const asked = new Asked(query, key, this.#around, () => this.#render(key))
    asked.recall(this.#answers.get(key))
    return asked
  }

  join(live: Live, asked: Asked): () => void {
    let entry = this.#asked.get(asked.key)
    if (!entry) {
      entry = { asked, lives: new Set(), leave: () => {} }
      this.#asked.set(asked.key, entry)
    }
    const { lives } = entry
    lives.add(live)
    if (lives.size === 1) {
      entry.leave = this.#listen()
      asked.start()
    }
    return () => {
      lives.delete(live)
      if (lives.size === 0) this.#left(asked)
    }
  }

  settled(m: Mutation): void {
    for (const { asked } of this.#asked.values()) asked.settled(m)
  }

  changed(change: Change): void {
    for (const { asked } of this.#asked.values()) {
      if (asked.live && asked.concerns(change)) void asked.refresh()
    }
  }

  /** Changes may have been missed. */
  lost(): void {
    for (const { asked } of this.#asked.values()) if (asked.live) void asked.refresh()
  }

  forget(): void {
    this.#answers.clear()
  }

  close(): void {
    for (const { asked, leave } of this.#asked.values()) {
      asked.stop()
      leave()
    }
    this.#asked.clear()
  }

  #left(asked: Asked): void {
    const entry = this.#asked.get(asked.key)
    entry?.leave()
    asked.stop()
    this.#asked.delete(asked.key)
  }

  #networkChanged(): void {
    for (const { asked } of this.#asked.values()) {
      if (!this.#around.http.online) asked.doubt()
      else if (!asked.current && !asked.error) void asked.refresh()
    }
  }

  #remember(key: string, answer: Answer): void {
    this.#answers.set(key, answer)
    this.remembered(key, answer)
  }

  #render(key: string): void {
    const entry = this.#asked.get(key)
    if (!entry) return
    entry.asked.watch()
    for (const live of [...entry.lives]) live.render()
  }
}

const keyOf = (query: Query): string => JSON.stringify(queryRequest(query))

/** A query in one format. */
class Live implements LiveQuery<unknown> {
  readonly #query: Query
  readonly #form: Format
  readonly #queries: Queries
  readonly #listeners = new Set<() => void>()
  #asked: Asked
  #state: QueryState<unknown> = { status: 'loading' }
  #seen: Answer | undefined
  #leave = () => {}

  constructor(query: Query, form: Format, queries: Queries) {
    this.#query = query
    this.#form = form
    this.#queries = queries
    this.#asked = queries.peek(query)
  }

  get(): QueryState<unknown> {
    if (this.#listeners.size === 0) this.#update()
    return this.#state
  }

  subscribe(changed: () => void): () => void {
    if (this.#listeners.size === 0) {
      this.#asked = this.#queries.peek(this.#query)
      this.#leave = this.#queries.join(this, this.#asked)
    }
    // The same function may subscribe twice.
    const listener = () => changed()
    this.#listeners.add(listener)
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#leave()
    }
  }

  refresh(): Promise<void> {
    return this.#asked.refresh()
  }

  render(): void {
    const before = this.#state
    this.#update()
    if (this.#state !== before) tell(this.#listeners)
  }

  #update(): void {
    const next = this.#stateNow()
    if (!sameState(this.#state, next)) this.#state = next
  }

  #stateNow(): QueryState<unknown> {
    const asked = this.#asked
    const old = 'data' in this.#state ? this.#state.data : undefined
    if (asked.error) return { status: 'error', error: asked.error, ...(old && { data: old }) }
    const view = asked.view()
    if (!asked.tried && view.roots.length === 0 && !asked.recalled) return { status: 'loading' }
    try {
      const data = view === this.#seen && old ? old : this.#format(view, old)
      this.#seen = view
      return { status: 'ready', data, total: view.total, complete: asked.current }
    } catch (e) {
      return { status: 'error', error: asWeftError(e), ...(old && { data: old }) }
    }
  }

  #format(view: Answer, old: readonly unknown[] | undefined): readonly unknown[] {
    const shaped = format(this.#queries.graph, view, this.#form)
    return share(old, Array.isArray(shaped) ? shaped : [shaped])
  }
}

function sameState(a: QueryState<unknown>, b: QueryState<unknown>): boolean {
  if (a.status === 'ready' && b.status === 'ready') {
    return a.data === b.data && a.total === b.total && a.complete === b.complete
  }
  if (a.status === 'error' && b.status === 'error') return a.error === b.error && a.data === b.data
  return a.status === 'loading' && b.status === 'loading'
}
