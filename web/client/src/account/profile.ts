import { forgetProfile } from './kept.ts'

/** Who is signed in in this browser. */
export interface Profile {
  readonly token: string
  /** When the token stops being good, as ISO 8601; '' when that is not known. */
  readonly expires: string
  readonly email: string
  readonly userConcept: number
  readonly entity: readonly { readonly userId: number }[]
  readonly entityDetails: { readonly id: number }
  readonly roles: readonly string[]
  /** When the e-mail was shown to be theirs; undefined means not yet. */
  readonly confirmed: string | undefined
}

/** A profile and what renews its token. */
export interface Session {
  readonly profile: Profile
  readonly refresh: string
}

/**
 * Where the two stand. `profile` is where applications of the contract look for a token. What renews it
 * has a place of its own, so that nobody who hands the profile on hands that on too. A site of files has
 * no better place that survives a reload and is shared by tabs: any script of the page could read it, and
 * the policy of pages lets nobody else's run. It is good once, and using it twice ends the session, so a
 * stolen one is found out.
 */
const names = { profile: 'profile', refresh: 'weft-refresh' }

/** The profile that is stored, if it has a token; also as an application of the contract stored it. */
export const storedProfile = (): Profile | undefined => {
  const { userId, entityId, amcode, refreshToken: _, ...profile } = stored()
  if (typeof profile.token !== 'string' || profile.token === '') return undefined
  return {
    expires: '',
    email: '',
    userConcept: 0,
    entity: userId ? [{ userId }] : [],
    entityDetails: { id: entityId ?? 0 },
    roles: rolesIn(amcode),
    confirmed: undefined,
    ...profile,
  } as Profile
}

export const storedRefresh = (): string | undefined => read(names.refresh) ?? stored().refreshToken

/** Stores who is signed in, or that nobody is, and tells every tab. */
export function store(session: Session | undefined): void {
  if (session?.profile.userConcept !== storedProfile()?.userConcept) forgetProfile()
  write(names.refresh, session?.refresh)
  write(names.profile, session && JSON.stringify(session.profile))
  for (const changed of listeners) changed()
}

/** Calls back when somebody signs in or out, here or in another tab. */
export function watchProfile(changed: () => void): () => void {
  const other = ({ key }: StorageEvent) => {
    if (key === names.profile || key === null) changed()
  }
  listeners.add(changed)
  globalThis.addEventListener?.('storage', other as EventListener)
  return () => {
    listeners.delete(changed)
    globalThis.removeEventListener?.('storage', other as EventListener)
  }
}

const listeners = new Set<() => void>()

/** Stands in where storage is switched off, or full: then a session lasts as long as the page. */
const memory = new Map<string, string>()

function read(name: string): string | undefined {
  try {
    return memory.get(name) ?? localStorage.getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

function write(name: string, text: string | undefined): void {
  memory.delete(name)
  try {
    if (text === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, text)
  } catch {
    if (text === undefined) return
    memory.set(name, text)
    leave(name)
  }
}

/** What stands there is used up: who used it again would end the session. */
function leave(name: string): void {
  try {
    localStorage.removeItem(name)
  } catch {
    // Nothing stands there.
  }
}

/** What applications of the contract keep under other names. */
interface Legacy {
  readonly userId: number
  readonly entityId: number
  /** The roles as base64 of their JSON. */
  readonly amcode: string
  readonly refreshToken: string
}

const stored = (): Partial<Profile & Legacy> =>
  (parse(read(names.profile)) ?? {}) as Partial<Profile & Legacy>

function rolesIn(amcode = ''): readonly string[] {
  try {
    const roles: unknown = JSON.parse(atob(amcode))
    return Array.isArray(roles) ? roles : []
  } catch {
    return []
  }
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}
