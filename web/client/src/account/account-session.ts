import { WeftError } from '../model/error.ts'
import {
  decodeProfile,
  decodeSession,
  type JsonRecord,
  postJson,
  readResponse,
  sendRequest,
} from './auth-request.ts'
import {
  getStoredProfile,
  getStoredRefreshToken,
  type Profile,
  storeSession,
} from './stored-profile.ts'

/*
 * The session of the signed-in user, shared by all tabs through `stored-profile.ts`.
 *
 *   signed out ──signIn──▶ signed in ──token refused or about to expire──▶ renewing
 *   renewing ──new tokens──▶ signed in
 *   renewing ──no response──▶ signed in, with the old token
 *   renewing ──refused, or no refresh token──▶ signed out
 *   any state ──signOut, in any tab──▶ signed out
 *
 * A Web Lock serialises renewals, because using a refresh token twice ends the session. A tab that acquires the lock
 * after another tab renewed the token uses the new one. If the user signs in or out during a renewal, the result of the
 * renewal is discarded.
 */
export class AccountSession {
  readonly #url: string
  /** The renewal under way in this tab; undefined while there is none. */
  #renewal: Promise<Profile | undefined> | undefined

  /** @param url origin of the server */
  constructor(url: string) {
    this.#url = url
  }

  async signIn(email: string, password: string): Promise<Profile> {
    const session = decodeSession(
      await this.post('/api/auth/login', { email, password, refresh: true }),
    )
    storeSession(session)
    return session.profile
  }

  /**
   * Removes the stored session, then ends it on the server. Without a network, the server ends it when its tokens
   * expire.
   */
  async signOut(): Promise<void> {
    const token = getStoredProfile()?.token
    storeSession(undefined)
    if (token === undefined) return
    await sendRequest(this.#url, '/api/auth/logout', { method: 'POST' }, token).catch(() => {})
  }

  /** Sends a request without a token. */
  post(path: string, body: unknown): Promise<JsonRecord> {
    return postJson(this.#url, path, body)
  }

  /** Sends a request with the token and reads the JSON of the response. */
  async request(path: string, init?: RequestInit): Promise<JsonRecord> {
    return readResponse(await this.fetch(path, init))
  }

  /** Sends a request with the token. After a 401 the token is renewed and the request repeated, once. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const token = getStoredProfile()?.token
    const response = await sendRequest(this.#url, path, init, token)
    if (response.status !== 401 || token === undefined) return response
    const renewed = await this.renew(token)
    return renewed === undefined ? response : sendRequest(this.#url, path, init, renewed.token)
  }

  /**
   * Renews the token, unless another tab has replaced `token` already. Concurrent calls share one renewal. Resolves
   * with undefined when the session has ended; rejects, for example without a network, with the session unchanged.
   */
  renew(token: string | undefined): Promise<Profile | undefined> {
    this.#renewal ??= runExclusively(() => this.#renewNow(token)).finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #renewNow(token: string | undefined): Promise<Profile | undefined> {
    const profile = getStoredProfile()
    if (profile?.token !== token) return profile
    const refreshtoken = getStoredRefreshToken()
    if (refreshtoken === undefined) return endSession()
    const wasReplaced = () => getStoredRefreshToken() !== refreshtoken
    try {
      const session = decodeSession(await this.post('/api/auth/refresh', { refreshtoken }))
      if (wasReplaced()) return getStoredProfile()
      storeSession(session)
      return session.profile
    } catch (error) {
      if (!(error instanceof WeftError && error.kind === 'unauthorized')) throw error
      return wasReplaced() ? getStoredProfile() : endSession()
    }
  }

  /** Requests the current profile from the server and stores it. Starts over if the user changes in the meantime. */
  async fetchProfile(): Promise<Profile | undefined> {
    const user = getStoredProfile()?.userConcept
    const { profile } = (await this.request('/api/auth/me')) as { profile?: JsonRecord | null }
    const stored = getStoredProfile()
    if (stored && stored.userConcept !== user) return this.fetchProfile()
    const refresh = getStoredRefreshToken()
    if (!profile || stored === undefined || refresh === undefined) return undefined
    const session = { profile: decodeProfile({ ...stored, ...profile }), refresh }
    storeSession(session)
    return session.profile
  }
}

/** Removes the stored session in all tabs. */
function endSession(): undefined {
  storeSession(undefined)
}

/** Runs `work` while no other tab runs such work. Without Web Locks, runs it immediately. */
const runExclusively = <T>(work: () => Promise<T>): Promise<T> => {
  const locks = globalThis.navigator?.locks
  return locks ? (locks.request('weft-refresh', work) as Promise<T>) : work()
}
