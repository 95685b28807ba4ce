import type { Client, ErrorKind, Id, PendingWrite } from '@weft/client'
import { useSyncStatus, useWeft } from '@weft/react'
import { readNote } from './read-note.ts'

interface OrphanedRefusalsProps {
  readonly shown: readonly Id[]
  /** Whether the list shows all notes. If it does, a note that it lacks has been deleted. */
  readonly showsAll: boolean
}

/** Lists the refused changes of notes that are not shown in the list of notes. */
export function OrphanedRefusals({ shown, showsAll }: OrphanedRefusalsProps) {
  const weft = useWeft()
  const failed = useSyncStatus((status) => status.failed)
  const orphaned = new Set(failed.map((write) => currentId(weft, write.id)))
  for (const id of shown) orphaned.delete(id)
  if (orphaned.size === 0) return null
  return (
    <ul className="note-list" aria-label="Refused changes">
      {Array.from(orphaned, (id) => (
        <li key={id} className="note" data-sync="failed">
          <span className="note-text">{readNote(weft.record(id) ?? {}).text || 'A note'}</span>
          <RefusedChange id={id} isDeleted={showsAll} />
        </li>
      ))}
    </ul>
  )
}

/**
 * The reason why the server refused a change. It determines the available actions:
 *
 *   storeReplaced   discard
 *   noteDeleted     keep as a new note, retry, discard
 *   rejected        retry, discard
 */
type Refusal = 'storeReplaced' | 'noteDeleted' | 'rejected'

/** Explains why the server refused the changes of a note, and offers to retry or discard them. */
export function RefusedChange({ id, isDeleted = false }: { id: Id; isDeleted?: boolean }) {
  const weft = useWeft()
  const failed = useSyncStatus((status) => status.failed)
  const writes = failed.filter((write) => currentId(weft, write.id) === id)
  const [first] = writes
  if (first === undefined) return null

  const refusal = refusalOf(id, first, isDeleted)
  const retry = () => {
    for (const { key } of writes) weft.sync.retry(key)
  }
  const discard = () => {
    for (const { key } of writes) void weft.sync.discard(key)
  }
  const keepAsNewNote = () => {
    const { text, done } = readNote(weft.record(id) ?? {})
    weft.create('the_note', { text, done })
    discard()
  }
  return (
    <div className="note-refused">
      <div className="refusal-reason">
        {explanation(refusal, first)}
        <details>
          <summary>Server message</summary>
          {first.error?.message}
        </details>
      </div>
      {refusal === 'noteDeleted' && (
        <button type="button" className="plain" onClick={keepAsNewNote}>
          Keep as a new note
        </button>
      )}
      {refusal !== 'storeReplaced' && (
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

/** Returns the id under which the list shows a note. Writes of other tabs may use a local id. */
const currentId = (weft: Client, id: Id): Id => weft.concept(id)?.id ?? id

function refusalOf(id: Id, { kind }: PendingWrite, isDeleted: boolean): Refusal {
  if (id === 0) return 'storeReplaced'
  return isDeleted && kind === 'update' ? 'noteDeleted' : 'rejected'
}

function explanation(refusal: Refusal, { kind, error }: PendingWrite): string {
  if (refusal === 'storeReplaced')
    return 'The server now uses a different store, so this change cannot be sent.'
  if (refusal === 'noteDeleted') return 'This note was deleted before your change was sent.'
  const reason = error && reasons[error.kind]
  return `The server rejected ${subjects[kind]}${reason ? `: ${reason}` : ''}.`
}

const subjects = { create: 'this note', update: 'your change', remove: 'the deletion' }
const reasons: Partial<Record<ErrorKind, string>> = {
  forbidden: 'guests are not allowed to do this',
  tooLarge: 'it is too large',
}
