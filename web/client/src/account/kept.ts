/** Who is signed in, without anything that would let somebody act as them. */
export interface Person {
  readonly email: string
  readonly userId: number
  readonly userConcept: number
  readonly entityId: number
  readonly roles: readonly string[]
}

/** Who `keepProfile` of the services keeps in this tab, and where they are encrypted. They go with the account. */
export const kept: { person: Person | undefined; readonly name: string } = {
  person: undefined,
  name: 'ccs_profile',
}

/** Forgets who is signed in in this tab. `signOut` of the account does so too. */
export function forgetProfile(): void {
  kept.person = undefined
  try {
    sessionStorage.removeItem(kept.name)
  } catch {}
}
