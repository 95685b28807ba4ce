import type { SyncStatus } from '@weft/client'
import { useSyncStatus } from '@weft/react'

/** One line that says whether what was written here is safe. */
export function SyncBadge() {
  const status = useSyncStatus()
  return (
    <p className="sync-badge" data-state={status.state} role="status">
      {sentence(status)}
      {!status.durable && ' This window forgets: what is not sent is gone when you close it.'}
    </p>
  )
}

function sentence({ state, pending, failed, needsToken }: SyncStatus): string {
  const waiting = pending === 1 ? '1 change waits' : `${pending} changes wait`
  if (needsToken) return 'This server takes no notes from visitors. Yours stay in this browser.'
  if (state === 'offline') {
    return pending === 0
      ? 'Offline. You can go on writing.'
      : `Offline. ${waiting} in this browser.`
  }
  if (failed.length > 0) return 'The server refused what is marked below.'
  if (state === 'error') return `The server does not answer. ${waiting} in this browser.`
  return pending === 0 ? 'Everything is on the server.' : `Sending. ${waiting}.`
}
