import type { Fields, Id } from '@weft/client'
import { useMemo, useSyncExternalStore } from 'react'
import { type Loaded, loading, lookup } from './lookup.ts'
import { useWeft } from './provider.tsx'

/**
 * The composition named id as nested data, now and after every change.
 *
 * With `select` only a change of what it returns renders again. It must return a part of its argument
 * or a plain value, never a new object.
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
        (changed) => weft.watch(id, changed),
      ),
    [weft, id],
  )
  const pick = (state: Loaded<Fields>) => (select === undefined ? state : select(state))
  return useSyncExternalStore(
    record.subscribe,
    () => pick(record.get()),
    () => pick(loading),
  )
}
