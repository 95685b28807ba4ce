import { getStoredProfile, onProfileChange, type Profile } from '@weft/client/account'
import { useSyncExternalStore } from 'react'

/** The signed-in user of the console. */
export interface Session {
  readonly email: string
  /** Undefined if the stored profile does not contain it. */
  readonly userId: number | undefined
  readonly isAdmin: boolean
}

/** Returns the signed-in user; undefined for guests. Follows sign-ins and sign-outs in other tabs. */
export function useSession(): Session | undefined {
  return useSyncExternalStore(onProfileChange, currentSession)
}

let last: { readonly text: string; readonly session: Session | undefined } = {
  text: '',
  session: undefined,
}

/** Returns the same object until the content changes. */
export function currentSession(): Session | undefined {
  const session = sessionOf(getStoredProfile())
  const text = JSON.stringify(session) ?? ''
  if (text !== last.text) last = { text, session }
  return last.session
}

function sessionOf(profile: Profile | undefined): Session | undefined {
  if (!profile) return undefined
  const { email, entity, roles } = profile
  return { email, userId: entity[0]?.userId, isAdmin: roles.includes('admin') }
}
