import { useSession } from '@weft/react'
import { SignIn } from './sign-in.tsx'
import { SignOut } from './sign-out.tsx'
import { SyncBadge } from './sync-badge.tsx'
import { Todos } from './todos.tsx'

/** Shows the todos of the signed-in user, or the sign-in form. Follows sign-in and sign-out in other tabs. */
export function App() {
  const email = useSession().profile?.email
  if (email === undefined) return <SignIn />
  return (
    <div className="page">
      <header>
        <h1>Todos</h1>
        <p className="user">{email}</p>
        <SignOut />
      </header>
      <main>
        <SyncBadge />
        {/* The key resets the filter and the undo history for another user. */}
        <Todos key={email} />
      </main>
    </div>
  )
}
