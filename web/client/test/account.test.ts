import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  createAccountClient,
  getStoredProfile,
  keepClientSignedIn,
  onProfileChange,
} from '../src/account/index.ts'
import { getStoredRefreshToken, storeSession } from '../src/account/stored-profile.ts'
import { offlineClient } from './open.ts'
import { startServer } from './server.ts'

const password = 'correct horse'

beforeEach(() => storeSession(undefined))

test('a user is signed in, locally and on the server, from sign-in to sign-out', async () => {
  const account = createAccountClient(await startServer())
  const emails: (string | undefined)[] = []
  const unsubscribe = onProfileChange(() => emails.push(getStoredProfile()?.email))
  await account.signUp('ada@example.org', password)
  expect(getStoredProfile()).toBeUndefined()
  const profile = await account.signIn('ada@example.org', password)
  expect(profile).toMatchObject({ email: 'ada@example.org', roles: ['user'] })
  expect(getStoredProfile()).toEqual(profile)
  expect((await account.fetchProfile())?.userConcept).toBe(profile.userConcept)
  expect(await account.listSessions()).toMatchObject([{ current: true }])

  const { token } = profile
  await account.signOut()
  unsubscribe()
  expect(getStoredProfile()).toBeUndefined()
  expect(getStoredRefreshToken()).toBeUndefined()
  expect(emails).toEqual(['ada@example.org', 'ada@example.org', undefined])
  storeSession({ profile: { ...profile, token }, refresh: 'used up' })
  expect((await account.fetch('/api/auth/me')).status).toBe(401)
  expect(getStoredProfile()).toBeUndefined()
})

test('a refused token is renewed once for concurrent requests', async () => {
  const account = await signInAda()
  invalidateToken()
  const responses = await Promise.all(
    ['me', 'sessions', 'me', 'keys', 'me'].map((path) => account.fetch(`/api/auth/${path}`)),
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  // Using a refresh token twice would have ended the session.
  invalidateToken()
  expect(await account.listSessions()).toHaveLength(1)
})

test('a client receives the token and each renewed token', async () => {
  const account = await signInAda()
  const tokens: (string | undefined)[] = []
  const client = offlineClient()
  const stop = keepClientSignedIn(account, { ...client, setToken: (token) => tokens.push(token) })
  const first = getStoredProfile()?.token
  invalidateToken()
  const second = (await account.refreshSession())?.token
  await account.signOut()
  stop()
  expect(second).toBeDefined()
  expect(tokens).toEqual([first, `${first}x`, second, undefined])
})

test("errors have the server's kind and message", async () => {
  const account = await signInAda()
  await expect(account.signUp('ada@example.org', password)).rejects.toMatchObject({
    kind: 'conflict',
  })
  await expect(account.signUp('bob@example.org', 'five5')).rejects.toThrow(/6/)
  await expect(account.signIn('ada@example.org', 'wrong one')).rejects.toThrow(/password/)
  expect(getStoredProfile()?.email).toBe('ada@example.org')
  const unreachable = createAccountClient('http://127.0.0.1:9')
  await expect(unreachable.forgotPassword('ada@example.org')).rejects.toMatchObject({
    kind: 'unavailable',
  })
})

test('a changed password replaces the old one, and a deleted account cannot sign in', async () => {
  const account = await signInAda()
  await account.changePassword(password, 'battery staple')
  await expect(account.signIn('ada@example.org', password)).rejects.toThrow()
  await account.signIn('ada@example.org', 'battery staple')
  await account.deleteAccount()
  expect(getStoredProfile()).toBeUndefined()
  await expect(account.signIn('ada@example.org', 'battery staple')).rejects.toThrow()
})

test('a server without accounts is reported with the status of its response', async () => {
  const files = createServer(({ url }, response) => {
    response.writeHead(url?.includes('signup') ? 404 : 500)
    response.end('<h1>a site of files</h1>')
  })
  files.listen(0, '127.0.0.1')
  await once(files, 'listening')
  onTestFinished(() => void files.close())
  const { port } = files.address() as AddressInfo
  const account = createAccountClient(`http://127.0.0.1:${port}`)
  const ada = { email: 'ada@example.org', password }
  await expect(account.signUpEntity(ada)).rejects.toThrow(/^404, Not found$/)
  await expect(account.signIn(ada.email, password)).rejects.toThrow(/^500, internal server error$/)
})

async function signInAda() {
  const account = createAccountClient(await startServer())
  await account.signUpEntity({ email: 'ada@example.org', password, fname: 'Ada' })
  await account.signIn('ada@example.org', password)
  return account
}

/** Replaces the stored token by an invalid token, which the server refuses like an expired one. */
function invalidateToken(): void {
  const profile = getStoredProfile()
  const refresh = getStoredRefreshToken()
  if (profile && refresh)
    storeSession({ profile: { ...profile, token: `${profile.token}x` }, refresh })
}
