import type { TypedQuery, TypedState } from '@weft/client/schema'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Disabled, useQuery } from './use-query.ts'

export interface InfiniteMore {
  /** Adds the next page to `data`. While a page is loading, further calls have no effect. */
  readonly loadMore: () => Promise<void>
  readonly isLoadingMore: boolean
  /**
   * The `ref` of an element after the rows. While the element is visible and there are more rows, the next page is
   * loaded. If a page could not be loaded, the next attempt starts with a call of `loadMore`, or when the number of
   * rows changes.
   */
  readonly endRef: (element: Element | null) => void
}

/** Like `useQuery` with a query of `client.find`, and loads further pages when the user scrolls to the end. */
export function useInfiniteQuery<R>(query: TypedQuery<R>): TypedState<R> & InfiniteMore
export function useInfiniteQuery<R>(
  query: TypedQuery<R> | null | undefined | false,
): (TypedState<R> | Disabled) & InfiniteMore
export function useInfiniteQuery<R>(
  query: TypedQuery<R> | null | undefined | false,
): (TypedState<R> | Disabled) & InfiniteMore {
  const state = useQuery(query)
  const rows = state.data.length
  const [end, endRef] = useState<Element | null>(null)
  const [isLoadingMore, setLoadingMore] = useState(false)
  const isBusy = useRef(false)
  const loadMore = useCallback(async () => {
    if (!query || isBusy.current) return
    isBusy.current = true
    setLoadingMore(true)
    await query.loadMore().finally(() => {
      isBusy.current = false
      setLoadingMore(false)
    })
  }, [query])

  // The query, and its number of rows when the last page was requested. A failed page leaves both unchanged, so it is
  // not requested in a loop.
  const requested = useRef<readonly unknown[]>([])
  useEffect(() => {
    if (!end || !state.hasMore || isLoadingMore) return
    const observer = new IntersectionObserver((entries) => {
      const [lastQuery, lastRows] = requested.current
      if (!entries.some((entry) => entry.isIntersecting)) return
      if (lastQuery === query && lastRows === rows) return
      requested.current = [query, rows]
      loadMore().catch(() => {})
    })
    observer.observe(end)
    return () => observer.disconnect()
  }, [end, state.hasMore, isLoadingMore, query, rows, loadMore])

  return { ...state, loadMore, isLoadingMore, endRef }
}
