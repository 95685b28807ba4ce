import type { WeftError } from '../graph/error.ts'
import type { More } from '../query/query.ts'

export interface LiveQuery<T> {
  get(): QueryState<T>
  /** Starts the query. It stays live until the last subscriber leaves. */
  subscribe(changed: () => void): () => void
  /** Asks the server again. */
  refresh(): Promise<void>
}

export type QueryState<T> =
  | { readonly status: 'loading' }
  | ({
      readonly status: 'ready'
      readonly data: readonly T[]
      /** All results, of which `data` is a page. */
      readonly total?: number
      /** True when the server gave this answer, and no write that waits, failed or is `held` changes it. */
      readonly complete: boolean
    } & More)
  | {
      readonly status: 'error'
      readonly error: WeftError
      readonly data?: readonly T[] | undefined
    }
