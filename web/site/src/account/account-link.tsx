import { getStoredProfile, onProfileChange } from '@weft/client/account'
import { useSyncExternalStore } from 'react'

/** Links to the sign-in page, or to the account page of a signed-in user. */
export function AccountLink() {
  const signedIn = useSyncExternalStore(onProfileChange, isSignedIn, isSignedIn)
  return signedIn ? <a href="/account">Account</a> : <a href="/login">Sign in</a>
}

const isSignedIn = () => getStoredProfile() !== undefined
