import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createAccount, keepSigned, storedProfile, watchProfile } from '../src/account/index.ts'
import { store, storedRefresh } from '../src/account/profile.ts'
import { alone } from './open.ts'
import { startServer } from './server.ts'

const password = 'correct horse'

beforeEach(() => store(undefined))

test('who signs up and in is known, here and to the server, until they sign out', async () => {
  const account = createAccount(await startServer())
  const heard: (string | undefined)[] = []
  const unwatch = watchProfile(() => heard.push(storedProfile()?.email))
  await account.signUp('ada@example.org', password)
  expect(storedProfile()).toBeUndefined()
  const profile = await account.signIn('ada@example.org', password)
  expect(profile).toMatchObject({ email: 'ada@example.org', roles: ['user'] })
  expect(storedProfile()).toEqual(profile)
  expect((await account.me())?.userConcept).toBe(profile.userConcept)
  expect(await account.sessions()).toMatchObject([{ current: true }])

  const { token } = profile
  await account.signOut()
  unwatch()
  expect(storedProfile()).toBeUndefined()
  expect(storedRefresh()).toBeUndefined()
  expect(heard).toEqual(['ada@example.org', 'ada@example.org', undefined])
  store({ profile: { ...profile, token }, refresh: 'used up' })
  expect((await account.fetch('/api/auth/me')).status).toBe(401)
  expect(storedProfile()).toBeUndefined()
})

test('a token that is no good any more is renewed once for all who ask', async () => {
  const account = await signedIn()
  spoil()
  const answers = await Promise.all(
    ['me', 'sessions', 'me', 'keys', 'me'].map((of) => account.fetch(`/api/auth/${of}`)),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  // A refresh token that is used twice would have ended the session.
  spoil()
  expect(await account.sessions()).toHaveLength(1)
})

test('a client is given the token, and each one that takes its place', async () => {
  const account = await signedIn()
  const given: (string | undefined)[] = []
  const client = alone()
  const stop = keepSigned(account, { ...client, setToken: (token) => given.push(token) })
  const first = storedProfile()?.token
  spoil()
  const second = (await account.refresh())?.token
  await account.signOut()
  stop()
  expect(second).toBeDefined()
  expect(given).toEqual([first, `${first}x`, second, undefined])
})

test('refusals say what the server says', async () => {
  const account = await signedIn()
  await expect(account.signUp('ada@example.org', password)).rejects.toMatchObject({
    kind: 'conflict',
  })
  await expect(account.signUp('bob@example.org', 'five5')).rejects.toThrow(/6/)
  await expect(account.signIn('ada@example.org', 'wrong one')).rejects.toThrow(/password/)
  expect(storedProfile()?.email).toBe('ada@example.org')
  const nobody = createAccount('http://127.0.0.1:9')
  await expect(nobody.forgotPassword('ada@example.org')).rejects.toMatchObject({
    kind: 'unavailable',
  })
})

test('a changed password is the one that counts, and an account that is gone cannot be signed in to', async () => {
  const account = await signedIn()
  await account.changePassword(password, 'battery staple')
  await expect(account.signIn('ada@example.org', password)).rejects.toThrow()
  await account.signIn('ada@example.org', 'battery staple')
  await account.remove()
  expect(storedProfile()).toBeUndefined()
  await expect(account.signIn('ada@example.org', 'battery staple')).rejects.toThrow()
})

test('where there is no server for accounts, that is what is said', async () => {
  const files = createServer(({ url }, answer) => {
    answer.writeHead(url?.includes('signup') ? 404 : 500)
    answer.end('<h1>a site of files</h1>')
  })
  files.listen(0, '127.0.0.1')
  await once(files, 'listening')
  onTestFinished(() => void files.close())
  const { port } = files.address() as AddressInfo
  const account = createAccount(`http://127.0.0.1:${port}`)
  const ada = { email: 'ada@example.org', password }
  await expect(account.signUpEntity(ada)).rejects.toThrow(/^404, Not found$/)
  await expect(account.signIn(ada.email, password)).rejects.toThrow(/^500, internal server error$/)
})

async function signedIn() {
  const account = createAccount(await startServer())
  await account.signUpEntity({ email: 'ada@example.org', password, fname: 'Ada' })
  await account.signIn('ada@example.org', password)
  return account
}

/** Puts a token in place that the server does not take, as one that has run out. */
function spoil(): void {
  const profile = storedProfile()
  const refresh = storedRefresh()
  if (profile && refresh) store({ profile: { ...profile, token: `${profile.token}x` }, refresh })
}
