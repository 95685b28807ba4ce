import { type Profile, storedProfile, watchProfile } from '@weft/client/account'
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useWeft } from './provider.tsx'

export interface Session {
  /** The id of whoever the client writes as; undefined while nobody is signed in. */
  readonly user: string | undefined
  /** Who that is, as the account says, without the token. Undefined where the client got its token in another way. */
  readonly profile: Omit<Profile, 'token'> | undefined
  /** The server wants to know who is writing, or refused the token: somebody is to sign in. */
  readonly needsToken: boolean
}

/**
 * Who is signed in, in this tab or another one, now and after every change. `signedOut` is called after somebody was
 * signed in and nobody is any more, or somebody else, for what the page keeps besides the client.
 */
export function useSession(signedOut?: () => void): Session {
  const weft = useWeft()
  const subscribe = useCallback(
    (changed: () => void) => {
      const leaves = [watchProfile(changed), weft.sync.subscribe(changed)]
      return () => {
        for (const leave of leaves) leave()
      }
    },
    [weft],
  )
  const said = useSyncExternalStore(
    subscribe,
    () => say(weft.user, weft.sync.get().needsToken),
    () => nobody,
  )
  const session = useMemo(() => JSON.parse(said) as Session, [said])

  const left = useRef(signedOut)
  useEffect(() => {
    left.current = signedOut
  })
  const before = useRef(session.user)
  useEffect(() => {
    if (before.current !== undefined && before.current !== session.user) left.current?.()
    before.current = session.user
  }, [session.user])
  return session
}

/** As a text, which is the same as long as it says the same. */
function say(user: string | undefined, needsToken: boolean): string {
  const { token: _, ...profile } = (user === undefined ? undefined : storedProfile()) ?? {}
  const known = Object.keys(profile).length > 0 ? profile : undefined
  return JSON.stringify({ user, profile: known, needsToken })
}

const nobody = JSON.stringify({ needsToken: false })
