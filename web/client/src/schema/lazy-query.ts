import { callListeners } from '../local/watchers.ts'
import { asWeftError, type WeftError } from '../model/error.ts'
import { ignoreError } from '../wire/retry.ts'
import type { OnceOptions, Page, TypedQuery, TypedState } from './types.ts'

export type QueryCode = typeof import('./queries.ts')

type Query = TypedQuery<unknown>

/**
 * A query whose code may still be loading:
 *
 *   loading ──code loaded──▶ open: all calls go to the query
 *      │
 *      └──malformed options, or code not available──▶ failed: the state is an error, and calls reject
 *
 * After a failure, the next call tries again, and requests code again that was not available.
 */
export class LazyQuery implements Query {
  readonly #load: () => Promise<QueryCode>
  readonly #create: (code: QueryCode) => Query
  readonly #listeners = new Map<() => void, (() => void) | undefined>()
  #query: Query | undefined
  #state: TypedState<unknown> = loadingState

  constructor(load: () => Promise<QueryCode>, create: (code: QueryCode) => Query) {
    this.#load = load
    this.#create = create
    this.#open().catch(ignoreError)
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  get(): TypedState<unknown> {
    return this.#query?.get() ?? this.#state
  }

  subscribe(listener: (state: TypedState<unknown>) => void): () => void {
    const notify = () => listener(this.get())
    this.#listeners.set(notify, this.#query?.subscribe(notify))
    if (!this.#query) this.#open().catch(ignoreError)
    return () => {
      this.#listeners.get(notify)?.()
      this.#listeners.delete(notify)
    }
  }

  async once(options?: OnceOptions): Promise<Page<unknown>> {
    return (await this.#open()).once(options)
  }

  async first(): Promise<unknown> {
    return (await this.#open()).first()
  }

  async count(): Promise<number> {
    return (await this.#open()).count()
  }

  async loadMore(): Promise<void> {
    return (await this.#open()).loadMore()
  }

  async #open(): Promise<Query> {
    try {
      const code = await this.#load()
      if (!this.#query) this.#start(this.#create(code))
    } catch (error) {
      this.#fail(asWeftError(error))
    }
    return this.#query as Query
  }

  #start(query: Query): void {
    this.#query = query
    for (const [listener, unsubscribe] of this.#listeners)
      if (!unsubscribe) this.#listeners.set(listener, query.subscribe(listener))
    callListeners([...this.#listeners.keys()])
  }

  #fail(error: WeftError): never {
    if (this.#state.error?.message !== error.message) {
      this.#state = { ...loadingState, status: 'error', error }
      callListeners([...this.#listeners.keys()])
    }
    throw error
  }
}

const loadingState = {
  status: 'loading',
  data: [],
  hasMore: false,
  next: null,
  isComplete: false,
  error: undefined,
} as const
