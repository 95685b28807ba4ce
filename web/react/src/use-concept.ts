import type { Concept, Id } from '@weft/client'
import { useMemo, useSyncExternalStore } from 'react'
import { type Loaded, loading, lookup } from './lookup.ts'
import { useWeft } from './provider.tsx'

/** Returns the concept with this id and renders again when it changes. */
export function useConcept(id: Id): Loaded<Concept> {
  const weft = useWeft()
  const concept = useMemo(
    () =>
      lookup(
        () => weft.concept(id),
        () => weft.get(id),
        (onChange) => weft.watch(id, onChange),
      ),
    [weft, id],
  )
  return useSyncExternalStore(concept.subscribe, concept.get, () => loading)
}
