import { usePending, useQuery, useSyncStatus } from '@weft/react'
import type { FormEvent } from 'react'
import type { Note } from './schema.ts'
import { weft } from './weft.ts'

/** A list of notes that works offline and shows the changes of other users. */
export function App() {
  const notes = useQuery(weft.find('note'))
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('text')).trim()
    if (text !== '') weft.create('note', { text })
    event.currentTarget.reset()
  }
  return (
    <main>
      <h1>Notes</h1>
      <form onSubmit={add}>
        <input name="text" aria-label="New note" autoComplete="off" />
        <button type="submit">Add</button>
      </form>
      {notes.status === 'loading' && <p>Loading…</p>}
      {notes.status === 'error' && <p role="alert">{notes.error.message}</p>}
      <ul aria-label="Notes">
        {notes.data.map((note) => (
          <NoteRow key={note.id} note={note} />
        ))}
      </ul>
      <SyncStatus />
    </main>
  )
}

function NoteRow({ note: { id, text, done } }: { note: Note }) {
  return (
    <li>
      <label className={done ? 'done' : ''}>
        <input
          type="checkbox"
          checked={done ?? false}
          onChange={() => weft.update(id, { done: !done })}
        />
        {text}
      </label>
      {usePending(id) && <small>not sent yet</small>}
      <button type="button" onClick={() => weft.remove(id)}>
        Remove
      </button>
    </li>
  )
}

function SyncStatus() {
  const { state, pending, failed } = useSyncStatus()
  if (failed.length > 0) return <p role="alert">{failed[0]?.error?.message}</p>
  if (state === 'offline') return <p role="status">Offline, {pending} changes to send</p>
  return <p role="status">{pending > 0 ? 'Sending…' : 'All changes are saved'}</p>
}
