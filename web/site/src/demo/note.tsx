import type { Fields, Id } from '@weft/client'
import { usePending, useRecord, useWeft } from '@weft/react'
import { useState } from 'react'
import { Refused } from './refused.tsx'
import { readNote } from './the-note.ts'

interface NoteProps {
  readonly id: Id
  readonly onRemoved: (note: Fields) => void
}

/** One note: tick, edit, delete, and how far it has got on its way to the server. */
export function Note({ id, onRemoved }: NoteProps) {
  const weft = useWeft()
  const record = useRecord(id)
  const state = usePending(id)
  const [editing, setEditing] = useState(false)
  if (record.status !== 'ready') return null

  const { text, done } = readNote(record.data)
  const save = (changed: string) => {
    setEditing(false)
    if (changed !== '' && changed !== text) weft.update(id, { text: changed })
  }
  const remove = () => {
    weft.remove(id)
    onRemoved(record.data)
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
          <button type="button" className="plain" aria-label={`Delete: ${text}`} onClick={remove}>
            Delete
          </button>
        </>
      )}
      {state === 'failed' && <Refused id={id} />}
    </li>
  )
}

/** Enter or leaving the field saves, Escape does not. */
function Editor({ text, save }: { text: string; save: (changed: string) => void }) {
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
