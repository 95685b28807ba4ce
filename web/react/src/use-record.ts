import type { Fields, Id } from '@weft/client'
import { useMemo, useSyncExternalStore } from 'react'
import { type Loaded, loading, lookup } from './lookup.ts'
import { useWeft } from './provider.tsx'

/**
 * Returns the composition with this id as nested data. The component renders again when it changes.
 *
 * `select` returns the part that the component needs; the component then renders again only when that part changes. It
 * must return a part of its argument or a primitive value: a new object would count as a change each time.
 */
export function useRecord(id: Id): Loaded<Fields>
export function useRecord<T>(id: Id, select: (record: Loaded<Fields>) => T): T
export function useRecord<T>(id: Id, select?: (record: Loaded<Fields>) => T): Loaded<Fields> | T {
  const weft = useWeft()
  const record = useMemo(
    () =>
      lookup(
        () => weft.record(id),
        () => weft.load(id),
        (onChange) => weft.watch(id, onChange),
      ),
    [weft, id],
  )
  const selectFrom = (state: Loaded<Fields>) => (select === undefined ? state : select(state))
  return useSyncExternalStore(
    record.subscribe,
    () => selectFrom(record.get()),
    () => selectFrom(loading),
  )
}
