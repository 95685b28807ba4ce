import { storedProfile, watchProfile } from '@weft/client/account'
import { useSyncExternalStore } from 'react'

/** The way to sign in, or to one's account. */
export function AccountLink() {
  const known = useSyncExternalStore(watchProfile, isKnown, isKnown)
  return known ? <a href="/account">Account</a> : <a href="/login">Sign in</a>
}

const isKnown = () => storedProfile() !== undefined
