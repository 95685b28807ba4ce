import type { Fields, Id, QueryState } from '@weft/client'
import { useQuery, useWeft } from '@weft/react'
import { useSyncExternalStore } from 'react'
import { type Idea, readIdea } from './idea.ts'

/** The maximum number of ideas that are shown. */
export const maxShownIdeas = 300

/** Returns the newest ideas of all visitors, and the state of the query. */
export function useIdeas(): { state: QueryState<unknown>; ideas: readonly Idea[] } {
  const weft = useWeft()
  const state = useQuery<{ id: Id }>({
    type: 'the_idea',
    selectors: ['self'],
    pageSize: maxShownIdeas,
  })
  const rows = state.status === 'loading' ? [] : (state.data ?? [])
  const ids = rows.map(({ id }) => id)
  const records = useRecords(ids)
  const ideas = ids.flatMap((id, i) => readIdea(weft.concept(id)?.id ?? id, records[i]) ?? [])
  return { state, ideas: withUniqueKeys(ideas) }
}

/** Returns the current records, and renders again after each change of a value in a record. */
function useRecords(ids: readonly Id[]): readonly (Fields | undefined)[] {
  const weft = useWeft()
  const json = useSyncExternalStore(
    (listener) => {
      const unsubscribers = ids.map((id) => weft.watch(id, listener))
      return () => {
        for (const unsubscribe of unsubscribers) unsubscribe()
      }
    },
    () => JSON.stringify(ids.map((id) => weft.record(id))),
  )
  return JSON.parse(json) as (Fields | undefined)[]
}

/** Keeps the newest idea of each key. Two tabs may have restored the same idea. */
function withUniqueKeys(ideas: readonly Idea[]): readonly Idea[] {
  const keys = new Set<string>()
  return ideas.filter(({ key }) => !keys.has(key) && keys.add(key))
}
