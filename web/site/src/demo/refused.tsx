import type { Id } from '@weft/client'
import { useSyncStatus, useWeft } from '@weft/react'

/** Why the server did not take a note, and what can be done about it. */
export function Refused({ id }: { id: Id }) {
  const weft = useWeft()
  const failed = useSyncStatus((status) => status.failed)
  const write = failed.find((write) => write.id === id)
  if (write === undefined) return null
  return (
    <div className="note-refused">
      <span className="refused-why">
        Not sent: {write.error?.message ?? 'the server refused it'}.
      </span>
      <button type="button" className="plain" onClick={() => weft.sync.retry(write.key)}>
        Retry
      </button>
      <button type="button" className="plain" onClick={() => void weft.sync.discard(write.key)}>
        Discard
      </button>
    </div>
  )
}
