import { useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { type Load, useLoad } from '../model/load.ts'
import { namesOf } from '../model/names.ts'
import type { Page } from '../model/request.ts'
import { useLocation } from '../model/router.ts'
import { ago, dateText } from '../model/times.ts'
import { Irreversible } from '../parts/irreversible.tsx'
import { Listing } from '../parts/listing.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { NewKey } from './new-key.tsx'
import { type ApiKey, keysPath, loadKeys, loadOwn, revokeKey, rightsOf } from './people.ts'
import { userLink } from './sessions.tsx'

/** The caller's keys. */
export function OwnKeys() {
  const load = useLoad('/api/auth/keys', loadOwn<ApiKey>)
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <div className="bar">
        <h1 className="title">Your keys</h1>
        <span className="grow" />
        <button type="button" className="button" onClick={() => setAdding(true)}>
          New key
        </button>
      </div>
      <div className="page">
        <KeyTable load={load} />
      </div>
      <NewKey
        isOpen={isAdding}
        close={() => setAdding(false)}
        user={undefined}
        created={load.reload}
      />
    </>
  )
}

/** The keys of all users, for admins. */
export function AllKeys() {
  const { params } = useLocation()
  const load = useLoad(keysPath(undefined, params.get('after') ?? ''), loadKeys)
  return (
    <>
      <div className="bar">
        <h1 className="title">Keys</h1>
      </div>
      <div className="page">
        <KeyTable load={load} hasUsers />
      </div>
    </>
  )
}

/** A table of keys. Each has a button that revokes it, after the user has typed its name. */
export function KeyTable({
  load,
  hasUsers = false,
}: {
  load: Load<Page<ApiKey>>
  hasUsers?: boolean
}) {
  const { announce } = useConsole()
  const [revoking, setRevoking] = useState<ApiKey>()
  const revoke = async (key: ApiKey) => {
    await revokeKey(key)
    announce(`The key ${key.name} was revoked`)
    await load.reload()
  }
  return (
    <>
      <Listing
        label="Keys"
        load={load}
        columns={columnsOf(hasUsers, setRevoking)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No keys">
            <p>A key lets a program act as a user without the password of the user.</p>
          </Empty>
        }
      />
      <Irreversible
        title="Revoke a key"
        name={revoking?.name ?? ''}
        button="Revoke the key"
        isOpen={revoking !== undefined}
        close={() => setRevoking(undefined)}
        run={() => (revoking ? revoke(revoking) : Promise.resolve())}
      >
        Programs that use the key are refused from now on.
      </Irreversible>
    </>
  )
}

const typeName = (type: string): string => namesOf(type).many

function columnsOf(hasUsers: boolean, revoke: (key: ApiKey) => void): readonly Column<ApiKey>[] {
  const columns: Column<ApiKey>[] = [
    { name: 'Name', cell: ({ name }) => name },
    { name: 'Permissions', cell: (key) => rightsOf(key, typeName) },
    { name: 'Expires', cell: ({ expires }) => (expires ? dateText(expires) : 'never') },
    { name: 'Last used', cell: ({ used }) => (used ? ago(used) : 'never') },
    { name: 'Created', cell: ({ created }) => dateText(created) },
    {
      name: 'Actions',
      cell: (key) => (
        <button
          type="button"
          className="button quiet"
          aria-label={`Revoke the key ${key.name}`}
          onClick={() => revoke(key)}
        >
          Revoke
        </button>
      ),
    },
  ]
  if (hasUsers) columns.unshift({ name: 'User', cell: userLink })
  return columns
}
