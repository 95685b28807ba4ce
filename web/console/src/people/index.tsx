import { useConsole } from '../model/console.tsx'
import { useLocation } from '../model/router.ts'
import { type Section, SectionRoom } from '../parts/sections.tsx'
import { Empty } from '../parts/states.tsx'
import { Audit } from './audit.tsx'
import { AllKeys, OwnKeys } from './keys.tsx'
import { AllSessions, OwnSessions } from './sessions.tsx'
import { UserPage } from './user-page.tsx'
import { UserList } from './users.tsx'

const ownSections: readonly Section[] = [
  { id: 'my-sessions', label: 'Your sessions' },
  { id: 'my-keys', label: 'Your keys' },
]

const adminSections: readonly Section[] = [
  { id: 'users', label: 'Users' },
  { id: 'admins', label: 'Admins' },
  { id: 'sessions', label: 'Sessions' },
  { id: 'keys', label: 'Keys' },
  { id: 'audit', label: 'Audit log' },
]

/**
 * The room People. Every user sees their own sessions and keys; admins also see those of all users, and the audit log.
 *
 *   /people/users?q=&state=&after=    one page of the list of users
 *   /people/users/12                  one user
 *   /people/SECTION                   the section with this id
 */
export function Room() {
  const { isAdmin } = useConsole()
  const { rest } = useLocation()
  const groups = isAdmin
    ? [
        { title: 'People', sections: adminSections },
        { title: 'You', sections: ownSections },
      ]
    : [{ title: 'You', sections: ownSections }]
  const section = rest[0] ?? (isAdmin ? 'users' : 'my-sessions')
  return (
    <SectionRoom
      room="people"
      title="People"
      groups={groups}
      current={section}
      footer={isAdmin ? undefined : 'You see your own sessions and keys.'}
    >
      <Content section={section} id={rest[1]} isAdmin={isAdmin} />
    </SectionRoom>
  )
}

function Content({
  section,
  id,
  isAdmin,
}: {
  section: string
  id: string | undefined
  isAdmin: boolean
}) {
  if (section === 'my-sessions') return <OwnSessions />
  if (section === 'my-keys') return <OwnKeys />
  if (!isAdmin || !adminSections.some(({ id }) => id === section)) return <Missing />
  if (section === 'users' && id !== undefined) return <UserPage key={id} id={id} />
  if (section === 'users') return <UserList />
  if (section === 'admins') return <UserList state="admin" />
  if (section === 'sessions') return <AllSessions />
  return section === 'keys' ? <AllKeys /> : <Audit />
}

const Missing = () => (
  <Empty title="There is no such page, or you may not see it">
    <p>Choose a section of People.</p>
  </Empty>
)
