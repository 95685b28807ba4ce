import { findUser } from '../model/find-user.ts'
import { type Page, request, requestPage } from '../model/request.ts'

/**
 * An account, as returned by `GET /api/admin/users`. Times are in ISO 8601. `confirmed` is null until the user has confirmed the
 * address.
 */
export interface User {
  readonly id: number
  readonly email: string
  readonly admin: boolean
  readonly disabled: boolean
  readonly created: string
  readonly confirmed: string | null
  readonly name: string
}

/** A session. `user` and `email` are present in the lists for admins. */
export interface UserSession {
  readonly id: string
  readonly user?: number
  readonly email?: string
  readonly device: string
  readonly created: string
  readonly used: string
  readonly expires: string
  readonly current: boolean
}

/**
 * An API key, without the key itself. `user` and `email` are present in the lists for admins. `expires` is null for a key that
 * does not expire, and `used` is null before the first use.
 */
export interface ApiKey {
  readonly id: string
  readonly user?: number
  readonly email?: string
  readonly name: string
  readonly write: boolean
  readonly types: readonly string[]
  readonly created: string
  readonly expires: string | null
  readonly used: string | null
}

/** An entry of the audit log. `by` is the id of the admin, and `address` the network address of the request. */
export interface AuditEntry {
  readonly number: number
  readonly at: string
  readonly by: number
  readonly byEmail?: string
  readonly action: string
  readonly target: string
  readonly detail?: string
  readonly address: string
}

/** The number of rows on a page. */
const pageSize = 50

const query = (values: Readonly<Record<string, string | number | undefined>>): string => {
  const all = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') all.set(name, String(value))
  return all.toString()
}

/** Returns the path of a page of users. `state` is `admin`, `disabled` or empty. */
export const usersPath = (text: string, state: string, after: string): string =>
  `/api/admin/users?${query({ text, state, after, inpage: pageSize })}`

/** Loads a page of users. */
export const loadUsers = (path: string): Promise<Page<User>> => requestPage<User>(path)

/** Loads a user; undefined if there is none with this id. */
export async function loadUser(path: string): Promise<User | undefined> {
  const id = Number(path.split('/').at(-1))
  if (!Number.isSafeInteger(id) || id < 1) return undefined
  return findUser<User>(id)
}

/** Reports whether there is another active admin. The server refuses to remove the role from the last admin. */
export async function hasOtherAdmin(user: User): Promise<boolean> {
  const { rows } = await requestPage<User>(`/api/admin/users?${query({ state: 'admin' })}`)
  return rows.some(({ id, disabled }) => id !== user.id && !disabled)
}

/** Returns the path of the sessions of a user or, without a user, of a page of all sessions. */
export const sessionsPath = (user: number | undefined, after: string): string =>
  `/api/admin/sessions?${query({ user, after, inpage: user === undefined ? pageSize : undefined })}`

/** Loads a page of sessions as an admin. */
export async function loadSessions(path: string): Promise<Page<UserSession>> {
  const { sessions, next } = await request<{ sessions: readonly UserSession[]; next: string }>(path)
  return { rows: sessions, next }
}

/** Returns the path of the keys of a user or, without a user, of a page of all keys. */
export const keysPath = (user: number | undefined, after: string): string =>
  `/api/admin/keys?${query({ user, after, inpage: user === undefined ? pageSize : undefined })}`

/** Loads a page of keys as an admin. */
export async function loadKeys(path: string): Promise<Page<ApiKey>> {
  const { keys, next } = await request<{ keys: readonly ApiKey[]; next: string }>(path)
  return { rows: keys, next }
}

/** Loads the caller's own sessions or keys. They are few, so there is only one page. */
export const loadOwn = async <T>(path: string): Promise<Page<T>> => ({
  rows: await request<readonly T[]>(path),
  next: '',
})

/** Returns the path of a page of the audit log. */
export const auditPath = (text: string, action: string, before: string): string =>
  `/api/admin/audit?${query({ text, action, before, limit: pageSize })}`

/** Loads a page of the audit log. */
export async function loadAudit(path: string): Promise<Page<AuditEntry>> {
  const { entries, next } = await request<{ entries: readonly AuditEntry[]; next: number }>(path)
  return { rows: entries, next: next > 0 ? String(next) : '' }
}

/** Gives a user the role of an admin, or removes it. */
export const setAdmin = (id: number, on: boolean): Promise<User> =>
  request<User>('/api/admin/users/admin', { json: { id, on } })

/** Disables or enables an account. Disabling ends its sessions. */
export const setDisabled = (id: number, on: boolean): Promise<User> =>
  request<User>('/api/admin/users/disable', { json: { id, on } })

/** Ends a session. Without `user` it is a session of the caller; with `user`, only admins may end it. */
export const endSession = ({ id, user }: UserSession): Promise<unknown> =>
  request(
    user === undefined
      ? `/api/auth/sessions?${query({ id })}`
      : `/api/admin/sessions?${query({ user, id })}`,
    { method: 'DELETE' },
  )

/** Ends all sessions of a user. */
export const endSessions = (user: number): Promise<unknown> =>
  request(`/api/admin/sessions?${query({ user })}`, { method: 'DELETE' })

/** Revokes a key. Without `user` it is a key of the caller; with `user`, only admins may revoke it. */
export const revokeKey = ({ id, user }: ApiKey): Promise<unknown> =>
  request(
    user === undefined
      ? `/api/auth/keys?${query({ id })}`
      : `/api/admin/keys?${query({ user, id })}`,
    { method: 'DELETE' },
  )

/** The properties of a new key. Empty `types` mean all types; `expires` is null for a key that does not expire. */
export interface WantedKey {
  readonly name: string
  readonly write: boolean
  readonly types: readonly string[]
  readonly expires: string | null
}

/** Creates a key for a user or, without a user, for the caller. Returns the secret, which the server does not return again. */
export async function createKey(user: number | undefined, wanted: WantedKey): Promise<string> {
  const path = user === undefined ? '/api/auth/keys' : '/api/admin/keys'
  return (await request<{ key: string }>(path, { json: { ...wanted, user } })).key
}

/** A link for choosing a new password. It works once. */
export interface ResetLink {
  readonly link: string
  readonly expires: string
}

/** Creates a link for a new password. */
export const makeResetLink = (id: number): Promise<ResetLink> =>
  request<ResetLink>('/api/admin/users/reset-link', { json: { id } })

/** Creates an account. Without a password, the account gets a random one, and the link for choosing another is returned. */
export async function createUser(
  email: string,
  admin: boolean,
  password: string,
): Promise<{ readonly user: User; readonly reset: ResetLink | undefined }> {
  const user = await request<User>('/api/admin/users', {
    json: { email, admin, password: password || crypto.randomUUID() + crypto.randomUUID() },
  })
  return { user, reset: password === '' ? await makeResetLink(user.id) : undefined }
}

/** Deletes an account. */
export const deleteUser = (id: number): Promise<unknown> =>
  request(`/api/admin/users?${query({ id })}`, { method: 'DELETE' })

/** Returns the permissions of a key in words: "reads and writes Orders". */
export function rightsOf(
  key: Pick<ApiKey, 'write' | 'types'>,
  nameOf: (type: string) => string,
): string {
  const rights = key.write ? 'reads and writes' : 'reads'
  return key.types.length === 0
    ? `${rights} everything`
    : `${rights} ${key.types.map(nameOf).join(', ')}`
}

const actionWords: Readonly<Record<string, string>> = {
  'user.create': 'created the account',
  'user.remove': 'deleted the account',
  'user.disable': 'disabled the account',
  'user.enable': 'enabled the account',
  'user.role': 'changed the role',
  'user.password': 'set the password',
  'user.resetLink': 'created a link for a new password',
  'user.token': 'created an access token',
  'session.end': 'ended sessions',
  'key.create': 'created a key',
  'key.revoke': 'revoked a key',
  'sample.add': 'added sample data',
  'sample.remove': 'removed sample data',
  'schema.push': 'changed the schema',
  'content.page': 'changed the page',
  'content.save': 'saved a version of the widget',
  'content.publish': 'published the widget',
  'backup.make': 'created the backup',
  'backup.verify': 'checked the backup',
  'backup.download': 'downloaded the backup',
  'backup.delete': 'deleted the backup',
  'mail.retry': 'sent the mail again',
  'mail.delete': 'deleted the mail',
  'upload.delete': 'deleted the upload',
}

/** Returns an action of the audit log in words; an unknown action unchanged. */
export const actionText = (action: string): string => actionWords[action] ?? action
