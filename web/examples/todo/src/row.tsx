import { usePending } from '@weft/react'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Actions, Todo } from './use-todos.ts'

/** A todo, or the field that it is renamed in. */
export function Row({ todo, actions }: { todo: Todo; actions: Actions }) {
  const { text, done } = todo.the_todo
  const [renaming, setRenaming] = useState(false)
  const rename = useRef<HTMLButtonElement>(null)
  const leave = () => {
    flushSync(() => setRenaming(false))
    rename.current?.focus()
  }
  if (renaming) {
    const keep = (next: string) => {
      if (next !== text) actions.change(todo, { text: next }, `Renamed “${text}”`)
      leave()
    }
    return <Renaming text={text} keep={keep} leave={leave} />
  }

  const tick = () => {
    const said = done === 'true' ? `Opened “${text}” again` : `Ticked “${text}”`
    actions.change(todo, { done: done !== 'true' }, said)
  }
  const remove = () => {
    flushSync(() => actions.remove(todo))
    document.getElementById('undo')?.focus()
  }
  return (
    <li>
      <label>
        <input type="checkbox" checked={done === 'true'} onChange={tick} />
        <span className="text">{text}</span>
      </label>
      <Waiting id={todo.id} />
      <button
        type="button"
        ref={rename}
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

function Waiting({ id }: Pick<Todo, 'id'>) {
  const pending = usePending(id)
  if (pending === undefined) return null
  return <small data-state={pending}>{pending === 'failed' ? 'refused' : 'not sent yet'}</small>
}

interface RenamingProps {
  readonly text: string
  readonly keep: (text: string) => void
  readonly leave: () => void
}

function Renaming({ text, keep, leave }: RenamingProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const next = String(new FormData(event.currentTarget).get('text')).trim()
    if (next !== '') keep(next)
  }
  const cancel = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') leave()
  }
  return (
    <li>
      <form className="renaming" onSubmit={submit} onKeyDown={cancel}>
        <input
          name="text"
          aria-label={`New name of ${text}`}
          defaultValue={text}
          maxLength={500}
          ref={(field) => field?.focus()}
        />
        <button type="submit">Save</button>
        <button type="button" className="plain" onClick={leave}>
          Cancel
        </button>
      </form>
    </li>
  )
}
