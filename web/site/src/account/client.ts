import {
  createAccountClient,
  getStoredProfile,
  onProfileChange,
  type Profile,
} from '@weft/client/account'
import { useSyncExternalStore } from 'react'

/** The account client for the server of this site. */
export const account = createAccountClient(location.origin)

/** Returns the profile of the signed-in user; undefined for guests. Follows sign-ins in other tabs. */
export function useProfile(): Profile | undefined {
  return useSyncExternalStore(onProfileChange, currentProfile, currentProfile)
}

let last: { text: string; profile: Profile | undefined } = { text: '', profile: undefined }

/** Returns the same object until the content changes, as useSyncExternalStore requires. */
function currentProfile(): Profile | undefined {
  const profile = getStoredProfile()
  const text = JSON.stringify(profile) ?? ''
  if (text !== last.text) last = { text, profile }
  return last.profile
}
