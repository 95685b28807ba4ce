import type { Fields } from '@weft/client'
import { useEffect } from 'react'
import { readNote } from './read-note.ts'

/** How long a deletion can be undone. */
const undoTimeoutMs = 10_000

interface UndoProps {
  readonly note: Fields
  readonly restore: (note: Fields) => void
  readonly dismiss: () => void
}

/** Offers to restore a deleted note, as a new note, for ten seconds. */
export function Undo({ note, restore, dismiss }: UndoProps) {
  useEffect(() => {
    const timer = setTimeout(dismiss, undoTimeoutMs)
    return () => clearTimeout(timer)
  }, [dismiss])
  return (
    <div className="undo" role="status">
      <span className="undo-text">Deleted “{readNote(note).text}”.</span>
      <button
        type="button"
        className="plain"
        ref={(button) => button?.focus()}
        onClick={() => {
          restore(note)
          dismiss()
        }}
      >
        Undo
      </button>
    </div>
  )
}
