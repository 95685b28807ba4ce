import { getStoredProfile, onProfileChange, type Profile } from '@weft/client/account'
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useWeft } from './provider.tsx'

export interface Session {
  /** Id of the signed-in user of the client; undefined while no user is signed in. */
  readonly user: string | undefined
  /**
   * The profile of the user without the token; undefined if the client did not get its token from an account client.
   */
  readonly profile: Omit<Profile, 'token'> | undefined
  /** Whether the user must sign in: the server requires a user for writes, or has refused the token. */
  readonly needsToken: boolean
}

/**
 * Returns the signed-in user and renders again after every sign-in and sign-out, in this tab or another one.
 *
 * `onSignedOut` runs after a user signed out, or was replaced by another user. Use it to clear data that the page keeps
 * outside the client.
 */
export function useSession(onSignedOut?: () => void): Session {
  const weft = useWeft()
  const subscribe = useCallback(
    (onChange: () => void) => {
      const unsubscribes = [onProfileChange(onChange), weft.sync.subscribe(onChange)]
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe()
      }
    },
    [weft],
  )
  const snapshot = useSyncExternalStore(
    subscribe,
    () => serializeSession(weft.user, weft.sync.get().needsToken),
    () => signedOutSession,
  )
  const session = useMemo(() => JSON.parse(snapshot) as Session, [snapshot])

  const latestOnSignedOut = useRef(onSignedOut)
  useEffect(() => {
    latestOnSignedOut.current = onSignedOut
  })
  const previousUser = useRef(session.user)
  useEffect(() => {
    if (previousUser.current !== undefined && previousUser.current !== session.user)
      latestOnSignedOut.current?.()
    previousUser.current = session.user
  }, [session.user])
  return session
}

/** Encodes the session as JSON, so that equal sessions are equal snapshots. */
function serializeSession(user: string | undefined, needsToken: boolean): string {
  const { token: _, ...profile } = (user === undefined ? undefined : getStoredProfile()) ?? {}
  const storedFields = Object.keys(profile).length > 0 ? profile : undefined
  return JSON.stringify({ user, profile: storedFields, needsToken })
}

const signedOutSession = JSON.stringify({ needsToken: false })
