import { useSession } from '@weft/react'
import { SignIn } from './sign-in.tsx'
import { SignOut } from './sign-out.tsx'
import { SyncBadge } from './sync-badge.tsx'
import { Todos } from './todos.tsx'

/** Todos of whoever is signed in, in this tab or another one. */
export function App() {
  const email = useSession().profile?.email
  if (email === undefined) return <SignIn />
  return (
    <div className="page">
      <header>
        <h1>Todos</h1>
        <p className="who">{email}</p>
        <SignOut />
      </header>
      <main>
        <SyncBadge />
        <Todos key={email} />
      </main>
    </div>
  )
}
