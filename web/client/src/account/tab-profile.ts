/** The signed-in user, without the tokens that would let another page act for them. */
export interface TabProfile {
  readonly email: string
  readonly userId: number
  readonly userConcept: number
  readonly entityId: number
  readonly roles: readonly string[]
}

/** The profile that `saveTabProfile` keeps for this tab, and the session storage key of its encrypted copy. */
export const tabProfile: { current: TabProfile | undefined; readonly storageKey: string } = {
  current: undefined,
  storageKey: 'ccs_profile',
}

/** Removes the profile that `saveTabProfile` keeps. `signOut` of the account also does this. */
export function clearTabProfile(): void {
  tabProfile.current = undefined
  try {
    sessionStorage.removeItem(tabProfile.storageKey)
  } catch {}
}
