import type { Query, QueryOptions, QueryState } from '@weft/client'
import { useMemo } from 'react'
import { useWeft } from './provider.tsx'
import { useLive } from './use-live.ts'

/** The state of a query, and a way to ask the server again. */
export type LiveQueryState<T> = QueryState<T> & { readonly refresh: () => Promise<void> }

/**
 * The answer to a query, kept up to date while the component is mounted. The query may be written in
 * place: it is compared by what it says.
 */
export function useQuery<T = unknown>(query: Query, options?: QueryOptions): LiveQueryState<T> {
  const weft = useWeft()
  const said = JSON.stringify([query, options ?? {}])
  const live = useMemo(() => {
    const [query, options] = JSON.parse(said) as [Query, QueryOptions]
    return weft.query<T>(query, options)
  }, [weft, said])
  const state = useLive(live)
  return useMemo(() => ({ ...state, refresh: () => live.refresh() }), [state, live])
}
