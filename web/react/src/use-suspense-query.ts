import type { TypedQuery, TypedState } from '@weft/client/schema'
import { use } from 'react'
import { type More, useQuery } from './use-query.ts'

/** If a component that suspended is not mounted within this time, its query ends, in ms. */
const mountTimeout = 5_000

/**
 * Like `useQuery` with a query of `client.find`, but suspends the component until there are rows to show, and throws the
 * error of the query to the error boundary.
 */
export function useSuspenseQuery<R>(
  query: TypedQuery<R>,
): Extract<TypedState<R>, { status: 'ready' }> & More {
  const state = useQuery(query)
  const current = state.status === 'loading' ? query.get() : state
  if (current.status === 'error') throw current.error
  if (current.status === 'loading') use(loaded(query))
  return { ...current, loadMore: state.loadMore } as Extract<TypedState<R>, { status: 'ready' }> &
    More
}

const pending = new WeakMap<object, Promise<void>>()

/** Starts a query. Resolves when the query has loaded or failed. Until then, further calls return the same promise. */
function loaded(query: TypedQuery<unknown>): Promise<void> {
  const known = pending.get(query)
  if (known) return known
  const promise = new Promise<void>((resolve) => {
    const check = () => {
      if (query.get().status === 'loading') return
      pending.delete(query)
      resolve()
      setTimeout(stop, mountTimeout)
    }
    const stop = query.subscribe(check)
    check()
  })
  pending.set(query, promise)
  return promise
}
