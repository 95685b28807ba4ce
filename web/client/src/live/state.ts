import type { WeftError } from '../model/error.ts'
import type { AnswerDetails } from '../query/query.ts'

/** A query whose result is kept up to date while it has subscribers. */
export interface LiveQuery<T> {
  get(): QueryState<T>
  /**
   * Calls back after each change of the state. The first subscriber starts the query; it stays live until the last one
   * unsubscribes. Returns a function that unsubscribes.
   */
  subscribe(changed: () => void): () => void
  /** Asks the server again. Resolves when its answer or error has been applied. */
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
      /** True if this is the server's answer and no pending, failed or `held` write changes it. */
      readonly complete: boolean
    } & AnswerDetails)
  | {
      readonly status: 'error'
      readonly error: WeftError
      /** The last data, if there was any. */
      readonly data?: readonly T[] | undefined
    }
