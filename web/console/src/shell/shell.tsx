import { WeftProvider } from '@weft/react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { client } from '../model/client.ts'
import { ConsoleProvider, keys, undo } from '../model/console.tsx'
import { currentSession, type Session, useSession } from '../model/session.ts'
import type { EndedSession } from './ended-session.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { Frame } from './frame.tsx'
import type { RoomEntry } from './room.ts'

const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }))

/**
 * The console: sign-in, and the frame with the rooms.
 *
 *   shell.tsx           the session: guests see sign-in
 *   frame.tsx           bar, status line and the open room
 *   top-bar.tsx, room-bar.tsx   rooms at the top, on phones at the bottom
 *   status-line.tsx     sync state, last change with Undo, summary
 *   layers.tsx          the palette of all actions, the sheet of keys, the list of changes
 *   shell-keys.ts       the keys of the shell
 *
 * The contract of a room is in `model/console.tsx`.
 */
export function Shell({ rooms }: { rooms: readonly RoomEntry[] }) {
  const session = useSession()
  const ended = useEndedSession(session)
  useEffect(() => {
    const handle = (event: KeyboardEvent) => keys.handle(event)
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [])
  return (
    <ErrorBoundary>
      <WeftProvider client={client}>
        {session ? (
          <ConsoleProvider session={session} key={session.userId}>
            <Frame rooms={rooms} />
          </ConsoleProvider>
        ) : (
          <Suspense>
            <SignIn ended={ended} />
          </Suspense>
        )}
      </WeftProvider>
    </ErrorBoundary>
  )
}

/**
 * Returns the session that ended in this tab; undefined while a user is signed in. If the user signs out, the page is
 * loaded again, which forgets that session. Clears the undo list when another user signs in.
 */
function useEndedSession(session: Session | undefined): EndedSession | undefined {
  const previous = useRef<Session | undefined>(session)
  const waiting = useRef(0)
  useEffect(() => {
    if (previous.current?.userId !== session?.userId && session) undo.clear()
    if (session) previous.current = session
    const count = () => {
      if (currentSession()) waiting.current = client.sync.get().pending
    }
    count()
    return client.sync.subscribe(count)
  }, [session])
  const ended = session ? undefined : previous.current
  return ended && { email: ended.email, waiting: waiting.current }
}
