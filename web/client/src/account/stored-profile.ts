import { clearTabProfile } from './tab-profile.ts'

/*
 * The session in local storage, shared by all tabs of the browser.
 *
 * `profile` is the key under which applications of the wire contract look for a token. The refresh token has its own
 * key: code that passes the profile on then does not pass on the refresh token. Local storage is the only store of a
 * static site that survives a reload and is shared by tabs. Every script of the page can read it; the content security
 * policy of pages blocks foreign scripts. A refresh token is valid once, and using it twice ends the session, so a
 * stolen token is detected.
 */
const storageKeys = { profile: 'profile', refresh: 'weft-refresh' }

/** The signed-in user of this browser. */
export interface Profile {
  readonly token: string
  /** Expiry time of the token, in ISO 8601; '' when unknown. */
  readonly expires: string
  readonly email: string
  readonly userConcept: number
  readonly entity: readonly { readonly userId: number }[]
  readonly entityDetails: { readonly id: number }
  readonly roles: readonly string[]
  /** Time at which the user confirmed the e-mail address; undefined before. */
  readonly confirmed: string | undefined
}

/** A profile and the refresh token that renews its token. */
export interface Session {
  readonly profile: Profile
  readonly refresh: string
}

/**
 * Returns the stored profile if it has a token, even if an application of the wire contract stored it. Returns a new
 * object each time.
 */
export const getStoredProfile = (): Profile | undefined => {
  const { userId, entityId, amcode, refreshToken: _, ...profile } = readStoredRecord()
  if (typeof profile.token !== 'string' || profile.token === '') return undefined
  return {
    expires: '',
    email: '',
    userConcept: 0,
    entity: userId ? [{ userId }] : [],
    entityDetails: { id: entityId ?? 0 },
    roles: decodeRoles(amcode),
    confirmed: undefined,
    ...profile,
  } as Profile
}

export const getStoredRefreshToken = (): string | undefined =>
  readItem(storageKeys.refresh) ?? readStoredRecord().refreshToken

/** Stores a session, or removes the stored one, and notifies the listeners in all tabs. */
export function storeSession(session: Session | undefined): void {
  if (session?.profile.userConcept !== getStoredProfile()?.userConcept) clearTabProfile()
  writeItem(storageKeys.refresh, session?.refresh)
  writeItem(storageKeys.profile, session && JSON.stringify(session.profile))
  for (const listener of listeners) listener()
}

/** Calls back after the profile changed, in this tab or another one. Returns an unsubscribe function. */
export function onProfileChange(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === storageKeys.profile || key === null) listener()
  }
  listeners.add(listener)
  globalThis.addEventListener?.('storage', onStorage as EventListener)
  return () => {
    listeners.delete(listener)
    globalThis.removeEventListener?.('storage', onStorage as EventListener)
  }
}

const listeners = new Set<() => void>()

/** Used instead of local storage while local storage is disabled or full. A session then ends with the page. */
const memory = new Map<string, string>()

function readItem(key: string): string | undefined {
  try {
    return memory.get(key) ?? localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function writeItem(key: string, text: string | undefined): void {
  memory.delete(key)
  try {
    if (text === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    if (text === undefined) return
    memory.set(key, text)
    removeStaleItem(key)
  }
}

/** Removes an item that could not be replaced: using its refresh token again would end the session. */
function removeStaleItem(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Local storage is disabled and holds no item.
  }
}

/** The members that applications of the wire contract store under other names. */
interface LegacyProfile {
  readonly userId: number
  readonly entityId: number
  /** The roles, as base64 of a JSON list. */
  readonly amcode: string
  readonly refreshToken: string
}

const readStoredRecord = (): Partial<Profile & LegacyProfile> =>
  (parseJson(readItem(storageKeys.profile)) ?? {}) as Partial<Profile & LegacyProfile>

function decodeRoles(amcode = ''): readonly string[] {
  try {
    const roles: unknown = JSON.parse(atob(amcode))
    return Array.isArray(roles) ? roles : []
  } catch {
    return []
  }
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}
