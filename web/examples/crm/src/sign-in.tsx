import { type FormEvent, useState } from 'react'
import { account } from './weft.ts'

/** Signs a user in, or creates an account first. */
export function SignIn() {
  const [error, setError] = useState('')
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [email, password] = [String(form.get('email')), String(form.get('password'))]
    const isNew = (event.nativeEvent as SubmitEvent).submitter?.id === 'sign-up'
    try {
      if (isNew) await account.signUp(email, password)
      await account.signIn(email, password)
    } catch (error) {
      setError((error as Error).message)
    }
  }
  return (
    <main>
      <h1>CRM</h1>
      <form onSubmit={submit}>
        <input name="email" type="email" aria-label="E-mail" placeholder="E-mail" required />
        <input
          name="password"
          type="password"
          aria-label="Password"
          placeholder="Password"
          required
        />
        <button type="submit">Sign in</button>
        <button type="submit" id="sign-up">
          Create account
        </button>
        {error && <p role="alert">{error}</p>}
      </form>
    </main>
  )
}
