import type { WeftError } from '../graph/error.ts'

export interface LiveQuery<T> {
  get(): QueryState<T>
  /** Starts the query. It stays live until the last subscriber leaves. */
  subscribe(changed: () => void): () => void
  /** Asks the server again. */
  refresh(): Promise<void>
}

export type QueryState<T> =
  | { readonly status: 'loading' }
  | {
      readonly status: 'ready'
      readonly data: readonly T[]
      /** All results, of which `data` is a page. */
      readonly total?: number
      /** False while the data is only what this browser happened to have. */
      readonly complete: boolean
    }
  | { readonly status: 'error'; readonly error: WeftError; readonly data?: readonly T[] }
