import type { Client } from '../api.ts'
import { type Internals, internalsOf } from '../internals.ts'
import type { AccountClient } from './account.ts'
import { getStoredProfile, onProfileChange } from './stored-profile.ts'
import { clearTabProfile } from './tab-profile.ts'

/** A token is renewed this long before it expires, in milliseconds. Also the minimum time between two renewals. */
const renewalMarginMs = 30_000
/** Maximum delay of a timer in browsers, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Keeps a client signed in as the user of the account: passes each new token to the client, and renews the token before
 * it expires or when the server refuses it. Returns a function that stops this.
 */
export function keepClientSignedIn(
  account: AccountClient,
  client: Pick<Client, 'setToken'>,
): () => void {
  const { http }: Partial<Internals> = internalsOf(client as Client) ?? {}
  const renewToken = () => account.refreshSession()
  if (http) http.renewToken ??= renewToken
  let timer: ReturnType<typeof setTimeout> | undefined
  let minDelayMs = 0
  let isStopped = false
  let passedToken: string | undefined
  let user: number | undefined
  const onChange = () => {
    const profile = getStoredProfile()
    // Another tab may have signed out, possibly while this one was suspended.
    if (!profile || (user !== undefined && user !== profile.userConcept)) clearTabProfile()
    user = profile?.userConcept
    if (profile?.token !== passedToken) client.setToken(profile?.token)
    passedToken = profile?.token
    clearTimeout(timer)
    const delayMs = Date.parse(profile?.expires ?? '') - Date.now() - renewalMarginMs
    if (Number.isNaN(delayMs)) return
    timer = setTimeout(renew, Math.min(Math.max(delayMs, minDelayMs), maxTimerMs))
  }
  const renew = () => {
    // If the clock of this device is fast, every new token seems to have expired. The minimum prevents a loop.
    minDelayMs = renewalMarginMs
    account.refreshSession().catch(() => {
      if (!isStopped) timer = setTimeout(renew, renewalMarginMs)
    })
  }
  const unsubscribe = onProfileChange(onChange)
  onChange()
  return () => {
    isStopped = true
    if (http?.renewToken === renewToken) http.renewToken = undefined
    unsubscribe()
    clearTimeout(timer)
  }
}
