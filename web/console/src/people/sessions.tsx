import { browserName } from '../../../site/src/shared/browser-name.ts'
import { useConsole } from '../model/console.tsx'
import { type Load, useLoad } from '../model/load.ts'
import type { Page } from '../model/request.ts'
import { useLocation } from '../model/router.ts'
import { useRun } from '../model/run.ts'
import { ago, dateText } from '../model/times.ts'
import { Link } from '../parts/link.tsx'
import { Listing } from '../parts/listing.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { endSession, loadOwn, loadSessions, sessionsPath, type UserSession } from './people.ts'

/** The caller's sessions. */
export function OwnSessions() {
  const load = useLoad('/api/auth/sessions', loadOwn<UserSession>)
  return (
    <>
      <div className="bar">
        <h1 className="title">Your sessions</h1>
      </div>
      <div className="page">
        <SessionTable load={load} />
      </div>
    </>
  )
}

/** The sessions of all users, for admins. */
export function AllSessions() {
  const { params } = useLocation()
  const load = useLoad(sessionsPath(undefined, params.get('after') ?? ''), loadSessions)
  return (
    <>
      <div className="bar">
        <h1 className="title">Sessions</h1>
      </div>
      <div className="page">
        <SessionTable load={load} hasUsers />
      </div>
    </>
  )
}

/** A table of sessions. Each has a button that ends it, except the session of this browser: signing out ends that one. */
export function SessionTable({
  load,
  hasUsers = false,
}: {
  load: Load<Page<UserSession>>
  hasUsers?: boolean
}) {
  const { announce } = useConsole()
  const run = useRun()
  const end = (session: UserSession) =>
    run(async () => {
      await endSession(session)
      await load.reload()
      announce(`The session in ${browserName(session.device)} has ended`)
    })
  const columns: Column<UserSession>[] = [
    {
      name: 'Device',
      cell: ({ device, current }) => (
        <span title={device}>
          {browserName(device)}
          {current && <span className="soft"> (this browser)</span>}
        </span>
      ),
    },
    { name: 'Last used', cell: ({ used }) => ago(used) },
    { name: 'Signed in', cell: ({ created }) => dateText(created) },
    { name: 'Ends', cell: ({ expires }) => dateText(expires) },
    {
      name: 'Actions',
      cell: (session) =>
        session.current ? undefined : (
          <button
            type="button"
            className="button quiet"
            aria-label={`End the session in ${browserName(session.device)}`}
            onClick={() => void end(session)}
          >
            End
          </button>
        ),
    },
  ]
  if (hasUsers) columns.unshift({ name: 'User', cell: userLink })
  return (
    <Listing
      label="Sessions"
      load={load}
      columns={columns}
      keyOf={({ id }) => id}
      empty={<Empty title="No sessions" />}
    />
  )
}

/** A link to the page of the user of a row. */
export function userLink({ user, email }: { readonly user?: number; readonly email?: string }) {
  return (
    <Link className="underline" to={`/people/users/${user}`}>
      {email || `deleted user ${user}`}
    </Link>
  )
}
