import type { Account, Place, Profile } from '@weft/client/account'
import { useCallback, useEffect, useState } from 'react'
import { Failure } from '../failure.tsx'
import './account.css'
import { ChangePassword } from './change-password.tsx'
import { Ending } from './ending.tsx'
import { Keys } from './keys.tsx'
import { account, useProfile } from './own.ts'

/** Who somebody is, where they are signed in, their password, and the way out. */
export function AccountBox() {
  const profile = useProfile()
  if (profile === undefined) return <p role="status">Nobody is signed in.</p>
  return (
    <div className="account-box">
      <Who profile={profile} />
      <Sessions key={profile.userConcept} />
      <Keys />
      <section aria-labelledby="password-title">
        <h2 id="password-title">Password</h2>
        <ChangePassword email={profile.email} />
      </section>
      <Ending email={profile.email} />
    </div>
  )
}

function Who({ profile }: { profile: Profile }) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    account.me().catch(() => {
      // What was known at the sign-in stays on the page.
    })
  }, [])
  const tell = (asked: Promise<string | undefined>) =>
    void asked.then(
      (words) => setSaid(words ?? ''),
      (error) => setSaid(String(error.message)),
    )
  return (
    <section aria-labelledby="who-title">
      <h2 id="who-title">Who you are</h2>
      <dl className="facts">
        <div>
          <dt>E-mail</dt>
          <dd>{profile.email}</dd>
        </div>
        <div>
          <dt>Confirmed</dt>
          <dd>
            {profile.confirmed ? `on ${day(profile.confirmed)}` : 'not yet '}
            {!profile.confirmed && (
              <button type="button" className="plain" onClick={() => tell(account.resend())}>
                Send the link again
              </button>
            )}
          </dd>
        </div>
        <div>
          <dt>Roles</dt>
          <dd>{profile.roles.join(', ')}</dd>
        </div>
        <div>
          <dt>Number</dt>
          <dd>
            <code>{profile.entity[0]?.userId}</code>
          </dd>
        </div>
      </dl>
      <p role="status">{said}</p>
      <p className="actions">
        <button type="button" className="button" onClick={() => void account.signOut()}>
          Sign out
        </button>
      </p>
    </section>
  )
}

function Sessions() {
  const { places, error, load } = useSessions(account)
  const end = (id: string) => void account.endSession(id).then(load, load)
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">Where you are signed in</h2>
      {error && <Failure error={error} retry={load} />}
      {!error && places === undefined && (
        <p role="status" className="sessions-wait">
          Please Wait...
        </p>
      )}
      <ul className="sessions" hidden={places === undefined}>
        {places?.map(({ id, device, used, current }) => (
          <li key={id}>
            <span>
              <b>{browserIn(device)}</b>
              <span className="hint">{current ? 'here, now' : `last used ${day(used)}`}</span>
            </span>
            {!current && (
              <button type="button" className="button quiet" onClick={() => end(id)}>
                End<span className="unseen"> the session in {browserIn(device)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function useSessions(of: Account) {
  const [places, setPlaces] = useState<readonly Place[]>()
  const [error, setError] = useState<Error>()
  const load = useCallback(() => {
    setError(undefined)
    of.sessions().then(setPlaces, setError)
  }, [of])
  useEffect(load, [load])
  return { places, error, load }
}

const day = (iso: string): string =>
  new Date(iso).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })

/** What people call the program that a User-Agent names. */
function browserIn(device: string): string {
  const [, name] = /(Firefox|Edg|OPR|Chrome|Safari)/.exec(device) ?? []
  const [, system] = /(Android|iPhone|iPad|Windows|Mac OS|Linux)/.exec(device) ?? []
  const known = name === 'Edg' ? 'Edge' : name === 'OPR' ? 'Opera' : name
  return [known ?? (device.split(/[/ ]/)[0] || 'A program'), system].filter(Boolean).join(' on ')
}
