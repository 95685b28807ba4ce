import type { Client, ErrorKind, Id, PendingWrite } from '@weft/client'
import { useSyncStatus, useWeft } from '@weft/react'
import { readNote } from './the-note.ts'

/** The notes of refused writes that have no place in the list. Once that is complete, they are gone. */
export function RefusedElsewhere({ shown, complete }: { shown: readonly Id[]; complete: boolean }) {
  const weft = useWeft()
  const failed = useSyncStatus((status) => status.failed)
  const elsewhere = new Set(failed.map((write) => nameOf(weft, write.id)))
  for (const id of shown) elsewhere.delete(id)
  if (elsewhere.size === 0) return null
  return (
    <ul className="note-list" aria-label="Refused changes">
      {Array.from(elsewhere, (id) => (
        <li key={id} className="note" data-sync="failed">
          <span className="note-text">{readNote(weft.record(id) ?? {}).text || 'A note'}</span>
          <Refused id={id} gone={complete} />
        </li>
      ))}
    </ul>
  )
}

/** Why the server did not take what was written to a note, and what can be done about it. */
export function Refused({ id, gone = false }: { id: Id; gone?: boolean }) {
  const weft = useWeft()
  const failed = useSyncStatus((status) => status.failed)
  const writes = failed.filter((write) => nameOf(weft, write.id) === id)
  const [first] = writes
  if (first === undefined) return null

  const retry = () => {
    for (const { key } of writes) weft.sync.retry(key)
  }
  const discard = () => {
    for (const { key } of writes) void weft.sync.discard(key)
  }
  const keep = () => {
    const { text, done } = readNote(weft.record(id) ?? {})
    weft.create('the_note', { text, done })
    discard()
  }
  // Written for data that the server has no more: there is nothing left to send or to keep.
  const stranded = id === 0
  const lost = gone && first.kind === 'update' && !stranded
  return (
    <div className="note-refused">
      <div className="refused-why">
        {stranded && 'The server has other data by now, so this change has no place to go.'}
        {lost && 'Somebody deleted this note before your change arrived.'}
        {!stranded && !lost && sentence(first)}
        <details>
          <summary>What the server said</summary>
          {first.error?.message}
        </details>
      </div>
      {lost && (
        <button type="button" className="plain" onClick={keep}>
          Keep as a new note
        </button>
      )}
      {!stranded && (
        <button type="button" className="plain" onClick={retry}>
          Retry
        </button>
      )}
      <button type="button" className="plain" onClick={discard}>
        Discard
      </button>
    </div>
  )
}

/** The id the list knows a note by. A write of another tab may have another one. */
const nameOf = (weft: Client, id: Id): Id => weft.concept(id)?.id ?? id

function sentence({ kind, error }: PendingWrite): string {
  const why = error && reasons[error.kind]
  return `The server did not ${deeds[kind]}${why ? `: ${why}` : ''}.`
}

const deeds = { create: 'take this note', update: 'take your change', remove: 'delete this note' }
const reasons: Partial<Record<ErrorKind, string>> = {
  forbidden: 'visitors may not do that',
  tooLarge: 'it is too large',
}
