import type { Client } from '../api.ts'
import type { Farewell } from './protocol.ts'

/** A registration in a browser with background sync. */
interface SyncRegistration extends ServiceWorkerRegistration {
  readonly sync?: { register(tag: string): Promise<void> }
}

/**
 * Makes the worker send pending writes after the page is closed. The browser starts the background sync as soon as
 * there is a network. In a browser without background sync, the page sends a farewell to the worker when it is left.
 *
 * @param name name of the client's database, from which the worker reads the writes
 */
export function sendInBackground(
  client: Client,
  registration: SyncRegistration,
  name: string,
  signal: AbortSignal,
): void {
  let isRequested = false
  const requestSync = () => {
    const hasPendingWrites = client.sync.get().pending > 0
    if (hasPendingWrites && !isRequested) registration.sync?.register(name).catch(() => {})
    isRequested = hasPendingWrites
  }
  const onPageHide = () => {
    if (client.sync.get().pending === 0) return
    isRequested = false
    requestSync()
    const farewell: Farewell = { weft: 'farewell', name }
    registration.active?.postMessage(farewell)
  }
  const unsubscribe = client.sync.subscribe(requestSync)
  signal.addEventListener('abort', unsubscribe)
  globalThis.addEventListener('pagehide', onPageHide, { signal })
  requestSync()
}
