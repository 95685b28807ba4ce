import { type FormEvent, useState } from 'react'
import { account } from './weft.ts'

/** Signs in, or makes an account and signs in. */
export function SignIn() {
  const [fresh, setFresh] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [email, password] = [String(form.get('email')), String(form.get('password'))]
    setBusy(true)
    setProblem(undefined)
    try {
      if (fresh) await account.signUp(email, password)
      await account.signIn(email, password)
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }

  return (
    <main className="page sign-in">
      <h1>Todos</h1>
      <p>A list that does not need a network to remember what you wrote.</p>
      <form onSubmit={submit}>
        <label htmlFor="email">E-mail</label>
        <input id="email" name="email" type="email" autoComplete="username" required />
        <label htmlFor="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autoComplete={fresh ? 'new-password' : 'current-password'}
          required
        />
        {problem && <p role="alert">{problem}</p>}
        <button type="submit" className="strong" disabled={busy}>
          {fresh ? 'Sign up' : 'Sign in'}
        </button>
      </form>
      <button type="button" className="plain" onClick={() => setFresh(!fresh)}>
        {fresh ? 'I have an account' : 'Make an account'}
      </button>
    </main>
  )
}
