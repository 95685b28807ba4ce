import type { Mutation } from '../graph/mutation.ts'
import type { Answer, Format, Query } from '../query/query.ts'
import { queryRequest } from '../wire/query.ts'
import type { Change } from './feed.ts'
import { Live, type Surroundings } from './live.ts'
import type { LiveQuery } from './state.ts'

/** Every query of the page that somebody listens to, once for each format. */
export class Queries {
  readonly #around: Surroundings
  readonly #listen: () => () => void
  readonly #lives = new Map<string, Live>()
  #answers = new Map<string, Answer>()
  /** Told what to keep for the next visit. */
  remembered: (query: string, answer: Answer) => void = () => {}

  /** Opens the change feed with listen, for as long as anybody listens. */
  constructor(around: Omit<Surroundings, 'recall' | 'remember'>, listen: () => () => void) {
    this.#listen = listen
    this.#around = {
      ...around,
      recall: (query) => this.#answers.get(query),
      remember: (query, answer) => {
        this.#answers.set(query, answer)
        this.remembered(query, answer)
      },
    }
  }

  networkChanged(): void {
    this.#each((live) => live.networkChanged())
  }

  /** Takes over the answers of an earlier visit. */
  open(answers: ReadonlyMap<string, Answer>): void {
    this.#answers = new Map([...answers, ...this.#answers])
    this.#each((live) => live.render())
  }

  query<T>(query: Query, form: Format): LiveQuery<T> {
    const text = JSON.stringify(queryRequest(query))
    const key = form + text
    let live = new Live(query, form, text, this.#around)
    const current = () => {
      live = this.#lives.get(key) ?? live
      return live
    }
    return {
      get: () => current().get() as ReturnType<LiveQuery<T>['get']>,
      refresh: () => current().refresh(),
      subscribe: (changed) => this.#subscribe(key, current(), changed),
    }
  }

  settled(m: Mutation): void {
    this.#each((live) => live.settled(m))
  }

  changed(change: Change): void {
    this.#each((live) => {
      if (live.concerns(change)) void live.refresh()
    })
  }

  /** The server has other data than before. */
  forget(): void {
    this.#answers.clear()
    this.#each((live) => live.render())
    this.lost()
  }

  /** Changes may have been missed. */
  lost(): void {
    this.#each((live) => void live.refresh())
  }

  #subscribe(key: string, live: Live, changed: () => void): () => void {
    this.#lives.set(key, live)
    const leave = live.listen(changed)
    const unfollow = this.#listen()
    return () => {
      leave()
      unfollow()
      if (!live.listening && this.#lives.get(key) === live) this.#lives.delete(key)
    }
  }

  #each(work: (live: Live) => void): void {
    for (const live of [...this.#lives.values()]) work(live)
  }
}
