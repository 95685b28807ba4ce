import type { SyncStatus } from '@weft/client'
import { useSyncStatus, useWeft } from '@weft/react'
import { signInUrl } from '../account/sign-in-redirect.ts'

/** Shows whether all changes have reached the server, and offers to retry or discard refused ones. */
export function SyncLine() {
  const weft = useWeft()
  const status = useSyncStatus()
  const discard = () => {
    for (const { key } of status.failed) void weft.sync.discard(key)
  }
  return (
    <div className="editor-sync" data-state={status.state} role="status">
      <p>{statusText(status)}</p>
      {status.needsToken && <a href={signInUrl(location.pathname)}>Sign in to save them</a>}
      {status.failed.length > 0 && !status.needsToken && (
        <>
          <button type="button" className="plain" onClick={() => weft.sync.retry()}>
            Retry
          </button>
          <button type="button" className="plain" onClick={discard}>
            Discard
          </button>
        </>
      )}
    </div>
  )
}

function statusText({ state, pending, failed, needsToken, durable }: SyncStatus): string {
  const count = pending === 1 ? '1 unsent change' : `${pending} unsent changes`
  const changes = durable
    ? `${count} stored in this browser`
    : `${count}, lost when you close this window`
  if (needsToken) return `This server does not accept changes from guests. ${changes}.`
  if (state === 'offline')
    return pending === 0 ? 'Offline. You can keep editing.' : `Offline. ${changes}.`
  if (failed.length > 0)
    return `The server rejected a change: ${failed[0]?.error?.message ?? 'no reason given'}.`
  if (state === 'error') return `The server cannot be reached. ${changes}.`
  return pending === 0 ? 'All changes are on the server.' : `Sending ${count}…`
}
