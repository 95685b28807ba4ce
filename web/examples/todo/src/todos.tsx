import { type FormEvent, useEffect, useRef, useState } from 'react'
import { TodoRow } from './todo-row.tsx'
import { maxShown, type Todo, useActions, useTodos } from './use-todos.ts'

const filters = {
  all: () => true,
  open: ({ the_todo }: Todo) => the_todo.done !== 'true',
  done: ({ the_todo }: Todo) => the_todo.done === 'true',
}
type Filter = keyof typeof filters

/** The list of todos with the form to add one, the filter and the undo bar. */
export function Todos() {
  const { todos, isLoading, isComplete, error, total, refresh } = useTodos()
  const actions = useActions()
  const [filter, setFilter] = useState<Filter>('all')
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = todos.filter(filters[filter])
  const undo = () => {
    actions.undo()
    heading.current?.focus()
  }
  useUndoKey(undo)

  return (
    <>
      <AddForm onAdd={actions.add} />
      <div className="list-header">
        <h2 ref={heading} tabIndex={-1}>
          {todos.filter(filters.open).length} open
        </h2>
        <FilterChoice filter={filter} onChange={setFilter} />
      </div>
      {error && (
        <div role="alert" className="warning">
          <p>{error.message}</p>
          <button type="button" onClick={() => void refresh()}>
            Try again
          </button>
        </div>
      )}
      {isLoading && <p className="quiet">Loading…</p>}
      {!isLoading && !error && shown.length === 0 && (
        <p className="quiet">
          {isComplete || todos.length > 0 ? emptyMessages[filter] : emptyOfflineMessage}
        </p>
      )}
      {shown.length > 0 && (
        <ul className="todos" aria-label="Todos">
          {shown.map((todo) => (
            <TodoRow key={todo.id} todo={todo} actions={actions} />
          ))}
        </ul>
      )}
      {total > maxShown && (
        <p className="quiet">
          Showing the newest {maxShown} of {total} todos.
        </p>
      )}
      <UndoBar lastAction={actions.lastAction} onUndo={undo} />
    </>
  )
}

const emptyMessages: Readonly<Record<Filter, string>> = {
  all: 'No todos yet. Add the first one above.',
  open: 'Everything is done.',
  done: 'Nothing is done yet.',
}

const emptyOfflineMessage = 'No todos in this browser. There may be more on the server.'

function AddForm({ onAdd }: { onAdd: (text: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('text')).trim()
    if (text === '') return
    onAdd(text)
    event.currentTarget.reset()
  }
  return (
    <form className="add" onSubmit={submit}>
      <input
        name="text"
        aria-label="New todo"
        placeholder="What do you want to do?"
        autoComplete="off"
        maxLength={500}
      />
      <button type="submit" className="strong">
        Add
      </button>
    </form>
  )
}

interface FilterChoiceProps {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
}

function FilterChoice({ filter, onChange }: FilterChoiceProps) {
  return (
    <fieldset className="filter">
      <legend>Show</legend>
      {(['all', 'open', 'done'] as const).map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="filter"
            checked={name === filter}
            onChange={() => onChange(name)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}

interface UndoBarProps {
  readonly lastAction: string | undefined
  readonly onUndo: () => void
}

function UndoBar({ lastAction, onUndo }: UndoBarProps) {
  return (
    <div className="undo" hidden={lastAction === undefined}>
      <p role="status">{lastAction}</p>
      <button type="button" id="undo" onClick={onUndo}>
        Undo
      </button>
    </div>
  )
}

/** Calls `undo` on Ctrl+Z or ⌘Z, except in text fields, where the browser undoes typing. */
function useUndoKey(undo: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTextField =
        event.target instanceof HTMLInputElement && event.target.type !== 'checkbox'
      const isUndo = event.key === 'z' && !event.shiftKey && (event.ctrlKey || event.metaKey)
      if (isTextField || !isUndo) return
      event.preventDefault()
      undo()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}
