import type { Query, QueryOptions, QueryState } from '@weft/client'
import type { TypedQuery, TypedState } from '@weft/client/schema'
import { useContext, useMemo, useSyncExternalStore } from 'react'
import { WeftContext } from './provider.tsx'

/** The state of a query, and a function that refetches it. */
export type LiveQueryState<T> = QueryState<T> & { readonly refresh: () => Promise<void> }

/** The state if `null` was passed instead of a query. `data` is an empty list. */
export interface Disabled {
  readonly status: 'disabled'
  readonly data: readonly never[]
  readonly hasMore: false
  readonly next: null
  readonly isComplete: false
  readonly error: undefined
}

export interface More {
  /** Adds the next page to `data`. */
  readonly loadMore: () => Promise<void>
}

/**
 * Returns the result of a query and renders again when it changes.
 *
 * - A query of `client.find` or `client.aggregate` is passed unchanged: `useQuery(client.find('contact'))`. Equal options
 *   give the same query, so no dependencies are needed. `data` is always a list. For `null` the status is `disabled`.
 * - A raw query is executed by the client of the provider. The query and its options may be new objects on every
 *   render: they are compared by their JSON.
 */
export function useQuery<R>(query: TypedQuery<R>): TypedState<R> & More
export function useQuery<R>(
  query: TypedQuery<R> | null | undefined | false,
): (TypedState<R> | Disabled) & More
export function useQuery<T = unknown>(query: Query, options?: QueryOptions): LiveQueryState<T>
export function useQuery(
  query: TypedQuery<unknown> | Query | null | undefined | false,
  options: QueryOptions = {},
): unknown {
  const client = useContext(WeftContext)
  const typed = isTyped(query) ? query : undefined
  const queryKey = query && !typed ? JSON.stringify([query, options]) : undefined
  const source = useMemo<Source>(() => {
    if (typed) return typedSource(typed)
    if (queryKey === undefined) return disabledSource
    if (client === undefined) throw new Error('useQuery was called outside a <WeftProvider>')
    const [query, options] = JSON.parse(queryKey) as [Query, QueryOptions]
    const live = client.query(query, options)
    const refresh = () => live.refresh()
    return { get: live.get, subscribe: live.subscribe, initial: loading, methods: { refresh } }
  }, [client, typed, queryKey])
  const state = useSyncExternalStore(source.subscribe, source.get, () => source.initial)
  return useMemo(() => ({ ...state, ...source.methods }), [state, source])
}

/** A query in the form that `useSyncExternalStore` reads. */
interface Source {
  get(): object
  subscribe(changed: () => void): () => void
  /** The state on a server, and while its page is hydrated. */
  readonly initial: object
  readonly methods: object
}

const isTyped = (query: unknown): query is TypedQuery<unknown> =>
  typeof query === 'object' && query !== null && 'loadMore' in query

const typedSource = (query: TypedQuery<unknown>): Source => ({
  get: () => query.get(),
  subscribe: (changed) => query.subscribe(changed),
  initial: { ...empty, status: 'loading' },
  methods: { loadMore: () => query.loadMore() },
})

const loading = { status: 'loading' }

const empty = { data: [], hasMore: false, next: null, isComplete: false, error: undefined } as const

const disabled: Disabled = { ...empty, status: 'disabled' }

const disabledSource: Source = {
  get: () => disabled,
  subscribe: () => () => {},
  initial: disabled,
  methods: { loadMore: async () => {} },
}
