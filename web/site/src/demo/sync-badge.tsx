import type { SyncStatus } from '@weft/client'
import { useSyncStatus } from '@weft/react'

/** Shows whether all changes have reached the server. */
export function SyncBadge() {
  const status = useSyncStatus()
  return (
    <p className="sync-badge" data-state={status.state} role="status">
      {statusText(status)}
      {!status.durable &&
        ' This browser cannot store changes: unsent changes are lost when you close this window.'}
    </p>
  )
}

function statusText({ state, pending, failed, needsToken }: SyncStatus): string {
  const changes = pending === 1 ? '1 unsent change' : `${pending} unsent changes`
  if (needsToken)
    return 'This server does not accept notes from guests. Your notes stay in this browser.'
  if (state === 'offline')
    return pending === 0
      ? 'Offline. You can keep writing.'
      : `Offline. ${changes} stored in this browser.`
  if (failed.length > 0) return 'The server rejected the changes marked below.'
  if (state === 'error') return `The server cannot be reached. ${changes} stored in this browser.`
  return pending === 0 ? 'All changes are on the server.' : `Sending ${changes}…`
}
