import { type FormEvent, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { errorText } from '../model/request.ts'
import { navigate } from '../model/router.ts'
import { timeText } from '../model/times.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { createUser, type ResetLink } from './people.ts'

/** The dialog that creates an account. Without a password, it ends by showing a link to choose one. */
export function NewUser({
  isOpen,
  close,
  isAdmin,
}: {
  isOpen: boolean
  close: () => void
  /** Whether the form opens with the role of an admin. */
  isAdmin: boolean
}) {
  const [made, setMade] = useState<{ readonly id: number; readonly reset: ResetLink | undefined }>()
  const end = () => {
    setMade(undefined)
    close()
    if (made) navigate(`/people/users/${made.id}`)
  }
  return (
    <Dialog title="New user" isOpen={isOpen} close={end} className="narrow">
      {made?.reset ? (
        <ResetLinkText reset={made.reset} done={end} />
      ) : (
        <NewUserForm
          isAdmin={isAdmin}
          done={(id, reset) => {
            if (reset) setMade({ id, reset })
            else {
              close()
              navigate(`/people/users/${id}`)
            }
          }}
        />
      )}
    </Dialog>
  )
}

/** A link for a new password, which is shown once. */
export function ResetLinkText({ reset, done }: { reset: ResetLink; done: () => void }) {
  return (
    <div className="form">
      <p>
        Send this link to the user. With it, the user can choose a new password once, until{' '}
        {timeText(reset.expires)}. The link is not shown again.
      </p>
      <code className="secret">{reset.link}</code>
      <p className="acts">
        <CopyButton text={reset.link}>Copy the link</CopyButton>
        <button type="button" className="button" onClick={done}>
          Done
        </button>
      </p>
    </div>
  )
}

function NewUserForm({
  isAdmin,
  done,
}: {
  isAdmin: boolean
  done: (id: number, reset: ResetLink | undefined) => void
}) {
  const { announce } = useConsole()
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const email = String(form.get('email')).trim()
    setSending(true)
    try {
      const { user, reset } = await createUser(
        email,
        form.get('role') === 'admin',
        String(form.get('password')),
      )
      announce(`The account of ${user.email} was created`)
      done(user.id, reset)
    } catch (error) {
      setProblem(errorText(error))
      setSending(false)
    }
  }
  return (
    <form className="form" onSubmit={submit}>
      <label className="field">
        <span>E-mail</span>
        <input name="email" type="email" required autoComplete="off" />
      </label>
      <label className="field">
        <span>Role</span>
        <select name="role" defaultValue={isAdmin ? 'admin' : 'user'}>
          <option value="user">User: own and public records</option>
          <option value="admin">Admin: all records, people and the server</option>
        </select>
      </label>
      <label className="field">
        <span>Password (leave it empty to get a link for the user to choose one)</span>
        <input name="password" type="password" autoComplete="new-password" />
      </label>
      <p className="problem" role="alert">
        {problem}
      </p>
      <p className="acts">
        <BusyButton type="submit" className="button" isBusy={isSending}>
          Create the account
        </BusyButton>
      </p>
    </form>
  )
}
