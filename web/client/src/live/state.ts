import type { WeftError } from '../model/error.ts'
import type { AnswerDetails } from '../query/query.ts'

/** A query whose result is kept up to date while it has subscribers. */
export interface LiveQuery<T> {
  get(): QueryState<T>
  /** Starts the query, which is live until its last subscriber unsubscribes. Returns a function that unsubscribes. */
  subscribe(changed: () => void): () => void
  /** Asks the server again. */
  refresh(): Promise<void>
}

export type QueryState<T> =
  | { readonly status: 'loading' }
  | ({
      readonly status: 'ready'
      /** One page of the results. */
      readonly data: readonly T[]
      /** The number of all results. */
      readonly total?: number
      /** True when the server gave this answer and no write that is pending, failed or `held` changes it. */
      readonly complete: boolean
    } & AnswerDetails)
  | {
      readonly status: 'error'
      readonly error: WeftError
      /** The last data, if there was any. */
      readonly data?: readonly T[] | undefined
    }
