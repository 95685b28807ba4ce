import { type FormEvent, useState } from 'react'
import { account } from './weft.ts'

/** The form that signs a user in, or creates an account and signs its user in. */
export function SignIn() {
  const [isNewAccount, setNewAccount] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [email, password] = [String(form.get('email')), String(form.get('password'))]
    setBusy(true)
    setError(undefined)
    try {
      if (isNewAccount) await account.signUp(email, password)
      await account.signIn(email, password)
    } catch (error) {
      setError((error as Error).message)
      setBusy(false)
    }
  }

  return (
    <main className="page sign-in">
      <h1>Todos</h1>
      <p>A todo list that works offline.</p>
      <form onSubmit={submit}>
        <label htmlFor="email">E-mail</label>
        <input id="email" name="email" type="email" autoComplete="username" required />
        <label htmlFor="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autoComplete={isNewAccount ? 'new-password' : 'current-password'}
          required
        />
        {error && <p role="alert">{error}</p>}
        <button type="submit" className="strong" disabled={isBusy}>
          {isNewAccount ? 'Sign up' : 'Sign in'}
        </button>
      </form>
      <button type="button" className="plain" onClick={() => setNewAccount(!isNewAccount)}>
        {isNewAccount ? 'I have an account' : 'Create an account'}
      </button>
    </main>
  )
}
