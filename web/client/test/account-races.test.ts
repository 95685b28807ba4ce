import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createAccountClient, getStoredProfile, keepClientSignedIn } from '../src/account/index.ts'
import { getStoredRefreshToken, type Session, storeSession } from '../src/account/stored-profile.ts'
import { countRequests, offlineClient, open, until } from './open.ts'
import { startRelay } from './relay.ts'
import { startServer } from './server.ts'

const password = 'correct horse'

beforeEach(() => storeSession(undefined))

test('a user who signs out during a token renewal stays signed out', async () => {
  const { account, relay } = await setUp()
  const release = relay.hold()
  const renewing = account.refreshSession()
  await until(() => relay.posts.includes('/api/auth/refresh'))
  const signingOut = account.signOut()
  release()
  expect(await renewing).toBeUndefined()
  await signingOut
  expect(getStoredProfile()).toBeUndefined()
  expect(getStoredRefreshToken()).toBeUndefined()
})

test("a user who signs in during another user's renewal, successful or refused, stays signed in", async () => {
  const { account, relay, ada, bob } = await setUp()
  for (const refresh of [ada.refresh, 'used up']) {
    storeSession({ ...ada, refresh })
    relay.posts.length = 0
    const release = relay.hold()
    const renewing = account.refreshSession()
    await until(() => relay.posts.includes('/api/auth/refresh'))
    storeSession(bob)
    release()
    expect((await renewing)?.email).toBe('bob@example.org')
    expect(getStoredProfile()).toEqual(bob.profile)
    expect(getStoredRefreshToken()).toBe(bob.refresh)
  }
})

test('a fetched profile is not stored for another user who signed in in the meantime', async () => {
  const { account, relay, ada, bob } = await setUp()
  storeSession(ada)
  const requests = countRequests()
  const release = relay.hold()
  const fetching = account.fetchProfile()
  await until(() => requests('/api/auth/me') > 0)
  storeSession(bob)
  release()
  expect((await fetching)?.email).toBe('bob@example.org')
  expect(getStoredProfile()).toMatchObject({ email: 'bob@example.org', token: bob.profile.token })
})

test('a device with a fast clock does not renew tokens in a loop', async () => {
  const { account, relay, ada } = await setUp()
  storeSession(ada)
  const now = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 24 * 3_600_000)
  onTestFinished(() => void vi.restoreAllMocks())
  relay.posts.length = 0
  onTestFinished(keepClientSignedIn(account, offlineClient()))
  await until(() => relay.posts.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(relay.posts).toEqual(['/api/auth/refresh'])
})

test('a token is not sent to another origin', async () => {
  const { account, relay, bob } = await setUp()
  const authorizations: (string | undefined)[] = []
  const otherServer = createServer(({ headers }, response) => {
    authorizations.push(headers.authorization)
    response.end('{}')
  })
  await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void otherServer.close().closeAllConnections())
  const { port } = otherServer.address() as AddressInfo
  for (const path of [`//127.0.0.1:${port}/x`, `http://127.0.0.1:${port}/x`])
    await expect(account.fetch(path)).rejects.toMatchObject({
      kind: 'invalid',
      message: `${path} is not a path of the server`,
    })
  const weft = open(relay.url, bob.profile.token)
  for (const path of [`@127.0.0.1:${port}/x`, `//127.0.0.1:${port}/x`])
    await expect(weft.fetch(path)).resolves.toMatchObject({ ok: false })
  expect((await weft.fetch('api/auth/me')).status).toBe(200)
  expect(authorizations).toEqual([])
})

/** Creates an account client behind a relay and signs two users in, Bob last. Returns their sessions. */
async function setUp() {
  const relay = await startRelay(await startServer())
  const account = createAccountClient(relay.url)
  const session = async (name: string): Promise<Session> => {
    await account.signUp(`${name}@example.org`, password)
    const profile = await account.signIn(`${name}@example.org`, password)
    return { profile, refresh: getStoredRefreshToken() ?? '' }
  }
  return { account, relay, ada: await session('ada'), bob: await session('bob') }
}
