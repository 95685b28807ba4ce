import type { LiveQuery, QueryState } from '../live/state.ts'
import { asWeftError } from '../model/error.ts'

/** One page of rows and their total number. */
export interface Rows<T> {
  readonly data: readonly T[]
  readonly total?: number
}

/** Maps the rows of a live query. Its state is the same object until the answer changes. */
export function mapLiveQuery<S, T>(
  query: LiveQuery<S>,
  map: (data: readonly S[], total: number | undefined) => Rows<T>,
): LiveQuery<T> {
  let source: QueryState<S> | undefined
  let mapped: QueryState<T> = { status: 'loading' }

  const get = (): QueryState<T> => {
    const current = query.get()
    if (current !== source) {
      source = current
      mapped = mapState(current)
    }
    return mapped
  }

  const mapState = (state: QueryState<S>): QueryState<T> => {
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
 * Reads the rows of a live query once: the server's answer with pending writes applied, or the local answer while the
 * server is unavailable. Rejects with the error of the query.
 */
export async function readOnce<T>(query: LiveQuery<T>): Promise<Rows<T>> {
  await query.refresh()
  const state = query.get()
  if (state.status === 'error') throw state.error
  return state.status === 'ready' ? state : { data: [] }
}
