import { useSession, useSyncStatus } from '@weft/react'
import { Companies } from './companies.tsx'
import { Contacts } from './contacts.tsx'
import { SignIn } from './sign-in.tsx'
import { UndoBar } from './undo.tsx'
import { account } from './weft.ts'

export function App() {
  const { profile } = useSession()
  if (!profile) return <SignIn />
  return (
    <main>
      <h1>CRM</h1>
      <p className="bar">
        {profile.email}
        <button type="button" onClick={() => void account.signOut()}>
          Sign out
        </button>
        <SyncStatus />
      </p>
      <UndoBar />
      <Contacts />
      <Companies />
    </main>
  )
}

/** Shows whether all changes are on the server. A refused change stays listed, with the reason. */
function SyncStatus() {
  const { state, pending, failed } = useSyncStatus()
  if (failed.length > 0) return <span role="alert">{failed[0]?.error?.message}</span>
  if (state === 'offline') return <span>Offline, {pending} changes to send</span>
  return <span>{pending > 0 ? 'Sending…' : 'All changes are saved'}</span>
}
