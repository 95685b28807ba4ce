import type { Fields, Id } from '@weft/client'
import { useQuery, useSyncStatus } from '@weft/react'
import { ErrorMessage } from '../error-message.tsx'
import { Note } from './note.tsx'
import { OrphanedRefusals } from './refused-changes.tsx'

const pageSize = 100

/** The newest notes of all visitors. */
export function NoteList({ onDeleted }: { onDeleted: (note: Fields) => void }) {
  const notes = useQuery<{ id: Id }>({ type: 'the_note', selectors: ['self'], pageSize })
  const online = useSyncStatus((sync) => sync.online)
  if (notes.status === 'loading') return <p className="notes-quiet">Loading…</p>
  if (notes.status === 'error' && notes.data === undefined)
    return <ErrorMessage error={notes.error} retry={() => void notes.refresh()} />

  const ids = (notes.data ?? []).map(({ id }) => id)
  const { complete, total } =
    notes.status === 'ready' ? notes : { complete: false, total: undefined }
  const isCurrent = complete || online
  return (
    <>
      <OrphanedRefusals shown={ids} showsAll={complete && total === ids.length} />
      {ids.length === 0 ? (
        <EmptyList isCurrent={isCurrent} />
      ) : (
        <ul className="note-list">
          {ids.map((id) => (
            <Note key={id} id={id} onDeleted={onDeleted} />
          ))}
        </ul>
      )}
      <ListFooter shown={ids.length} total={total} isCurrent={isCurrent} />
    </>
  )
}

function EmptyList({ isCurrent }: { isCurrent: boolean }) {
  return (
    <p className="notes-quiet">
      {isCurrent
        ? 'No notes yet. Write the first one.'
        : 'No notes are stored in this browser. You can write notes now; they are sent later.'}
    </p>
  )
}

interface ListFooterProps {
  readonly shown: number
  readonly total: number | undefined
  /** Whether the list comes from the server rather than from this browser alone. */
  readonly isCurrent: boolean
}

/** States which notes are missing from the list. */
function ListFooter({ shown, total = 0, isCurrent }: ListFooterProps) {
  if (shown === 0) return null
  if (!isCurrent)
    return <p className="notes-foot">Offline: only notes stored in this browser are shown.</p>
  if (total <= shown) return null
  return (
    <p className="notes-foot">
      Showing the newest {shown} of {total} notes.
    </p>
  )
}
