import type { Client } from '../api.ts'
import { type Inside, insideOf } from '../inside.ts'
import type { Account } from './account.ts'
import { forgetProfile } from './kept.ts'
import { storedProfile, watchProfile } from './profile.ts'

/**
 * Gives a client the token of whoever is signed in, now and whenever that changes, and renews it before
 * it runs out, and when the server refuses it. Returns how to stop.
 */
export function keepSigned(account: Account, client: Pick<Client, 'setToken'>): () => void {
  const { http }: Partial<Inside> = insideOf(client as Client) ?? {}
  const renewing = () => account.refresh()
  if (http) http.renew ??= renewing
  let timer: ReturnType<typeof setTimeout> | undefined
  let least = 0
  let stopped = false
  let given: string | undefined
  let user: number | undefined
  const follow = () => {
    const profile = storedProfile()
    // Another tab may have signed out, also while this one slept.
    if (!profile || (user !== undefined && user !== profile.userConcept)) forgetProfile()
    user = profile?.userConcept
    if (profile?.token !== given) client.setToken(profile?.token)
    given = profile?.token
    clearTimeout(timer)
    const left = Date.parse(profile?.expires ?? '') - Date.now() - margin
    if (Number.isNaN(left)) return
    timer = setTimeout(renew, Math.min(Math.max(left, least), longest))
  }
  const renew = () => {
    // By a clock that is ahead every token has run out.
    least = margin
    account.refresh().catch(() => {
      if (!stopped) timer = setTimeout(renew, margin)
    })
  }
  const unwatch = watchProfile(follow)
  follow()
  return () => {
    stopped = true
    if (http?.renew === renewing) http.renew = undefined
    unwatch()
    clearTimeout(timer)
  }
}

/** How long before its end a token is renewed, and at least between two times, in milliseconds. */
const margin = 30_000
/** Timers cannot wait longer than 2^31 milliseconds. */
const longest = 2 ** 31 - 1
