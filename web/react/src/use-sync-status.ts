import type { Client, Id, SyncStatus } from '@weft/client'
import { useCallback, useSyncExternalStore } from 'react'
import { useWeft } from './provider.tsx'

/**
 * How far the server has taken what was written here. With `select`, only a change of what it returns
 * renders again; it must return a part of the status or a plain value.
 */
export function useSyncStatus(): SyncStatus
export function useSyncStatus<T>(select: (status: SyncStatus) => T): T
export function useSyncStatus<T>(select?: (status: SyncStatus) => T): SyncStatus | T {
  return useSync(
    (weft) => (select === undefined ? weft.sync.get() : select(weft.sync.get())),
    select === undefined ? quiet : select(quiet),
  )
}

/** Whether the server still has to take a write to this record, or has refused one. */
export function usePending(id: Id): 'pending' | 'failed' | undefined {
  return useSync((weft) => weft.pending(id), undefined)
}

function useSync<T>(read: (weft: Client) => T, onServer: T): T {
  const weft = useWeft()
  const subscribe = useCallback((changed: () => void) => weft.sync.subscribe(changed), [weft])
  return useSyncExternalStore(
    subscribe,
    () => read(weft),
    () => onServer,
  )
}

/** What a server says of a browser it has not met. */
const quiet: SyncStatus = {
  online: true,
  pending: 0,
  held: 0,
  failed: [],
  state: 'idle',
  durable: true,
  needsToken: false,
}
