import { type FormEvent, useState } from 'react'
import { errorText } from '../model/request.ts'
import { useTypes } from '../model/types.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { createKey } from './people.ts'

interface NewKeyProps {
  readonly isOpen: boolean
  readonly close: () => void
  /** The user that the key acts for; undefined means the caller. */
  readonly user: number | undefined
  /** Called after a key was created. */
  readonly created: () => unknown
}

/** The dialog that creates a key and shows it once. */
export function NewKey({ isOpen, close, user, created }: NewKeyProps) {
  const [secret, setSecret] = useState('')
  const end = () => {
    setSecret('')
    close()
  }
  return (
    <Dialog title="New key" isOpen={isOpen} close={end} className="narrow">
      {secret === '' ? (
        <KeyForm
          user={user}
          done={(key) => {
            setSecret(key)
            created()
          }}
        />
      ) : (
        <Secret secret={secret} done={end} />
      )}
    </Dialog>
  )
}

function Secret({ secret, done }: { secret: string; done: () => void }) {
  return (
    <div className="form">
      <p>Copy the key now. The server stores only its hash, so it is never shown again.</p>
      <code className="secret">{secret}</code>
      <p className="acts">
        <CopyButton text={secret}>Copy the key</CopyButton>
        <button type="button" className="button" onClick={done}>
          Done
        </button>
      </p>
      <p className="soft">
        Programs send it as a header: <code>Authorization: Bearer {secret.slice(0, 9)}…</code>
      </p>
    </div>
  )
}

/** The lifetimes of a key that the form offers, in days; 0 for a key that does not expire. */
const lifetimes = [
  [30, '30 days'],
  [90, '90 days'],
  [365, 'a year'],
  [0, 'no end date'],
] as const

const dayMs = 86_400_000

function KeyForm({ user, done }: { user: number | undefined; done: (secret: string) => void }) {
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const days = Number(form.get('days'))
    setSending(true)
    try {
      const secret = await createKey(user, {
        name: String(form.get('name')).trim(),
        write: form.get('rights') === 'write',
        types: form.getAll('type').map(String),
        expires: days === 0 ? null : new Date(Date.now() + days * dayMs).toISOString(),
      })
      done(secret)
    } catch (error) {
      setProblem(errorText(error))
      setSending(false)
    }
  }
  return (
    <form className="form" onSubmit={submit}>
      <label className="field">
        <span>Name, for example of the program that uses the key</span>
        <input name="name" required autoComplete="off" />
      </label>
      <label className="field">
        <span>Permissions</span>
        <select name="rights" defaultValue="read">
          <option value="read">Read</option>
          <option value="write">Read and write</option>
        </select>
      </label>
      <label className="field">
        <span>Valid for</span>
        <select name="days" defaultValue="365">
          {lifetimes.map(([days, text]) => (
            <option key={days} value={days}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <TypeChoice />
      <p className="problem" role="alert">
        {problem}
      </p>
      <p className="acts">
        <BusyButton type="submit" className="button" isBusy={isSending}>
          Create the key
        </BusyButton>
      </p>
    </form>
  )
}

function TypeChoice() {
  const { types } = useTypes()
  const records = types.filter(({ kind, id }) => kind === 'record' && id !== 0)
  if (records.length === 0) return null
  return (
    <fieldset>
      <legend>Restrict the key to these types (all types if none is chosen)</legend>
      <div className="options">
        {records.map(({ name, names }) => (
          <label key={name}>
            <input type="checkbox" name="type" value={name} /> {names.many}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
