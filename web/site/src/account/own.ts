import { createAccount, type Profile, storedProfile, watchProfile } from '@weft/client/account'
import { useSyncExternalStore } from 'react'

/** The account at the server of this site. */
export const account = createAccount(location.origin)

/** Who is signed in, in whichever tab that happened. */
export function useProfile(): Profile | undefined {
  return useSyncExternalStore(watchProfile, latest, latest)
}

let last: { text: string; profile: Profile | undefined } = { text: '', profile: undefined }

/** The same object as long as it says the same. */
function latest(): Profile | undefined {
  const profile = storedProfile()
  const text = JSON.stringify(profile) ?? ''
  if (text !== last.text) last = { text, profile }
  return last.profile
}
