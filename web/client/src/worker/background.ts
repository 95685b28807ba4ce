import type { Client } from '../api.ts'
import type { Farewell } from './message.ts'

/** What browsers with background sync have more. */
interface Registration extends ServiceWorkerRegistration {
  readonly sync?: { register(tag: string): Promise<void> }
}

/**
 * Has the worker send what is not sent when the page goes: the browser tells it when there is a network, and where
 * browsers do not, the page does as it goes. The worker finds the writes by the name.
 */
export function sendInBackground(
  client: Client,
  registration: Registration,
  name: string,
  signal: AbortSignal,
): void {
  let asked = false
  const ask = () => {
    const pending = client.sync.get().pending > 0
    if (pending && !asked) registration.sync?.register(name).catch(() => {})
    asked = pending
  }
  const leave = () => {
    if (client.sync.get().pending === 0) return
    asked = false
    ask()
    const farewell: Farewell = { weft: 'farewell', name }
    registration.active?.postMessage(farewell)
  }
  const unsubscribe = client.sync.subscribe(ask)
  signal.addEventListener('abort', unsubscribe)
  globalThis.addEventListener('pagehide', leave, { signal })
  ask()
}
