import type { Fields } from '@weft/client'
import { useEffect } from 'react'
import { readNote } from './the-note.ts'

interface UndoProps {
  readonly note: Fields
  readonly undo: (note: Fields) => void
  readonly leave: () => void
}

/** Offers for a while to bring a deleted note back, as a new one. */
export function Undo({ note, undo, leave }: UndoProps) {
  useEffect(() => {
    const timer = setTimeout(leave, 10_000)
    return () => clearTimeout(timer)
  }, [leave])
  return (
    <div className="undo" role="status">
      <span className="undo-said">Deleted “{readNote(note).text}”.</span>
      <button
        type="button"
        className="plain"
        ref={(button) => button?.focus()}
        onClick={() => {
          undo(note)
          leave()
        }}
      >
        Undo
      </button>
    </div>
  )
}
