import type { Client, Id, SyncStatus } from '@weft/client'
import { useCallback, useSyncExternalStore } from 'react'
import { useWeft } from './provider.tsx'

/**
 * Returns the state of the outbox: pending and failed writes, and whether the server can be reached.
 *
 * With `select`, the component renders again only when the selected part changes. `select` must return a part of the
 * status or a primitive value.
 */
export function useSyncStatus(): SyncStatus
export function useSyncStatus<T>(select: (status: SyncStatus) => T): T
export function useSyncStatus<T>(select?: (status: SyncStatus) => T): SyncStatus | T {
  return useSyncSnapshot(
    (weft) => (select === undefined ? weft.sync.get() : select(weft.sync.get())),
    select === undefined ? emptyOutbox : select(emptyOutbox),
  )
}

/** Returns `pending` or `failed` for a record with such a write; undefined when the server has every write to it. */
export function usePending(id: Id): 'pending' | 'failed' | undefined {
  return useSyncSnapshot((weft) => weft.pending(id), undefined)
}

function useSyncSnapshot<T>(read: (weft: Client) => T, serverSnapshot: T): T {
  const weft = useWeft()
  const subscribe = useCallback((onChange: () => void) => weft.sync.subscribe(onChange), [weft])
  return useSyncExternalStore(
    subscribe,
    () => read(weft),
    () => serverSnapshot,
  )
}

/** The status during server-side rendering, where no outbox exists. */
const emptyOutbox: SyncStatus = {
  online: true,
  pending: 0,
  held: 0,
  failed: [],
  state: 'idle',
  durable: true,
  needsToken: false,
}
