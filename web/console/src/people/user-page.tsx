import { useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { useLoad } from '../model/load.ts'
import { navigate } from '../model/router.ts'
import { useRun } from '../model/run.ts'
import { dateText } from '../model/times.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Irreversible } from '../parts/irreversible.tsx'
import { Link } from '../parts/link.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { KeyTable } from './keys.tsx'
import { NewKey } from './new-key.tsx'
import { ResetLinkText } from './new-user.tsx'
import {
  deleteUser,
  endSessions,
  hasOtherAdmin,
  keysPath,
  loadKeys,
  loadSessions,
  loadUser,
  makeResetLink,
  type ResetLink,
  sessionsPath,
  setAdmin,
  setDisabled,
  type User,
} from './people.ts'
import { SessionTable } from './sessions.tsx'
import { stateOf } from './users.tsx'

/** The page of a user: account, sessions and keys. */
export function UserPage({ id }: { id: string }) {
  const { status, data: user, error, reload } = useLoad(`/user/${id}`, loadUser)
  if (status === 'error' && !user) return <Failed error={error} retry={() => void reload()} />
  if (status === 'loading') return <Loading>Still loading the user.</Loading>
  if (!user)
    return (
      <Empty title="There is no such user">
        <p className="acts">
          <Link className="button quiet" to="/people/users">
            All users
          </Link>
        </p>
      </Empty>
    )
  return (
    <>
      <div className="bar">
        <h1 className="title">{user.email}</h1>
        <span className="grow" />
        <Link className="button quiet" to="/people/users">
          All users
        </Link>
      </div>
      <div className="page">
        <Account user={user} reload={reload} />
        <Sessions user={user} />
        <Keys user={user} />
      </div>
    </>
  )
}

function Account({ user, reload }: { user: User; reload: () => Promise<void> }) {
  return (
    <section className="section b">
      <h2>Account</h2>
      <dl className="facts">
        {user.name !== '' && (
          <>
            <dt>Name</dt>
            <dd>{user.name}</dd>
          </>
        )}
        <dt>Role</dt>
        <dd>{user.admin ? 'admin: all records, people and the server' : 'user'}</dd>
        <dt>State</dt>
        <dd>{stateOf(user)}</dd>
        <dt>Created</dt>
        <dd>{dateText(user.created)}</dd>
        <dt>Address confirmed</dt>
        <dd>{user.confirmed ? dateText(user.confirmed) : 'no'}</dd>
      </dl>
      <AccountActions user={user} reload={reload} />
    </section>
  )
}

/** The actions on an account, without actions that would leave the server without an admin. */
function AccountActions({ user, reload }: { user: User; reload: () => Promise<void> }) {
  // The path is only a key, which changes with the state of the user.
  const { data: hasOther } = useLoad(`/other/${user.id}/${user.admin}/${user.disabled}`, () =>
    hasOtherAdmin(user),
  )
  const { change, isSelf } = useAccountChange(user, reload)
  const isNeeded = user.admin && hasOther !== true
  return (
    <div className="acts">
      {!(isNeeded || isSelf) && (
        <button type="button" className="button quiet" onClick={change.role}>
          {user.admin ? 'Remove the admin role' : 'Make an admin'}
        </button>
      )}
      {!(isNeeded || isSelf) && (
        <button type="button" className="button quiet" onClick={change.access}>
          {user.disabled ? 'Enable the account' : 'Disable the account'}
        </button>
      )}
      {!user.disabled && <NewPassword user={user} />}
      {!(isNeeded || isSelf) && <DeleteAccount user={user} />}
      {isNeeded && hasOther === false && (
        <p className="soft">The last admin cannot lose the role.</p>
      )}
      {isSelf && (
        <a className="underline" href="/account">
          Change your own account on its page
        </a>
      )}
    </div>
  )
}

/** Returns the changes of role and access, which can be undone. */
function useAccountChange(user: User, reload: () => Promise<void>) {
  const { undo, session } = useConsole()
  const run = useRun()
  const switchTo = (
    set: (id: number, on: boolean) => Promise<unknown>,
    on: boolean,
    label: string,
  ) => {
    const apply = async (to: boolean) => {
      await set(user.id, to)
      await reload()
    }
    void run(async () => {
      await apply(on)
      undo.push({ label, undo: () => apply(!on), redo: () => apply(on) })
    })
  }
  return {
    isSelf: user.email === session.email,
    change: {
      role: () =>
        switchTo(
          setAdmin,
          !user.admin,
          user.admin ? `${user.email} is no longer an admin` : `${user.email} is an admin`,
        ),
      access: () =>
        switchTo(
          setDisabled,
          !user.disabled,
          user.disabled ? `${user.email} is enabled` : `${user.email} is disabled and signed out`,
        ),
    },
  }
}

function NewPassword({ user }: { user: User }) {
  const [reset, setReset] = useState<ResetLink>()
  const run = useRun()
  return (
    <>
      <button
        type="button"
        className="button quiet"
        onClick={() => void run(async () => setReset(await makeResetLink(user.id)))}
      >
        Link for a new password
      </button>
      <Dialog
        title="Link for a new password"
        isOpen={reset !== undefined}
        close={() => setReset(undefined)}
        className="narrow"
      >
        {reset && <ResetLinkText reset={reset} done={() => setReset(undefined)} />}
      </Dialog>
    </>
  )
}

function DeleteAccount({ user }: { user: User }) {
  const { announce } = useConsole()
  const [isOpen, setOpen] = useState(false)
  const remove = async () => {
    await deleteUser(user.id)
    announce(`The account of ${user.email} was deleted`)
    navigate('/people/users', { replace: true })
  }
  return (
    <>
      <button type="button" className="button quiet danger" onClick={() => setOpen(true)}>
        Delete the account
      </button>
      <Irreversible
        title="Delete an account"
        name={user.email}
        button="Delete the account"
        isOpen={isOpen}
        close={() => setOpen(false)}
        run={remove}
      >
        The account, its sessions, its keys and its private records are removed.
      </Irreversible>
    </>
  )
}

function Sessions({ user }: { user: User }) {
  const { announce } = useConsole()
  const run = useRun()
  const load = useLoad(sessionsPath(user.id, ''), loadSessions)
  const others = load.data?.rows.filter(({ current }) => !current) ?? []
  const endAll = () =>
    run(async () => {
      await endSessions(user.id)
      await load.reload()
      announce(`All sessions of ${user.email} have ended`)
    })
  return (
    <section className="section a">
      <h2>Sessions</h2>
      <SessionTable load={load} />
      {others.length > 1 && others.length === load.data?.rows.length && (
        <p className="acts">
          <button type="button" className="button quiet" onClick={() => void endAll()}>
            End all {others.length} sessions
          </button>
        </p>
      )}
    </section>
  )
}

function Keys({ user }: { user: User }) {
  const load = useLoad(keysPath(user.id, ''), loadKeys)
  const [isAdding, setAdding] = useState(false)
  return (
    <section className="section d">
      <h2>Keys</h2>
      <KeyTable load={load} />
      <p className="acts">
        <button type="button" className="button quiet" onClick={() => setAdding(true)}>
          New key
        </button>
      </p>
      <NewKey
        isOpen={isAdding}
        close={() => setAdding(false)}
        user={user.id}
        created={load.reload}
      />
    </section>
  )
}
