import type { PendingWrite, SyncStatus } from '@weft/client'
import { describeWrite, type WriteDescription } from '@weft/client/writes'
import { useSyncStatus, useWeft } from '@weft/react'
import { countChanges } from './count-changes.ts'

/** Shows whether the server has all changes, and lists those that are pending or refused. */
export function SyncBadge() {
  const sync = useSyncStatus()
  return (
    <section className="sync" aria-label="Synchronisation">
      <p role="status" data-state={sync.state}>
        {summary(sync)}
      </p>
      {sync.state === 'offline' && sync.pending > 0 && <UnsentChanges />}
      {!sync.durable && (
        <p className="warning">
          This browser cannot store changes. Unsent changes are lost when you close the page.
        </p>
      )}
      {sync.failed.length > 0 && (
        <ul className="refused">
          {sync.failed.map((write) => (
            <RefusedChange key={write.key} write={write} />
          ))}
        </ul>
      )}
    </section>
  )
}

function summary({ state, pending, failed }: SyncStatus): string {
  if (failed.length > 0) return `${countChanges(failed.length)} been refused`
  if (state === 'offline')
    return pending > 0 ? `Offline. ${countChanges(pending)} been saved in this browser` : 'Offline'
  return pending > 0 ? 'Sending…' : 'All changes are saved'
}

function UnsentChanges() {
  const weft = useWeft()
  const pending = weft.sync.writes().filter((write) => write.state === 'pending')
  return (
    <details className="unsent">
      <summary>Unsent changes</summary>
      <ul>
        {pending.map(({ key }) => (
          <li key={key}>{describe(describeWrite(weft, key))}</li>
        ))}
      </ul>
    </details>
  )
}

function RefusedChange({ write }: { write: PendingWrite }) {
  const weft = useWeft()
  return (
    <li>
      <p>
        {describe(describeWrite(weft, write.key))}: {write.error?.message}
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

/**
 * Returns a line such as `Changing “Buy wool”`. A todo that was removed elsewhere no longer has a title; its line shows
 * the text that the write contains.
 */
function describe(write: WriteDescription | undefined): string {
  if (!write) return 'A change'
  const text = write.fields.find(({ name }) => name === 'text')?.text
  const title = write.record.title || text
  return `${verbs[write.kind]} ${title ? `“${title}”` : 'a todo'}`
}

const verbs: Readonly<Record<WriteDescription['kind'], string>> = {
  create: 'Adding',
  update: 'Changing',
  remove: 'Removing',
  link: 'Linking',
  unlink: 'Unlinking',
}
