import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Row } from './row.tsx'
import { type Actions, most, type Todo, useActions, useTodos } from './use-todos.ts'

const filters = {
  all: () => true,
  open: ({ the_todo }: Todo) => the_todo.done !== 'true',
  done: ({ the_todo }: Todo) => the_todo.done === 'true',
}
type Filter = keyof typeof filters

/** The list, with what is above and below it. */
export function Todos() {
  const { todos, loading, certain, error, total, refresh } = useTodos()
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
      <Composer add={actions.add} />
      <div className="above">
        <h2 ref={heading} tabIndex={-1}>
          {todos.filter(filters.open).length} open
        </h2>
        <Choice filter={filter} choose={setFilter} />
      </div>
      {error && (
        <div role="alert" className="warning">
          <p>{error.message}</p>
          <button type="button" onClick={() => void refresh()}>
            Try again
          </button>
        </div>
      )}
      {loading && <p className="quiet">One moment…</p>}
      {!loading && !error && shown.length === 0 && (
        <p className="quiet">{certain || todos.length > 0 ? nothing[filter] : unknown}</p>
      )}
      {shown.length > 0 && (
        <ul className="todos" aria-label="Todos">
          {shown.map((todo) => (
            <Row key={todo.id} todo={todo} actions={actions} />
          ))}
        </ul>
      )}
      {total > most && (
        <p className="quiet">
          These are the newest {most} of {total}.
        </p>
      )}
      <Undo said={actions.last} undo={undo} />
    </>
  )
}

const nothing: Readonly<Record<Filter, string>> = {
  all: 'Nothing here yet. What is first?',
  open: 'Nothing is left to do.',
  done: 'Nothing is done yet.',
}

const unknown = 'Nothing here, as far as this browser knows.'

function Composer({ add }: Pick<Actions, 'add'>) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('text')).trim()
    if (text === '') return
    add(text)
    event.currentTarget.reset()
  }
  return (
    <form className="composer" onSubmit={submit}>
      <input
        name="text"
        aria-label="New todo"
        placeholder="What is to be done?"
        autoComplete="off"
        maxLength={500}
      />
      <button type="submit" className="strong">
        Add
      </button>
    </form>
  )
}

function Choice({ filter, choose }: { filter: Filter; choose: (filter: Filter) => void }) {
  return (
    <fieldset className="choice">
      <legend>Show</legend>
      {(['all', 'open', 'done'] as const).map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="filter"
            checked={name === filter}
            onChange={() => choose(name)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}

function Undo({ said, undo }: { said: string | undefined; undo: () => void }) {
  return (
    <div className="undo" hidden={said === undefined}>
      <p role="status">{said}</p>
      <button type="button" id="undo" onClick={undo}>
        Undo
      </button>
    </div>
  )
}

/** Control or Command and Z, unless somebody is writing. */
function useUndoKey(undo: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const writing = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox'
      if (writing || event.key !== 'z' || event.shiftKey || !(event.ctrlKey || event.metaKey))
        return
      event.preventDefault()
      undo()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}
