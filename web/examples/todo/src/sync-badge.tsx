import type { PendingWrite, SyncStatus } from '@weft/client'
import { describeWrite, type WriteDescription } from '@weft/client/writes'
import { useSyncStatus, useWeft } from '@weft/react'
import { changes } from './words.ts'

/** How far the server has taken what was written here, and what it refused. */
export function SyncBadge() {
  const sync = useSyncStatus()
  return (
    <section className="sync" aria-label="Synchronisation">
      <p role="status" data-state={sync.state}>
        {sentence(sync)}
      </p>
      {sync.state === 'offline' && sync.pending > 0 && <Unsent />}
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

const kinds: Readonly<Record<WriteDescription['kind'], string>> = {
  create: 'Adding',
  update: 'Changing',
  remove: 'Removing',
  link: 'Linking',
  unlink: 'Unlinking',
}

/** What has not reached the server, a line for each. */
function Unsent() {
  const weft = useWeft()
  const waiting = weft.sync.writes().filter((write) => write.state === 'pending')
  return (
    <details className="unsent">
      <summary>What waits</summary>
      <ul>
        {waiting.map(({ key }) => (
          <li key={key}>{said(describeWrite(weft, key))}</li>
        ))}
      </ul>
    </details>
  )
}

function Refused({ write }: { write: PendingWrite }) {
  const weft = useWeft()
  return (
    <li>
      <p>
        {said(describeWrite(weft, write.key))}: {write.error?.message}
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

/** `Changing “Buy wool”`; of what was removed elsewhere what was to be in it, as far as a person would know it by that. */
function said(write: WriteDescription | undefined): string {
  if (!write) return 'A change'
  const text = write.fields.find(({ name }) => name === 'text')?.text
  const title = write.record.title || text
  return `${kinds[write.kind]} ${title ? `“${title}”` : 'a todo'}`
}
