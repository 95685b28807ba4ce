import type { Fields, Id, QueryState } from '@weft/client'
import { useQuery, useWeft } from '@weft/react'
import { useSyncExternalStore } from 'react'
import { type Idea, readIdea } from './idea.ts'

/** How many ideas are shown. */
export const most = 300

/** The newest ideas, whoever wrote them, and how far their loading has got. */
export function useIdeas(): { state: QueryState<unknown>; ideas: readonly Idea[] } {
  const weft = useWeft()
  const state = useQuery<{ id: Id }>({ type: 'the_idea', selectors: ['self'], pageSize: most })
  const rows = state.status === 'loading' ? [] : (state.data ?? [])
  const ids = rows.map(({ id }) => id)
  const records = useRecords(ids)
  const ideas = ids.flatMap((id, i) => readIdea(weft.concept(id)?.id ?? id, records[i]) ?? [])
  return { state, ideas: unique(ideas) }
}

/** The records as they are now. A query tells of new ones and of changes inside them. */
function useRecords(ids: readonly Id[]): readonly (Fields | undefined)[] {
  const weft = useWeft()
  const said = useSyncExternalStore(
    (changed) => {
      const stops = ids.map((id) => weft.watch(id, changed))
      return () => {
        for (const stop of stops) stop()
      }
    },
    () => JSON.stringify(ids.map((id) => weft.record(id))),
  )
  return JSON.parse(said) as (Fields | undefined)[]
}

/** Whatever two tabs made of one key, the newest stands. */
function unique(ideas: readonly Idea[]): readonly Idea[] {
  const keys = new Set<string>()
  return ideas.filter(({ key }) => !keys.has(key) && keys.add(key))
}
