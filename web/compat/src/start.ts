import { type Client, createClient, WeftError } from '@weft/client'
import { getStoredProfile } from '@weft/client/account'
import { type Internals, internalsOf } from '@weft/client/internal'
import { BaseUrl } from './base-url.ts'
import { FreeschemaError } from './errors.ts'
import { defaultSession } from './model/constants.ts'

/*
 * The client that all calls of this package use. `init` opens it.
 *
 *   no client ──init──▶ open ──init with another server or application──▶ open, with a new client
 *                        └──init with the same ones──▶ open, with another token
 */

let current: Client | undefined

/** Returns the client that `init` opened. Throws before `init`. */
export function currentClient(): Client {
  if (current) return current
  throw new FreeschemaError(
    new WeftError('invalid', 'the library has no server yet: call init(url) first'),
  )
}

export const currentInternals = (): Internals => internalsOf(currentClient())

/** Reports whether `init` has been called. */
export const isOpen = (): boolean => current !== undefined

/** Options of a client that only tests set. */
interface OpenOptions {
  readonly storage?: 'browser' | 'memory'
}

/** Opens the client of a server and an application. If that client is already open, only replaces its token. */
export function openClient(
  url: string,
  application: string,
  token: string | undefined,
  options: OpenOptions = {},
): Client {
  const origin = url.replace(/\/+$/, '')
  if (current && origin === current.url && application === openApplication) {
    current.setToken(token)
    return current
  }
  current?.close()
  openApplication = application
  current = createClient({ url: origin, application, token, ...options })
  return current
}

let openApplication = ''

/** Closes the client. The next call needs `init` again. */
export function closeClient(): void {
  current?.close()
  current = undefined
}

/** Token, session and profile of the current user. */
export class TokenStorage {
  static BearerAccessToken = ''
  static refreshToken = ''
  static sessionId: any = defaultSession

  static setSession(sessionId: any): void {
    TokenStorage.sessionId = sessionId
    if (current) internalsOf(current).http.session = String(sessionId)
  }

  /** Keeps the profile of a sign-in for this tab, and the tokens in memory. */
  static async saveUserProfile(signinResponse: any): Promise<boolean> {
    const { saveTabProfile } = await import('@weft/client/services')
    const data = signinResponse?.data ?? signinResponse
    if (!data?.token) return false
    TokenStorage.refreshToken = data.refreshtoken ?? data.refreshToken ?? ''
    updateAccessToken(data.token)
    await saveTabProfile(data)
    return true
  }

  /** Returns the profile that `saveUserProfile` kept, or null. */
  static async restoreProfile(): Promise<Record<string, any> | null> {
    const { loadTabProfile } = await import('@weft/client/services')
    const profile = await loadTabProfile()
    return profile ? { ...profile } : null
  }

  /** Deletes the tokens and the profile of this tab, and signs the client out. */
  static logout(): void {
    TokenStorage.refreshToken = ''
    setToken('')
    void import('@weft/client/services').then(({ clearTabProfile }) => clearTabProfile())
  }
}

/** Replaces the token, and the session if one is given. Without a token the user is signed out. */
export function updateAccessToken(accessToken = '', session?: any): void {
  setToken(accessToken)
  if (session) TokenStorage.setSession(session)
}

function setToken(token: string): void {
  TokenStorage.BearerAccessToken = token
  current?.setToken(token || undefined)
}

/**
 * Returns the initial token: the given token or, if it is empty, the token in the profile that the application stored.
 */
export function initialToken(given: string): string | undefined {
  const token = given || getStoredProfile()?.token
  TokenStorage.BearerAccessToken = token ?? ''
  return token
}

/** Sets the URLs of `BaseUrl`. */
export function setAddresses(
  url: string,
  aiurl: string,
  nodeUrl: string,
  application: string,
): void {
  BaseUrl.BASE_URL = url.replace(/\/+$/, '')
  BaseUrl.AI_URL = aiurl
  BaseUrl.NODE_URL = nodeUrl.replace(/\/+$/, '') || BaseUrl.BASE_URL
  BaseUrl.BASE_APPLICATION = application
}
