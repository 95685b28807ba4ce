import type { Id } from '../graph/id.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import { type Live, liveQuery, type Surroundings } from './live.ts'
import type { LiveQuery } from './state.ts'

/** Every query of the page that somebody listens to, once for each format. */
export class Queries {
  readonly #around: Surroundings
  readonly #listen: () => () => void
  readonly lives = new Map<string, Live>()

  /** Opens the change feed with listen, for as long as anybody listens. */
  constructor(around: Surroundings, listen: () => () => void) {
    this.#listen = listen
    this.#around = around
  }

  networkChanged(): void {
    this.#each((live) => live.networkChanged())
  }

  /** Takes over the answers of an earlier visit. */
  open(answers: ReadonlyMap<string, Answer>): void {
    const here = this.#around.answers
    for (const [query, answer] of answers) if (!here.has(query)) here.set(query, answer)
    this.#each((live) => live.render())
  }

  query<T>(query: Query, form: Format): LiveQuery<T> {
    const text = JSON.stringify(query)
    const key = form + text
    let live = liveQuery(query, form, text, this.#around)
    const current = () => {
      live = this.lives.get(key) ?? live
      return live
    }
    return {
      get: () => current().get() as ReturnType<LiveQuery<T>['get']>,
      refresh: () => current().refresh(),
      subscribe: (changed) => this.#subscribe(key, current(), changed),
    }
  }

  /** Asks again what a change elsewhere may concern, or everything where changes may have been missed. */
  changed(change?: Iterable<Id>): void {
    this.#each((live) => {
      if (!change || live.concerns(change)) void live.refresh()
    })
  }

  /** The server has other data than before. */
  forget(): void {
    this.#around.answers.clear()
    this.#each((live) => live.render())
  }

  #subscribe(key: string, live: Live, changed: () => void): () => void {
    this.lives.set(key, live)
    const leave = live.listen(changed)
    const unfollow = this.#listen()
    return () => {
      leave()
      unfollow()
      if (!live.listening() && this.lives.get(key) === live) this.lives.delete(key)
    }
  }

  #each(work: (live: Live) => void): void {
    for (const live of [...this.lives.values()]) work(live)
  }
}
