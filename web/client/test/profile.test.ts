import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import type { SignInResult } from '../src/services/index.ts'
import { openEntries } from './entries.ts'
import { startServer } from './server.ts'

/** The response to a sign-in. */
const signedIn: SignInResult & { token: string; refreshtoken: string } = {
  token: 'a-token-of-theirs',
  refreshtoken: 'what-renews-it',
  email: 'a@x.io',
  entity: [{ userId: 10267 }],
  userConcept: 101425418,
  entityDetails: { id: 100821886 },
  roles: ['r'],
}

const person = {
  email: 'a@x.io',
  userId: 10267,
  userConcept: 101425418,
  entityId: 100821886,
  roles: ['r'],
}

test('a tab profile survives a reload, is encrypted, and can be cleared', async () => {
  const { page, load, stored } = await setUp()
  const save = (who: SignInResult) =>
    page.evaluate((who) => window.services.saveTabProfile(who), who)
  expect(await save(signedIn)).toEqual(person)
  expect(await load()).toEqual(person)
  const text = (await stored()).session ?? ''
  const bytes = atob(text)
  expect(bytes.length).toBe(16 + 12 + JSON.stringify(person).length + 16)
  for (const secret of ['a@x.io', 'a-token', 'renews', '10267']) {
    expect(text).not.toContain(secret)
    expect(bytes).not.toContain(secret)
  }
  await save(signedIn)
  const second = atob((await stored()).session ?? '')
  expect(second.slice(0, 16)).not.toBe(bytes.slice(0, 16))
  expect(second.slice(16, 28)).not.toBe(bytes.slice(16, 28))
  expect((await stored()).local).toEqual([])

  await page.reload()
  expect(await load()).toEqual(person)
  await page.evaluate(() => window.services.clearTabProfile())
  expect(await load()).toBeUndefined()
  expect((await stored()).session).toBeNull()
})

test('an unreadable profile is removed', async () => {
  const { page, load, stored } = await setUp()
  const store = (text: string) =>
    page.evaluate((text) => sessionStorage.setItem('ccs_profile', text), text)
  await page.evaluate((who) => window.services.saveTabProfile(who), signedIn)
  const valid = (await stored()).session ?? ''
  const changed = `${valid.slice(0, -6)}${valid.at(-6) === 'A' ? 'B' : 'A'}${valid.slice(-5)}`
  for (const text of ['', 'no base64 ä', 'AAAA', changed]) {
    await store(text)
    await page.reload()
    expect(await load()).toBeUndefined()
    expect((await stored()).session).toBeNull()
  }
  await store(valid)
  await page.reload()
  expect(await load()).toEqual(person)
})

test('a sign-in or sign-out while the profile is being loaded replaces the loaded profile', async () => {
  const { page, load } = await setUp()
  const bob = { ...signedIn, email: 'b@x.io' }
  const emailAfter = async (text: string | undefined, then: 'in' | 'out') => {
    await page.evaluate((who) => window.services.saveTabProfile(who), signedIn)
    await page.reload()
    return page.evaluate(
      async ({ bob, text, then }) => {
        const { saveTabProfile, loadTabProfile, clearTabProfile } = window.services
        if (text !== undefined) sessionStorage.setItem('ccs_profile', text)
        const reading = loadTabProfile()
        const changing = then === 'in' ? saveTabProfile(bob) : clearTabProfile()
        await Promise.all([reading, changing])
        return (await loadTabProfile())?.email
      },
      { bob, text, then },
    )
  }
  expect(await emailAfter(undefined, 'in')).toBe('b@x.io')
  expect(await emailAfter('cannot be read', 'in')).toBe('b@x.io')
  await page.reload()
  expect((await load())?.email).toBe('b@x.io')
  expect(await emailAfter(undefined, 'out')).toBeUndefined()
})

test('the shared profile is returned if the tab has none', async () => {
  const { page, load } = await setUp()
  const share = (profile: object) =>
    page.evaluate((text) => localStorage.setItem('profile', text), JSON.stringify(profile))
  await share({
    token: 'FROM_PROFILE',
    refreshToken: 'R',
    email: 'old@x.io',
    userId: 10267,
    userConcept: 5,
    entityId: 6,
    amcode: btoa('["admin"]'),
  })
  const old = { email: 'old@x.io', userId: 10267, userConcept: 5, entityId: 6, roles: ['admin'] }
  expect(await load()).toEqual(old)
  await share({ email: 'old@x.io', userId: 10267 })
  expect(await load()).toBeUndefined()
  await share(signedIn)
  expect(await load()).toEqual(person)
})

test('the tab profile is cleared on sign-out or a change of user, in any tab', async () => {
  const url = await startServer()
  const context = await profile()
  const [page, other] = [await openEntries(context, url), await openEntries(context, url)]
  const signIn = (page: Page, email: string) =>
    page.evaluate(
      async ({ url, email }) => {
        const account = window.account.createAccountClient(url)
        await account.signUp(email, 'correct horse').catch(() => {})
        window.account.keepClientSignedIn(account, window.weft)
        return window.services.saveTabProfile(await account.signIn(email, 'correct horse'))
      },
      { url, email },
    )
  const signOut = (page: Page) =>
    page.evaluate((url) => window.account.createAccountClient(url).signOut(), url)
  const profileState = (page: Page) =>
    page.evaluate(async () => ({
      email: (await window.services.loadTabProfile())?.email,
      stored: sessionStorage.getItem('ccs_profile') !== null,
    }))
  const signedOut = { email: undefined, stored: false }

  await signIn(page, 'ada@example.org')
  expect(await profileState(page)).toEqual({ email: 'ada@example.org', stored: true })
  await page.evaluate((url) => window.account.createAccountClient(url).refreshSession(), url)
  expect(await profileState(page)).toEqual({ email: 'ada@example.org', stored: true })
  await signOut(page)
  expect(await profileState(page)).toEqual(signedOut)

  await signIn(page, 'ada@example.org')
  await signIn(other, 'ada@example.org')
  await signOut(other)
  await expect.poll(() => profileState(page)).toEqual(signedOut)

  await signIn(page, 'ada@example.org')
  await signIn(other, 'bo@example.org')
  await expect.poll(() => profileState(page)).toEqual({ email: 'bo@example.org', stored: false })
})

test('while local storage is full, a session ends with the page', async () => {
  const { page, url } = await setUp()
  const found = await page.evaluate(async (url) => {
    const { createAccountClient, getStoredProfile } = window.account
    const account = createAccountClient(url)
    await account.signUp('ada@example.org', 'correct horse')
    await account.signIn('ada@example.org', 'correct horse')
    localStorage.removeItem('profile')
    const fill = (size: number) => {
      try {
        for (let i = 0; ; i++) localStorage.setItem(`full ${size} ${i}`, 'x'.repeat(size))
      } catch {}
    }
    for (const size of [500_000, 5_000, 50, 1]) fill(size)
    const { email } = await account.signIn('ada@example.org', 'correct horse')
    const known = getStoredProfile()?.email
    // A refresh token is valid once.
    const renewed = [await account.refreshSession(), await account.refreshSession()].map(
      (p) => p?.email,
    )
    const remaining = localStorage.getItem('profile')
    await account.signOut()
    return { email, known, renewed, remaining, after: getStoredProfile() }
  }, url)
  expect(found).toEqual({
    email: 'ada@example.org',
    known: 'ada@example.org',
    renewed: ['ada@example.org', 'ada@example.org'],
    remaining: null,
    after: undefined,
  })
})

test('a session stored by another application continues, and its token is renewed', async () => {
  const { page, url } = await setUp()
  const found = await page.evaluate(async (url) => {
    const { createAccountClient, keepClientSignedIn, getStoredProfile } = window.account
    const account = createAccountClient(url)
    await account.signUp('ada@example.org', 'correct horse')
    const { token, userConcept, entity } = await account.signIn('ada@example.org', 'correct horse')
    const refreshToken = localStorage.getItem('weft-refresh')
    localStorage.clear()
    const [{ userId } = { userId: 0 }] = entity
    const legacy = {
      token,
      refreshToken,
      userId,
      userConcept,
      entityId: 6,
      amcode: btoa('["user"]'),
    }
    localStorage.setItem('profile', JSON.stringify(legacy))
    const read = getStoredProfile()

    const tokens: (string | undefined)[] = []
    const stop = keepClientSignedIn(account, {
      ...window.weft,
      setToken: (token) => tokens.push(token),
    })
    const sessions = await account.listSessions()
    stop()
    const renewed = await account.refreshSession()
    const refresh = localStorage.getItem('weft-refresh')
    return { legacy, read, tokens, sessions, renewed, refresh, remaining: getStoredProfile() }
  }, url)
  const { token, userId, userConcept } = found.legacy
  expect(found.read).toEqual({
    token,
    expires: '',
    email: '',
    userConcept,
    entity: [{ userId }],
    entityDetails: { id: 6 },
    roles: ['user'],
  })
  expect(found.tokens).toEqual([token])
  expect(found.sessions).toHaveLength(1)
  expect(found.renewed).toMatchObject({ email: 'ada@example.org', userConcept })
  expect(found.refresh).not.toBe(found.legacy.refreshToken)
  expect(found.remaining).toEqual(found.renewed)
})

async function setUp() {
  const url = await startServer()
  const page = await openEntries(await profile(), url)
  const load = async () => {
    await page.waitForFunction(() => window.services !== undefined)
    return page.evaluate(() => window.services.loadTabProfile())
  }
  const stored = () =>
    page.evaluate(() => ({
      session: sessionStorage.getItem('ccs_profile'),
      local: Object.entries(localStorage),
    }))
  return { page, url, load, stored }
}
