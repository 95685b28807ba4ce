import { WeftError } from '../graph/error.ts'
import { json, post, profileOf, type Said, said, send, sessionOf } from './call.ts'
import { type Profile, store, storedProfile, storedRefresh } from './profile.ts'

/** Somebody's account at a server. What goes wrong rejects with a WeftError in the server's words. */
export interface Account {
  /** Makes an account. It does not sign in. */
  signUp(email: string, password: string): Promise<void>
  /** Makes an account for somebody with a name. */
  signUpEntity(person: Newcomer): Promise<void>
  /** Signs in, in every tab of this browser. */
  signIn(email: string, password: string): Promise<Profile>
  /** Renews the token, once however many ask, in however many tabs. Undefined: the session has ended. */
  refresh(): Promise<Profile | undefined>
  /** Forgets the session here, with what `keepProfile` keeps, whatever the server says, and ends it there. */
  signOut(): Promise<void>
  /** Sends a link for a new password, if somebody has the e-mail. */
  forgotPassword(email: string): Promise<string>
  resetPassword(token: string, password: string): Promise<void>
  changePassword(old: string, next: string): Promise<void>
  confirmEmail(token: string): Promise<void>
  /** Sends the link that confirms the e-mail again. */
  resend(): Promise<string>
  /** Asks the server who this is, and keeps what it says. Undefined: nobody. */
  me(): Promise<Profile | undefined>
  sessions(): Promise<readonly Place[]>
  endSession(id: string): Promise<void>
  /** Ends the account for good. */
  remove(): Promise<void>
  /** As `fetch` of a path of the server, signed; a token that has run out is renewed once, and it is sent again. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

export interface Newcomer {
  readonly email: string
  readonly password: string
  readonly username?: string
  readonly fname?: string
  readonly lname?: string
}

/** One of the places where somebody is signed in. */
export interface Place {
  readonly id: string
  readonly device: string
  readonly created: string
  readonly used: string
  readonly current: boolean
}

/** @param url origin of the server */
export function createAccount(url: string): Account {
  const told = (path: string, body: unknown) => post(url, path, body)
  const signed = async (path: string, init?: RequestInit) => said(await authorized(path, init))

  async function signIn(email: string, password: string): Promise<Profile> {
    const session = sessionOf(await told('/api/auth/login', { email, password }))
    store(session)
    return session.profile
  }

  async function authorized(path: string, init: RequestInit = {}): Promise<Response> {
    const token = storedProfile()?.token
    const answer = await send(url, path, init, token)
    if (answer.status !== 401 || token === undefined) return answer
    const renewed = await renew(token)
    return renewed === undefined ? answer : send(url, path, init, renewed.token)
  }

  let renewing: Promise<Profile | undefined> | undefined

  /** Renews unless another tab has done so since the token was read. */
  function renew(token: string | undefined): Promise<Profile | undefined> {
    renewing ??= alone(async () => {
      const known = storedProfile()
      if (known?.token !== token) return known
      const refreshtoken = storedRefresh()
      if (refreshtoken === undefined) return end()
      // Who signs out, or in, meanwhile is not to be undone.
      const isOver = () => storedRefresh() !== refreshtoken
      try {
        const session = sessionOf(await told('/api/auth/refresh', { refreshtoken }))
        if (isOver()) return storedProfile()
        store(session)
        return session.profile
      } catch (error) {
        if (!(error instanceof WeftError && error.kind === 'unauthorized')) throw error
        return isOver() ? storedProfile() : end()
      }
    }).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  async function signOut(): Promise<void> {
    const token = storedProfile()?.token
    end()
    if (token === undefined) return
    await send(url, '/api/auth/logout', { method: 'POST' }, token).catch(() => {
      // Without a network the session ends there when its tokens run out.
    })
  }

  async function me(): Promise<Profile | undefined> {
    const asked = storedProfile()?.userConcept
    const { profile } = (await signed('/api/auth/me')) as { profile?: Said | null }
    const known = storedProfile()
    if (known && known.userConcept !== asked) return me()
    const refresh = storedRefresh()
    if (!profile || known === undefined || refresh === undefined) return undefined
    const session = { profile: profileOf({ ...known, ...profile }), refresh }
    store(session)
    return session.profile
  }

  const done = async (answer: Promise<Said>) => void (await answer)
  const words = async (answer: Promise<Said>) => {
    const { message } = await answer
    return String(message)
  }
  return {
    signIn,
    signUp: (email, password) => done(told('/api/auth/signup', { email, password })),
    signUpEntity: (person) => done(told('/api/v1/entity/signup', person)),
    refresh: () => renew(storedProfile()?.token),
    signOut,
    forgotPassword: (email) => words(told('/api/auth/password/forgot', { email })),
    resetPassword: (token, password) => done(told('/api/auth/password/reset', { token, password })),
    changePassword: (oldPassword, newPassword) =>
      done(signed('/api/auth/password/change', json({ oldPassword, newPassword }))),
    confirmEmail: (token) => done(told('/api/auth/email/confirm', { token })),
    resend: () => words(signed('/api/auth/email/resend', { method: 'POST' })),
    me,
    sessions: async () => (await signed('/api/auth/sessions')) as unknown as readonly Place[],
    endSession: (id) =>
      done(signed(`/api/auth/sessions?id=${encodeURIComponent(id)}`, { method: 'DELETE' })),
    async remove() {
      const id = storedProfile()?.userConcept
      await signed(`/api/deleteuser?conceptId=${id}`, { method: 'DELETE' })
      end()
    },
    fetch: authorized,
  }
}

function end(): undefined {
  store(undefined)
}

/** Runs work while no other tab does such work. Where the browser has no locks it runs at once. */
const alone = <T>(work: () => Promise<T>): Promise<T> => {
  const locks = globalThis.navigator?.locks
  return locks ? (locks.request('weft-refresh', work) as Promise<T>) : work()
}
