import { type FormEvent, useState } from 'react'
import { account } from '../model/client.ts'
import { errorText } from '../model/request.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { Brand } from './brand.tsx'
import type { EndedSession } from './ended-session.ts'

/** The form for guests, and for users whose session has ended. */
export function SignIn({ ended }: { ended: EndedSession | undefined }) {
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setSending(true)
    setProblem('')
    try {
      await account.signIn(String(form.get('email')).trim(), String(form.get('password')))
    } catch (error) {
      setProblem(errorText(error))
      setSending(false)
    }
  }
  return (
    <div className="welcome">
      <div className="edge" />
      <main>
        <p className="brand">
          <Brand />
          <span>Weft</span> <small>{location.host}</small>
        </p>
        <h1>{ended ? 'Sign in again to continue' : 'Sign in'}</h1>
        {ended && <p>{endText(ended)}</p>}
        <form onSubmit={submit}>
          <label className="field">
            <span>E-mail</span>
            <input
              name="email"
              type="email"
              autoComplete="username"
              required
              defaultValue={ended?.email}
            />
          </label>
          <label className="field">
            <span>Password</span>
            <input name="password" type="password" autoComplete="current-password" required />
          </label>
          <p className="problem" role="alert">
            {problem}
          </p>
          <p className="acts">
            <BusyButton type="submit" className="button large" isBusy={isSending}>
              {isSending ? 'Signing in…' : 'Sign in'}
            </BusyButton>
            <a className="underline" href="/login">
              Create an account, or reset a password
            </a>
          </p>
        </form>
      </main>
    </div>
  )
}

function endText({ email, waiting }: EndedSession): string {
  if (waiting === 0) return `The session of ${email} has ended.`
  const kept = waiting === 1 ? '1 change is kept' : `${waiting} changes are kept`
  return `The session of ${email} has ended. ${kept} on this device, and sent after you sign in again.`
}
