import type { Fields, Id } from '@weft/client'
import { useQuery, useSyncStatus } from '@weft/react'
import { Failure } from '../failure.tsx'
import { Note } from './note.tsx'
import { RefusedElsewhere } from './refused.tsx'

const pageSize = 100

/** The newest notes, whoever wrote them. */
export function NoteList({ onRemoved }: { onRemoved: (note: Fields) => void }) {
  const answer = useQuery<{ id: Id }>({ type: 'the_note', selectors: ['self'], pageSize })
  const online = useSyncStatus((sync) => sync.online)
  if (answer.status === 'loading') return <p className="notes-quiet">Please Wait...</p>
  if (answer.status === 'error' && answer.data === undefined)
    return <Failure error={answer.error} retry={() => void answer.refresh()} />

  const ids = (answer.data ?? []).map(({ id }) => id)
  const { complete, total } = answer.status === 'ready' ? answer : unknown
  return (
    <>
      <RefusedElsewhere shown={ids} complete={complete && total === ids.length} />
      {ids.length === 0 ? (
        <Nothing known={complete || online} />
      ) : (
        <ul className="note-list">
          {ids.map((id) => (
            <Note key={id} id={id} onRemoved={onRemoved} />
          ))}
        </ul>
      )}
      <Rest shown={ids.length} total={total} known={complete || online} />
    </>
  )
}

const unknown = { complete: false, total: undefined }

function Nothing({ known }: { known: boolean }) {
  return (
    <p className="notes-quiet">
      {known
        ? 'No notes yet. Write the first one.'
        : 'No notes in this browser. What you write is kept here until the server answers.'}
    </p>
  )
}

/** What the list does not show, if that is known. */
function Rest(list: { shown: number; total: number | undefined; known: boolean }) {
  const { shown, total = 0, known } = list
  if (shown === 0) return null
  if (!known) return <p className="notes-foot">These are the notes this browser knows.</p>
  if (total <= shown) return null
  return (
    <p className="notes-foot">
      The newest {shown} of {total} notes.
    </p>
  )
}
