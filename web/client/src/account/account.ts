import { AccountSession } from './account-session.ts'
import { type JsonRecord, jsonRequest } from './auth-request.ts'
import { getStoredProfile, type Profile, storeSession } from './stored-profile.ts'

/*
 * Accounts: sign-up, sign-in, sessions and passwords.
 *
 *   account.ts                 the public interface; one request per method
 *   account-session.ts         the session and its renewal, with the state diagram
 *   stored-profile.ts          the session in local storage, shared by all tabs
 *   tab-profile.ts             the profile of one tab, without tokens, for `@weft/client/services`
 *   keep-client-signed-in.ts   passes the token of the session to a client
 */

/** The account of the signed-in user at one server. Methods reject with a WeftError that has the server's message. */
export interface AccountClient {
  /** Creates an account. Does not sign in. */
  signUp(email: string, password: string): Promise<void>
  /** Creates an account with a user name or a full name. Does not sign in. */
  signUpEntity(account: NewAccount): Promise<void>
  /** Signs in, in all tabs of this browser. */
  signIn(email: string, password: string): Promise<Profile>
  /**
   * Renews the token. Concurrent calls, in any number of tabs, share one renewal. Resolves with undefined when the
   * session has ended.
   */
  refreshSession(): Promise<Profile | undefined>
  /**
   * Removes the session and the profile that `saveTabProfile` keeps, then ends the session on the server if possible.
   */
  signOut(): Promise<void>
  /**
   * Requests an e-mail with a link for a new password. Resolves with the server's message, which is the same for
   * addresses without an account.
   */
  forgotPassword(email: string): Promise<string>
  /** Sets a new password with the token from the e-mailed link. */
  resetPassword(token: string, password: string): Promise<void>
  /** Replaces the password of the signed-in user. */
  changePassword(oldPassword: string, newPassword: string): Promise<void>
  /** Confirms the e-mail address with the token from the e-mailed link. */
  confirmEmail(token: string): Promise<void>
  /** Requests another e-mail with the link that confirms the address. Resolves with the server's message. */
  resendConfirmation(): Promise<string>
  /** Requests the current profile and stores it. Resolves with undefined when no user is signed in. */
  fetchProfile(): Promise<Profile | undefined>
  /** Lists the sessions of the user on all devices. */
  listSessions(): Promise<readonly SessionInfo[]>
  /** Ends one session, which signs its device out. */
  endSession(id: string): Promise<void>
  /** Deletes the account. This cannot be undone. */
  deleteAccount(): Promise<void>
  /** Fetches a path of the server with the token. If the token has expired, renews it and repeats the request once. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

export interface NewAccount {
  readonly email: string
  readonly password: string
  readonly username?: string
  readonly fname?: string
  readonly lname?: string
}

/** One session of the user. */
export interface SessionInfo {
  readonly id: string
  /** Name of the device, as reported at sign-in. */
  readonly device: string
  /** Time of the sign-in, in ISO 8601. */
  readonly created: string
  /** Time of the last request, in ISO 8601. */
  readonly used: string
  /** Whether this is the session of this browser. */
  readonly current: boolean
}

/**
 * Creates the client of a server's accounts.
 *
 * @param url origin of the server
 */
export function createAccountClient(url: string): AccountClient {
  const session = new AccountSession(url)
  const post = async (path: string, body: unknown) => void (await session.post(path, body))
  const request = async (path: string, init: RequestInit) =>
    void (await session.request(path, init))
  return {
    signIn: (email, password) => session.signIn(email, password),
    signUp: (email, password) => post('/api/auth/signup', { email, password }),
    signUpEntity: (account) => post('/api/v1/entity/signup', account),
    refreshSession: () => session.renew(getStoredProfile()?.token),
    signOut: () => session.signOut(),
    forgotPassword: (email) => readMessage(session.post('/api/auth/password/forgot', { email })),
    resetPassword: (token, password) => post('/api/auth/password/reset', { token, password }),
    changePassword: (oldPassword, newPassword) =>
      request('/api/auth/password/change', jsonRequest({ oldPassword, newPassword })),
    confirmEmail: (token) => post('/api/auth/email/confirm', { token }),
    resendConfirmation: () =>
      readMessage(session.request('/api/auth/email/resend', { method: 'POST' })),
    fetchProfile: () => session.fetchProfile(),
    listSessions: async () =>
      (await session.request('/api/auth/sessions')) as unknown as readonly SessionInfo[],
    endSession: (id) =>
      request(`/api/auth/sessions?id=${encodeURIComponent(id)}`, { method: 'DELETE' }),
    async deleteAccount() {
      const id = getStoredProfile()?.userConcept
      await request(`/api/deleteuser?conceptId=${id}`, { method: 'DELETE' })
      storeSession(undefined)
    },
    fetch: (path, init) => session.fetch(path, init),
  }
}

async function readMessage(response: Promise<JsonRecord>): Promise<string> {
  const { message } = await response
  return String(message)
}
