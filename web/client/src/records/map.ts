import { asWeftError } from '../graph/error.ts'
import type { LiveQuery, QueryState } from '../live/state.ts'

/** Rows, and how many there are in all. */
export interface Rows<T> {
  readonly data: readonly T[]
  readonly total?: number
}

/** A live query that hands out something else made of each answer: the same object until the answer changes. */
export function mapped<S, T>(
  query: LiveQuery<S>,
  map: (data: readonly S[], total: number | undefined) => Rows<T>,
): LiveQuery<T> {
  let from: QueryState<S> | undefined
  let to: QueryState<T> = { status: 'loading' }

  const get = (): QueryState<T> => {
    const now = query.get()
    if (now !== from) {
      from = now
      to = next(now)
    }
    return to
  }

  const next = (state: QueryState<S>): QueryState<T> => {
    if (state.status === 'loading') return state
    if (state.status === 'error') {
      const { data } = state
      return { ...state, data: data && map(data, undefined).data }
    }
    try {
      return { ...state, ...map(state.data, state.total) }
    } catch (e) {
      return { status: 'error', error: asWeftError(e) }
    }
  }

  return { get, subscribe: (changed) => query.subscribe(changed), refresh: () => query.refresh() }
}

/**
 * The rows of a query, once: as the server has them with what waits here, or as they are here when it does not
 * answer. Rejects with what is wrong with the query.
 */
export async function once<T>(query: LiveQuery<T>): Promise<Rows<T>> {
  await query.refresh()
  const state = query.get()
  if (state.status === 'error') throw state.error
  return state.status === 'ready' ? state : { data: [] }
}
