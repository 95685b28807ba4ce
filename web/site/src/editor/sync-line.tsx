import type { SyncStatus } from '@weft/client'
import { useSyncStatus, useWeft } from '@weft/react'
import { signInFor } from '../account/next.ts'

/** Says whether what was made here is safe, and where. */
export function SyncLine() {
  const weft = useWeft()
  const status = useSyncStatus()
  const refused = status.failed.length
  return (
    <div className="editor-sync" data-state={status.state} role="status">
      <p>{sentence(status)}</p>
      {status.needsToken && <a href={signInFor(location.pathname)}>Sign in to keep it</a>}
      {refused > 0 && !status.needsToken && (
        <>
          <button type="button" className="plain" onClick={() => weft.sync.retry()}>
            Retry
          </button>
          <button
            type="button"
            className="plain"
            onClick={() => {
              for (const { key } of status.failed) void weft.sync.discard(key)
            }}
          >
            Discard
          </button>
        </>
      )}
    </div>
  )
}

function sentence({ state, pending, failed, needsToken, durable }: SyncStatus): string {
  const waiting = pending === 1 ? '1 change waits' : `${pending} changes wait`
  const here = durable ? 'in this browser' : 'in this window, which forgets'
  if (needsToken)
    return `This server takes nothing from visitors: nothing is kept there. ${waiting} ${here}.`
  if (state === 'offline')
    return pending === 0 ? 'Offline. You can go on.' : `Offline. ${waiting} ${here}.`
  if (failed.length > 0) return `The server refused: ${failed[0]?.error?.message ?? 'a change'}.`
  if (state === 'error') return `The server does not answer. ${waiting} ${here}.`
  return pending === 0 ? 'Everything is on the server.' : `Sending. ${waiting}.`
}
