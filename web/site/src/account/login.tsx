import { useEffect } from 'react'
import { navigate, usePlace } from '../place.ts'
import './account.css'
import { Forgotten } from './forgotten.tsx'
import { afterSignIn } from './next.ts'
import { account, useProfile } from './own.ts'
import { SignIn } from './sign-in.tsx'
import { SignUp } from './sign-up.tsx'

const modes = new Map([
  ['sign-in', 'Sign in'],
  ['sign-up', 'Make an account'],
  ['forgotten', 'New password'],
])

/** Signing in, making an account, and what to do about a forgotten password: /login?mode=. */
export function LoginBox() {
  const { search } = usePlace()
  const query = new URLSearchParams(search)
  const asked = query.get('mode') ?? ''
  const mode = modes.has(asked) ? asked : 'sign-in'
  const next = afterSignIn(search, location.origin)
  const profile = useProfile()
  if (profile !== undefined) return <Already email={profile.email} next={next} />
  const address = (mode: string) => {
    const to = new URLSearchParams(query)
    to.set('mode', mode)
    return `/login?${to}`
  }
  return (
    <section className="account-box" aria-labelledby="login-title">
      <ul className="ways" aria-label="Ways in">
        {Array.from(modes, ([name, title]) => (
          <li key={name}>
            <a href={address(name)} aria-current={name === mode ? 'true' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
      <h2 id="login-title">{modes.get(mode)}</h2>
      {mode === 'sign-in' && <SignIn forgotten={address('forgotten')} />}
      {mode === 'sign-up' && <SignUp />}
      {mode === 'forgotten' && <Forgotten />}
    </section>
  )
}

/** Somebody who is signed in, perhaps just now: who came for a page goes on to it. */
function Already({ email, next }: { email: string; next: string }) {
  const { search } = usePlace()
  const came = new URLSearchParams(search).has('next')
  useEffect(() => {
    if (came) navigate(next, 'replace')
  }, [came, next])
  return (
    <section className="account-box" aria-labelledby="login-title">
      <h2 id="login-title">You are signed in</h2>
      <p>
        As <b>{email}</b>, in every tab of this browser.
      </p>
      <p className="actions">
        <a className="button" href={next}>
          Go on
        </a>{' '}
        <button type="button" className="button quiet" onClick={() => void account.signOut()}>
          Sign out
        </button>
      </p>
    </section>
  )
}
