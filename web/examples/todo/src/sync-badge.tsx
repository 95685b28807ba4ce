import type { PendingWrite, SyncStatus } from '@weft/client'
import { useRecord, useSyncStatus, useWeft } from '@weft/react'
import { changes } from './words.ts'

/** How far the server has taken what was written here, and what it refused. */
export function SyncBadge() {
  const sync = useSyncStatus()
  return (
    <section className="sync" aria-label="Synchronisation">
      <p role="status" data-state={sync.state}>
        {sentence(sync)}
      </p>
      {!sync.durable && (
        <p className="warning">
          This browser keeps nothing: what is not sent is lost when you close the page.
        </p>
      )}
      {sync.failed.length > 0 && (
        <ul className="refused">
          {sync.failed.map((write) => (
            <Refused key={write.key} write={write} />
          ))}
        </ul>
      )}
    </section>
  )
}

function sentence({ state, pending, failed }: SyncStatus): string {
  if (failed.length > 0) return `${changes(failed.length)} been refused`
  if (state === 'offline')
    return pending > 0 ? `Offline. ${changes(pending)} been kept here` : 'Offline'
  return pending > 0 ? 'Sending…' : 'All changes are saved'
}

const kinds: Readonly<Record<PendingWrite['kind'], string>> = {
  create: 'Adding',
  update: 'Changing',
  remove: 'Removing',
}

function Refused({ write }: { write: PendingWrite }) {
  const weft = useWeft()
  const todo = useRecord(write.id)
  const { text = undefined } = todo.status === 'ready' ? todo.data : {}
  const what = text === undefined ? 'a todo' : `“${text}”`
  const gone = write.error?.kind === 'notFound'
  return (
    <li>
      <p>
        {kinds[write.kind]} {what}: {gone ? 'it is not there any more' : write.error?.message}
      </p>
      <button type="button" onClick={() => weft.sync.retry(write.key)}>
        Try again
      </button>
      <button type="button" onClick={() => void weft.sync.discard(write.key)}>
        Discard
      </button>
    </li>
  )
}
