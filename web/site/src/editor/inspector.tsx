import type { Id } from '@weft/client'
import { usePending, useWeft } from '@weft/react'
import { type FormEvent, useId } from 'react'
import type { Idea, Link } from './idea.ts'

/** Makes ideas. */
export function Adder({ add }: { add: (name: string, kind: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const { name, kind } = saidIn(form)
    if (name === '') return
    add(name, kind)
    form.reset()
  }
  return (
    <form className="editor-form" onSubmit={submit} aria-label="New idea">
      <Field name="name" label="New idea" placeholder="Shuttle" />
      <Field name="kind" label="Its type" placeholder="tool" />
      <button type="submit" className="button">
        Add
      </button>
    </form>
  )
}

interface InspectorProps {
  readonly idea: Idea
  readonly ideas: readonly Idea[]
  readonly how: string
  readonly setHow: (how: string) => void
  readonly connect: (to: Id) => void
  readonly unlink: (link: Link) => void
  readonly remove: () => void
}

/** Changes one idea and its links. */
export function Inspector(props: InspectorProps) {
  const { idea, ideas, remove, unlink } = props
  const weft = useWeft()
  const pending = usePending(idea.id)
  const names = new Map(ideas.map(({ key, name }) => [key, name]))
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { name, kind } = saidIn(event.currentTarget)
    if (name !== '') weft.update(idea.id, { name, kind: kind || 'idea' })
  }
  const links = idea.links.filter(({ to }) => names.has(to))
  return (
    <section className="editor-inspector" aria-label={`Idea: ${idea.name}`}>
      <h2>{idea.name}</h2>
      <p className="editor-state" data-sync={pending ?? 'synced'}>
        {pending === 'pending' && 'pending: kept here, on its way to the server'}
        {pending === 'failed' && 'the server did not take this'}
        {pending === undefined && 'synced: the server has it'}
      </p>
      <form className="editor-form" onSubmit={save} aria-label="Change this idea">
        <Field name="name" label="Value" value={idea.name} />
        <Field name="kind" label="Type" value={idea.kind} />
        <button type="submit" className="button quiet">
          Save
        </button>
      </form>
      <Connector {...props} />
      {links.length > 0 && (
        <ul className="editor-links" aria-label="Links from here">
          {links.map((link) => (
            <li key={`${link.how} ${link.to}`}>
              <span>
                {link.how} <strong>{names.get(link.to)}</strong>
              </span>
              <button
                type="button"
                className="plain"
                aria-label={`Remove the link: ${link.how} ${names.get(link.to)}`}
                onClick={() => unlink(link)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      <button type="button" className="button quiet" onClick={remove}>
        Remove “{idea.name}”
      </button>
    </section>
  )
}

function Connector({ idea, ideas, how, setHow, connect }: InspectorProps) {
  const others = ideas.filter(({ id }) => id !== idea.id)
  const id = useId()
  if (others.length === 0) return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    connect(Number(new FormData(event.currentTarget).get('to')))
  }
  return (
    <form className="editor-form" onSubmit={submit} aria-label="Link this idea">
      <div>
        <label htmlFor={`${id}how`}>How</label>
        <input
          id={`${id}how`}
          className="input"
          maxLength={60}
          value={how}
          onChange={(event) => setHow(event.currentTarget.value)}
        />
      </div>
      <div>
        <label htmlFor={`${id}to`}>With</label>
        <select id={`${id}to`} className="input" name="to">
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" className="button quiet">
        Link
      </button>
    </form>
  )
}

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  readonly value?: string
}

function Field({ name, label, placeholder, value }: FieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        key={value}
        id={id}
        className="input"
        name={name}
        autoComplete="off"
        maxLength={200}
        placeholder={placeholder}
        defaultValue={value}
      />
    </div>
  )
}

function saidIn(form: HTMLFormElement): { name: string; kind: string } {
  const data = new FormData(form)
  return { name: String(data.get('name')).trim(), kind: String(data.get('kind')).trim() }
}
