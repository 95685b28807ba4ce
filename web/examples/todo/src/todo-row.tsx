import { usePending } from '@weft/react'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Actions, Todo } from './use-todos.ts'

/** Shows a todo or, while it is being renamed, a form. */
export function TodoRow({ todo, actions }: { todo: Todo; actions: Actions }) {
  const { text } = todo.the_todo
  const isDone = todo.the_todo.done === 'true'
  const [isRenaming, setRenaming] = useState(false)
  const renameButton = useRef<HTMLButtonElement>(null)
  const closeForm = () => {
    flushSync(() => setRenaming(false))
    renameButton.current?.focus()
  }
  if (isRenaming) {
    const rename = (newText: string) => {
      if (newText !== text) actions.change(todo, { text: newText }, `Renamed “${text}”`)
      closeForm()
    }
    return <RenameForm text={text} onSave={rename} onCancel={closeForm} />
  }

  const toggle = () =>
    actions.change(todo, { done: !isDone }, isDone ? `Reopened “${text}”` : `Completed “${text}”`)
  const remove = () => {
    flushSync(() => actions.remove(todo))
    document.getElementById('undo')?.focus()
  }
  return (
    <li>
      <label>
        <input type="checkbox" checked={isDone} onChange={toggle} />
        <span className="text">{text}</span>
      </label>
      <WriteState id={todo.id} />
      <button
        type="button"
        ref={renameButton}
        className="plain icon"
        title="Rename"
        aria-label={`Rename ${text}`}
        onClick={() => setRenaming(true)}
      >
        <Icon path="M4 20h4L19 9l-4-4L4 16z" />
      </button>
      <button
        type="button"
        className="plain icon"
        title="Remove"
        aria-label={`Remove ${text}`}
        onClick={remove}
      >
        <Icon path="m6 6 12 12M18 6 6 18" />
      </button>
    </li>
  )
}

const Icon = ({ path }: { path: string }) => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
)

function WriteState({ id }: Pick<Todo, 'id'>) {
  const pending = usePending(id)
  if (pending === undefined) return null
  return <small data-state={pending}>{pending === 'failed' ? 'refused' : 'not sent yet'}</small>
}

interface RenameFormProps {
  readonly text: string
  readonly onSave: (text: string) => void
  readonly onCancel: () => void
}

function RenameForm({ text, onSave, onCancel }: RenameFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const newText = String(new FormData(event.currentTarget).get('text')).trim()
    if (newText !== '') onSave(newText)
  }
  const cancelOnEscape = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') onCancel()
  }
  return (
    <li>
      <form className="rename" onSubmit={submit} onKeyDown={cancelOnEscape}>
        <input
          name="text"
          aria-label={`New name of ${text}`}
          defaultValue={text}
          maxLength={500}
          ref={(field) => field?.focus()}
        />
        <button type="submit">Save</button>
        <button type="button" className="plain" onClick={onCancel}>
          Cancel
        </button>
      </form>
    </li>
  )
}
