import { useEffect } from 'react'
import { navigate, useSiteLocation } from '../navigation.ts'
import './account.css'
import { account, useProfile } from './client.ts'
import { ForgotPassword } from './forgot-password.tsx'
import { SignIn } from './sign-in.tsx'
import { redirectAfterSignIn } from './sign-in-redirect.ts'
import { SignUp } from './sign-up.tsx'

const titles = new Map([
  ['sign-in', 'Sign in'],
  ['sign-up', 'Create account'],
  ['forgotten', 'Reset password'],
])

/** The sign-in page. The query parameter `mode` selects signing in, signing up or resetting the password. */
export function LoginBox() {
  const { search } = useSiteLocation()
  const query = new URLSearchParams(search)
  const requestedMode = query.get('mode') ?? ''
  const mode = titles.has(requestedMode) ? requestedMode : 'sign-in'
  const next = redirectAfterSignIn(search, location.origin)
  const profile = useProfile()
  if (profile !== undefined) return <SignedIn email={profile.email} next={next} />
  const addressOf = (mode: string) => {
    const parameters = new URLSearchParams(query)
    parameters.set('mode', mode)
    return `/login?${parameters}`
  }
  return (
    <section className="account-box" aria-labelledby="login-title">
      <ul className="ways" aria-label="Sign-in options">
        {Array.from(titles, ([name, title]) => (
          <li key={name}>
            <a href={addressOf(name)} aria-current={name === mode ? 'true' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
      <h2 id="login-title">{titles.get(mode)}</h2>
      {mode === 'sign-in' && <SignIn forgotPasswordUrl={addressOf('forgotten')} />}
      {mode === 'sign-up' && <SignUp />}
      {mode === 'forgotten' && <ForgotPassword />}
    </section>
  )
}

/** Shown to signed-in users. Redirects to the page that requested the sign-in, if there is one. */
function SignedIn({ email, next }: { email: string; next: string }) {
  const { search } = useSiteLocation()
  const wasRedirected = new URLSearchParams(search).has('next')
  useEffect(() => {
    if (wasRedirected) navigate(next, 'replace')
  }, [wasRedirected, next])
  return (
    <section className="account-box" aria-labelledby="login-title">
      <h2 id="login-title">You are signed in</h2>
      <p>
        You are signed in as <b>{email}</b> in all tabs of this browser.
      </p>
      <p className="actions">
        <a className="button" href={next}>
          Continue
        </a>{' '}
        <button type="button" className="button quiet" onClick={() => void account.signOut()}>
          Sign out
        </button>
      </p>
    </section>
  )
}
