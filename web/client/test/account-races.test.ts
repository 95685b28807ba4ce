import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createAccount, keepSigned, storedProfile } from '../src/account/index.ts'
import { type Session, store, storedRefresh } from '../src/account/profile.ts'
import { alone, countRequests, open, until } from './open.ts'
import { startRelay } from './relay.ts'
import { startServer } from './server.ts'

const password = 'correct horse'

beforeEach(() => store(undefined))

test('who signs out while the token is renewed is signed out', async () => {
  const { account, relay } = await world()
  const release = relay.hold()
  const renewing = account.refresh()
  await until(() => relay.posts.includes('/api/auth/refresh'))
  const leaving = account.signOut()
  release()
  expect(await renewing).toBeUndefined()
  await leaving
  expect(storedProfile()).toBeUndefined()
  expect(storedRefresh()).toBeUndefined()
})

test('who signs in while the token of somebody else is renewed, or refused, stays signed in', async () => {
  const { account, relay, ada, bob } = await world()
  for (const refresh of [ada.refresh, 'used up']) {
    store({ ...ada, refresh })
    relay.posts.length = 0
    const release = relay.hold()
    const renewing = account.refresh()
    await until(() => relay.posts.includes('/api/auth/refresh'))
    store(bob)
    release()
    expect((await renewing)?.email).toBe('bob@example.org')
    expect(storedProfile()).toEqual(bob.profile)
    expect(storedRefresh()).toBe(bob.refresh)
  }
})

test('what the server says of somebody is not kept for who signed in meanwhile', async () => {
  const { account, relay, ada, bob } = await world()
  store(ada)
  const asked = countRequests()
  const release = relay.hold()
  const asking = account.me()
  await until(() => asked('/api/auth/me') > 0)
  store(bob)
  release()
  expect((await asking)?.email).toBe('bob@example.org')
  expect(storedProfile()).toMatchObject({ email: 'bob@example.org', token: bob.profile.token })
})

test('a device whose clock is ahead does not renew without end', async () => {
  const { account, relay, ada } = await world()
  store(ada)
  const now = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 24 * 3_600_000)
  onTestFinished(() => void vi.restoreAllMocks())
  relay.posts.length = 0
  onTestFinished(keepSigned(account, alone()))
  await until(() => relay.posts.length > 0)
  await new Promise((late) => setTimeout(late, 500))
  expect(relay.posts).toEqual(['/api/auth/refresh'])
})

test('a token goes to no other server', async () => {
  const { account, relay, bob } = await world()
  const heard: (string | undefined)[] = []
  const other = createServer(({ headers }, answer) => {
    heard.push(headers.authorization)
    answer.end('{}')
  })
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void other.close().closeAllConnections())
  const { port } = other.address() as AddressInfo
  for (const path of [`//127.0.0.1:${port}/x`, `http://127.0.0.1:${port}/x`])
    await expect(account.fetch(path)).rejects.toMatchObject({
      kind: 'invalid',
      message: `${path} is no path of the server`,
    })
  const weft = open(relay.url, bob.profile.token)
  for (const path of [`@127.0.0.1:${port}/x`, `//127.0.0.1:${port}/x`])
    await expect(weft.fetch(path)).resolves.toMatchObject({ ok: false })
  expect((await weft.fetch('api/auth/me')).status).toBe(200)
  expect(heard).toEqual([])
})

/** An account behind a relay, and the sessions of two people. Bob is the one that is signed in. */
async function world() {
  const relay = await startRelay(await startServer())
  const account = createAccount(relay.url)
  const session = async (name: string): Promise<Session> => {
    await account.signUp(`${name}@example.org`, password)
    const profile = await account.signIn(`${name}@example.org`, password)
    return { profile, refresh: storedRefresh() ?? '' }
  }
  return { account, relay, ada: await session('ada'), bob: await session('bob') }
}
