import type { LiveQuery, QueryState } from '@weft/client'
import { useCallback, useSyncExternalStore } from 'react'
import { loading } from './lookup.ts'

/**
 * The state of a live query that `links`, `list` or `search` made, kept up to date while the component is mounted. The
 * query is to be the same from one time to the next: `useMemo(() => links(weft, id, 's_friend'), [weft, id])`.
 */
export function useLive<T>(live: LiveQuery<T>): QueryState<T> {
  const subscribe = useCallback((changed: () => void) => live.subscribe(changed), [live])
  return useSyncExternalStore<QueryState<T>>(
    subscribe,
    () => live.get(),
    () => loading,
  )
}
