import type { Fields, Id } from '@weft/client'
import { usePending, useRecord, useWeft } from '@weft/react'
import { useState } from 'react'
import { readNote } from './read-note.ts'
import { RefusedChange } from './refused-changes.tsx'

interface NoteProps {
  readonly id: Id
  readonly onDeleted: (note: Fields) => void
}

/** One note with its checkbox, its buttons and its sync state. */
export function Note({ id, onDeleted }: NoteProps) {
  const weft = useWeft()
  const record = useRecord(id)
  const state = usePending(id)
  const [editing, setEditing] = useState(false)
  if (record.status !== 'ready') return null

  const { text, done } = readNote(record.data)
  const save = (newText: string) => {
    setEditing(false)
    if (newText !== '' && newText !== text) weft.update(id, { text: newText })
  }
  const deleteNote = () => {
    weft.remove(id)
    onDeleted(record.data)
  }
  return (
    <li className="note" data-sync={state ?? 'synced'}>
      {editing ? (
        <Editor text={text} save={save} />
      ) : (
        <>
          <label className="note-text">
            <input
              type="checkbox"
              checked={done}
              onChange={() => weft.update(id, { done: done ? 'false' : 'true' })}
            />
            <span>{text}</span>
          </label>
          {state === 'pending' && <span className="note-state">pending</span>}
          <button
            type="button"
            className="plain"
            aria-label={`Edit: ${text}`}
            onClick={() => setEditing(true)}
          >
            Edit
          </button>
          <button
            type="button"
            className="plain"
            aria-label={`Delete: ${text}`}
            onClick={deleteNote}
          >
            Delete
          </button>
        </>
      )}
      {state === 'failed' && <RefusedChange id={id} />}
    </li>
  )
}

/** Edits the text of a note. Enter and leaving the field save; Escape restores the old text. */
function Editor({ text, save }: { text: string; save: (text: string) => void }) {
  return (
    <input
      className="input note-editor"
      aria-label="Edit note"
      defaultValue={text}
      maxLength={1000}
      ref={(input) => input?.focus()}
      onBlur={(event) => save(event.currentTarget.value.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
        if (event.key === 'Escape') {
          event.currentTarget.value = text
          event.currentTarget.blur()
        }
      }}
    />
  )
}
