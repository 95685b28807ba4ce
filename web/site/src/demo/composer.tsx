import { useWeft } from '@weft/react'
import type { FormEvent } from 'react'

/** The form that creates notes. */
export function Composer() {
  const weft = useWeft()
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const text = String(new FormData(form).get('text')).trim()
    if (text === '') return
    weft.create('the_note', { text, done: 'false' })
    form.reset()
  }
  return (
    <form className="composer" onSubmit={add}>
      <label htmlFor="note-text">New note</label>
      <input
        id="note-text"
        className="input"
        name="text"
        autoComplete="off"
        maxLength={1000}
        placeholder="Buy milk"
      />
      <button type="submit" className="button">
        Add
      </button>
    </form>
  )
}
