import type { Id } from '@weft/client'
import { usePending, useWeft } from '@weft/react'
import { type FormEvent, useId } from 'react'
import type { Idea, Link } from './idea.ts'

/** The form that creates ideas. */
export function IdeaForm({ add }: { add: (name: string, kind: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const { name, kind } = readForm(form)
    if (name === '') return
    add(name, kind)
    form.reset()
  }
  return (
    <form className="editor-form" onSubmit={submit} aria-label="New idea">
      <Field name="name" label="New idea" placeholder="Offline mode" />
      <Field name="kind" label="Type" placeholder="feature" />
      <button type="submit" className="button">
        Add
      </button>
    </form>
  )
}

interface InspectorProps {
  readonly idea: Idea
  readonly ideas: readonly Idea[]
  /** The label of the next link. */
  readonly relation: string
  readonly setRelation: (relation: string) => void
  readonly connect: (to: Id) => void
  readonly unlink: (link: Link) => void
  readonly remove: () => void
}

/** The form that edits one idea and its links. */
export function Inspector(props: InspectorProps) {
  const { idea, ideas, remove, unlink } = props
  const weft = useWeft()
  const pending = usePending(idea.id)
  const names = new Map(ideas.map(({ key, name }) => [key, name]))
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { name, kind } = readForm(event.currentTarget)
    if (name !== '') weft.update(idea.id, { name, kind: kind || 'idea' })
  }
  const links = idea.links.filter(({ to }) => names.has(to))
  return (
    <section className="editor-inspector" aria-label={`Idea: ${idea.name}`}>
      <h2>{idea.name}</h2>
      <p className="editor-state" data-sync={pending ?? 'synced'}>
        {pending === 'pending' && 'pending: stored in this browser, not yet on the server'}
        {pending === 'failed' && 'rejected by the server'}
        {pending === undefined && 'synced: stored on the server'}
      </p>
      <form className="editor-form" onSubmit={save} aria-label="Edit this idea">
        <Field name="name" label="Name" value={idea.name} />
        <Field name="kind" label="Type" value={idea.kind} />
        <button type="submit" className="button quiet">
          Save
        </button>
      </form>
      <LinkForm {...props} />
      {links.length > 0 && <LinkList links={links} names={names} unlink={unlink} />}
      <button type="button" className="button quiet" onClick={remove}>
        Delete “{idea.name}”
      </button>
    </section>
  )
}

interface LinkListProps {
  readonly links: readonly Link[]
  /** The names of ideas by their keys. */
  readonly names: ReadonlyMap<string, string>
  readonly unlink: (link: Link) => void
}

function LinkList({ links, names, unlink }: LinkListProps) {
  return (
    <ul className="editor-links" aria-label="Links">
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
  )
}

function LinkForm({ idea, ideas, relation, setRelation, connect }: InspectorProps) {
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
        <label htmlFor={`${id}relation`}>Relation</label>
        <input
          id={`${id}relation`}
          className="input"
          maxLength={60}
          value={relation}
          onChange={(event) => setRelation(event.currentTarget.value)}
        />
      </div>
      <div>
        <label htmlFor={`${id}to`}>To</label>
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

function readForm(form: HTMLFormElement): { name: string; kind: string } {
  const data = new FormData(form)
  return { name: String(data.get('name')).trim(), kind: String(data.get('kind')).trim() }
}
