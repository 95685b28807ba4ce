import { useState } from 'react'
import { useLoad } from '../model/load.ts'
import { setParams, useLocation } from '../model/router.ts'
import { dateText } from '../model/times.ts'
import { Link } from '../parts/link.tsx'
import { Listing } from '../parts/listing.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { NewUser } from './new-user.tsx'
import { loadUsers, type User, usersPath } from './people.ts'

/** Returns the state of an account in words. */
export const stateOf = ({ disabled }: User): string => (disabled ? 'disabled' : 'active')

const columns: readonly Column<User>[] = [
  {
    name: 'E-mail',
    cell: ({ id, email }) => (
      <Link className="underline" to={`/people/users/${id}`}>
        {email}
      </Link>
    ),
  },
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Role', cell: ({ admin }) => (admin ? 'admin' : 'user') },
  { name: 'State', cell: stateOf },
  { name: 'Created', cell: ({ created }) => dateText(created) },
  { name: 'Address confirmed', cell: ({ confirmed }) => (confirmed ? dateText(confirmed) : 'no') },
]

/** The list of users, all or those in one state. */
export function UserList({ state: fixed }: { state?: 'admin' }) {
  const { params } = useLocation()
  const text = params.get('q') ?? ''
  const state = fixed ?? params.get('state') ?? ''
  const load = useLoad(usersPath(text, state, params.get('after') ?? ''), loadUsers)
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">{fixed ? 'Admins' : 'Users'}</h1>
        <SearchField label="Search by e-mail or name" text={text} />
        {!fixed && <StateFilter state={state} />}
        <span className="grow" />
        <button type="button" className="button" onClick={() => setAdding(true)}>
          New user
        </button>
      </div>
      <div className="page">
        <Listing
          label={fixed ? 'Admins' : 'Users'}
          load={load}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<NoUsers text={text} />}
        />
      </div>
      <NewUser isOpen={isAdding} close={() => setAdding(false)} isAdmin={fixed === 'admin'} />
    </>
  )
}

function StateFilter({ state }: { state: string }) {
  return (
    <select
      className="input filter"
      aria-label="State"
      value={state}
      onChange={(event) => setParams({ state: event.target.value, after: undefined })}
    >
      <option value="">All</option>
      <option value="admin">Admins</option>
      <option value="disabled">Disabled</option>
    </select>
  )
}

function NoUsers({ text }: { text: string }) {
  if (text === '') return <Empty title="No users" />
  return (
    <Empty title={`No user matches “${text}”`}>
      <p>The search looks for the text in e-mail addresses and names.</p>
      <p className="acts">
        <button
          type="button"
          className="button quiet"
          onClick={() => setParams({ q: undefined, state: undefined, after: undefined })}
        >
          Show all users
        </button>
      </p>
    </Empty>
  )
}
