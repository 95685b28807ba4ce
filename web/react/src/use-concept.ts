import type { Concept, Id } from '@weft/client'
import { useMemo, useSyncExternalStore } from 'react'
import { type Loaded, loading, lookup } from './lookup.ts'
import { useWeft } from './provider.tsx'

/** The concept named id, now and after every change. */
export function useConcept(id: Id): Loaded<Concept> {
  const weft = useWeft()
  const concept = useMemo(
    () =>
      lookup(
        () => weft.concept(id),
        () => weft.get(id),
        (changed) => weft.watch(id, changed),
      ),
    [weft, id],
  )
  return useSyncExternalStore(concept.subscribe, concept.get, () => loading)
}
