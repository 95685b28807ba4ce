import type { Fields, Id } from '@weft/client'
import { useQuery } from '@weft/react'
import { Note } from './note.tsx'

const pageSize = 100

/** The newest notes, whoever wrote them. */
export function NoteList({ onRemoved }: { onRemoved: (note: Fields) => void }) {
  const answer = useQuery<{ id: Id }>({ type: 'the_note', selectors: ['self'], pageSize })
  if (answer.status === 'loading') return <p className="notes-quiet">Please Wait...</p>
  const notes = answer.data
  if (answer.status === 'error' && notes === undefined) {
    return (
      <div className="notes-quiet" role="alert">
        <p>Error: {answer.error.message}</p>
        <button type="button" className="plain" onClick={() => void answer.refresh()}>
          Try again
        </button>
      </div>
    )
  }
  if (notes === undefined || notes.length === 0)
    return <Nothing known={answer.status === 'ready' && answer.complete} />
  return (
    <>
      <ul className="note-list">
        {notes.map(({ id }) => (
          <Note key={id} id={id} onRemoved={onRemoved} />
        ))}
      </ul>
      {answer.status === 'ready' && <Rest shown={notes.length} answer={answer} />}
    </>
  )
}

function Nothing({ known }: { known: boolean }) {
  return (
    <p className="notes-quiet">
      {known
        ? 'No notes yet. Write the first one: it is kept before you lift your finger.'
        : 'Nothing from the server yet. What you write is kept here until it answers.'}
    </p>
  )
}

/** What the list does not show, if that is known. */
function Rest({ shown, answer }: { shown: number; answer: { total?: number; complete: boolean } }) {
  if (!answer.complete) return <p className="notes-foot">These are the notes this browser knows.</p>
  if (answer.total === undefined || answer.total <= shown) return null
  return (
    <p className="notes-foot">
      The newest {shown} of {answer.total} notes.
    </p>
  )
}
