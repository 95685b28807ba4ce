import type { QueryState } from '@weft/client'
import { useMemo, useRef, useSyncExternalStore } from 'react'
import { useConsole } from '../model/console.tsx'
import { clientQuery } from './question/client-query.ts'
import { formatQuestion, type WireQuery } from './question/wire.ts'

/** The state of a live answer. */
export interface LiveAnswer {
  readonly state: QueryState<unknown>
  /** Time from the question to the answer of the server, in milliseconds; undefined until the answer arrives. */
  readonly took: number | undefined
  readonly refresh: () => void
}

/** Runs a question and keeps its answer up to date. Without a question it does nothing, and the state is `loading`. */
export function useAnswer(query: WireQuery | undefined): LiveAnswer {
  const { client } = useConsole()
  const key = query && formatQuestion(query)
  const source = useMemo(() => {
    if (key === undefined) return idle
    const asked = clientQuery(JSON.parse(key) as WireQuery)
    const live = client.query({ ...asked, explain: true, warnings: true })
    return { ...live, start: performance.now() }
  }, [client, key])
  const took = useRef<{ readonly source: object; readonly ms: number }>(undefined)
  const state = useSyncExternalStore(source.subscribe, source.get)
  if (state.status === 'ready' && state.complete && took.current?.source !== source)
    took.current = { source, ms: performance.now() - source.start }
  return {
    state,
    took: took.current?.source === source ? took.current.ms : undefined,
    refresh: () => void source.refresh(),
  }
}

const waiting = { status: 'loading' } as const
const idle = {
  get: (): QueryState<unknown> => waiting,
  subscribe: () => () => {},
  refresh: async () => {},
  start: 0,
}
