import type { LiveQuery, QueryState } from '@weft/client'
import { useCallback, useSyncExternalStore } from 'react'
import { loading } from './lookup.ts'

/**
 * Returns the state of a live query of `@weft/client/graph` (`listLinks`, `listRecords`, `searchRecords`) and renders
 * again when it changes. Pass the same query object on every render: `useMemo(() => listLinks(weft, id, 's_friend'),
 * [weft, id])`.
 */
export function useLive<T>(live: LiveQuery<T>): QueryState<T> {
  const subscribe = useCallback((onChange: () => void) => live.subscribe(onChange), [live])
  return useSyncExternalStore<QueryState<T>>(
    subscribe,
    () => live.get(),
    () => loading,
  )
}
