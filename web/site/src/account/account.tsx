import type { AccountClient, Profile, SessionInfo } from '@weft/client/account'
import { useCallback, useEffect, useState } from 'react'
import { ErrorMessage } from '../error-message.tsx'
import './account.css'
import { browserName } from '../shared/browser-name.ts'
import { ApiKeySection } from './api-key-section.tsx'
import { ChangePassword } from './change-password.tsx'
import { account, useProfile } from './client.ts'
import { DeleteAccount } from './delete-account.tsx'

/** The account page: profile, sessions, API keys, password and deletion. */
export function AccountBox() {
  const profile = useProfile()
  if (profile === undefined) return <p role="status">You are not signed in.</p>
  return (
    <div className="account-box">
      <ProfileSection profile={profile} />
      <Sessions key={profile.userConcept} />
      <ApiKeySection />
      <section aria-labelledby="password-title">
        <h2 id="password-title">Password</h2>
        <ChangePassword email={profile.email} />
      </section>
      <DeleteAccount email={profile.email} />
    </div>
  )
}

function ProfileSection({ profile }: { profile: Profile }) {
  useEffect(() => {
    account.fetchProfile().catch(() => {
      // The page keeps showing the profile stored at sign-in.
    })
  }, [])
  return (
    <section aria-labelledby="profile-title">
      <h2 id="profile-title">Profile</h2>
      <dl className="facts">
        <div>
          <dt>E-mail</dt>
          <dd>{profile.email}</dd>
        </div>
        <Confirmation profile={profile} />
        <div>
          <dt>Roles</dt>
          <dd>{profile.roles.join(', ')}</dd>
        </div>
        <div>
          <dt>User id</dt>
          <dd>
            <code>{profile.entity[0]?.userId}</code>
          </dd>
        </div>
      </dl>
      <p className="actions">
        <button type="button" className="button" onClick={() => void account.signOut()}>
          Sign out
        </button>
      </p>
    </section>
  )
}

/** Shows whether the e-mail address is confirmed. If it is not, a button sends the confirmation e-mail again. */
function Confirmation({ profile: { confirmed } }: { profile: Profile }) {
  const [message, setMessage] = useState('')
  const resend = () =>
    void account.resendConfirmation().then(
      (text) => setMessage(text ?? ''),
      (error) => setMessage(String(error.message)),
    )
  return (
    <div>
      <dt>Confirmed</dt>
      <dd>
        {confirmed ? `on ${formatDay(confirmed)}` : 'not yet '}
        {!confirmed && (
          <button type="button" className="plain" onClick={resend}>
            Resend the confirmation e-mail
          </button>
        )}
        <span role="status">{message}</span>
      </dd>
    </div>
  )
}

function Sessions() {
  const { sessions, error, load } = useSessions(account)
  // The list is also loaded again after an error: the session may have ended elsewhere.
  const end = (id: string) => void account.endSession(id).then(load, load)
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">Active sessions</h2>
      {error && <ErrorMessage error={error} retry={load} />}
      {!error && sessions === undefined && (
        <p role="status" className="sessions-wait">
          Loading…
        </p>
      )}
      <ul className="sessions" hidden={sessions === undefined}>
        {sessions?.map(({ id, device, used, current }) => (
          <li key={id}>
            <span>
              <b>{browserName(device)}</b>
              <span className="hint">
                {current ? 'this session' : `last used ${formatDay(used)}`}
              </span>
            </span>
            {!current && (
              <button type="button" className="button quiet" onClick={() => end(id)}>
                End<span className="unseen"> the session in {browserName(device)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Loads the sessions of the user when the component is mounted, and whenever `load` is called. */
function useSessions(client: AccountClient) {
  const [sessions, setSessions] = useState<readonly SessionInfo[]>()
  const [error, setError] = useState<Error>()
  const load = useCallback(() => {
    setError(undefined)
    client.listSessions().then(setSessions, setError)
  }, [client])
  useEffect(load, [load])
  return { sessions, error, load }
}

const formatDay = (iso: string): string =>
  new Date(iso).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
