import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import type { SignedIn } from '../src/services/index.ts'
import { openEntries } from './entries.ts'
import { startServer } from './server.ts'

/** What a server says of somebody who signs in. */
const signedIn: SignedIn & { token: string; refreshtoken: string } = {
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

test('who signs in is known over a reload, is not readable in the storage, and is forgotten', async () => {
  const { page, kept, stored } = await world()
  const keep = (who: SignedIn) => page.evaluate((who) => window.services.keepProfile(who), who)
  expect(await keep(signedIn)).toEqual(person)
  expect(await kept()).toEqual(person)
  const text = (await stored()).session ?? ''
  const bytes = atob(text)
  expect(bytes.length).toBe(16 + 12 + JSON.stringify(person).length + 16)
  for (const secret of ['a@x.io', 'a-token', 'renews', '10267']) {
    expect(text).not.toContain(secret)
    expect(bytes).not.toContain(secret)
  }
  await keep(signedIn)
  const again = atob((await stored()).session ?? '')
  expect(again.slice(0, 16)).not.toBe(bytes.slice(0, 16))
  expect(again.slice(16, 28)).not.toBe(bytes.slice(16, 28))
  expect((await stored()).local).toEqual([])

  await page.reload()
  expect(await kept()).toEqual(person)
  await page.evaluate(() => window.services.forgetProfile())
  expect(await kept()).toBeUndefined()
  expect((await stored()).session).toBeNull()
})

test('a profile that cannot be read is removed', async () => {
  const { page, kept, stored } = await world()
  const put = (text: string) =>
    page.evaluate((text) => sessionStorage.setItem('ccs_profile', text), text)
  await page.evaluate((who) => window.services.keepProfile(who), signedIn)
  const good = (await stored()).session ?? ''
  const changed = `${good.slice(0, -6)}${good.at(-6) === 'A' ? 'B' : 'A'}${good.slice(-5)}`
  for (const text of ['', 'no base64 ä', 'AAAA', changed]) {
    await put(text)
    await page.reload()
    expect(await kept()).toBeUndefined()
    expect((await stored()).session).toBeNull()
  }
  await put(good)
  await page.reload()
  expect(await kept()).toEqual(person)
})

test('who signs in or out while the profile is read is who the tab knows', async () => {
  const { page, kept } = await world()
  const bob = { ...signedIn, email: 'b@x.io' }
  const known = async (text: string | undefined, then: 'in' | 'out') => {
    await page.evaluate((who) => window.services.keepProfile(who), signedIn)
    await page.reload()
    return page.evaluate(
      async ({ bob, text, then }) => {
        const { keepProfile, keptProfile, forgetProfile } = window.services
        if (text !== undefined) sessionStorage.setItem('ccs_profile', text)
        const reading = keptProfile()
        const keeping = then === 'in' ? keepProfile(bob) : forgetProfile()
        await Promise.all([reading, keeping])
        return (await keptProfile())?.email
      },
      { bob, text, then },
    )
  }
  expect(await known(undefined, 'in')).toBe('b@x.io')
  expect(await known('cannot be read', 'in')).toBe('b@x.io')
  await page.reload()
  expect((await kept())?.email).toBe('b@x.io')
  expect(await known(undefined, 'out')).toBeUndefined()
})

test('the profile that applications share is the one where the tab has none', async () => {
  const { page, kept } = await world()
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
  expect(await kept()).toEqual(old)
  await share({ email: 'old@x.io', userId: 10267 })
  expect(await kept()).toBeUndefined()
  await share(signedIn)
  expect(await kept()).toEqual(person)
})

test('who signs out, here or in another tab, or gives way to somebody else, is kept no longer', async () => {
  const url = await startServer()
  const context = await profile()
  const [page, other] = [await openEntries(context, url), await openEntries(context, url)]
  const signIn = (page: Page, email: string) =>
    page.evaluate(
      async ({ url, email }) => {
        const account = window.account.createAccount(url)
        await account.signUp(email, 'correct horse').catch(() => {})
        window.account.keepSigned(account, window.weft)
        return window.services.keepProfile(await account.signIn(email, 'correct horse'))
      },
      { url, email },
    )
  const signOut = (page: Page) =>
    page.evaluate((url) => window.account.createAccount(url).signOut(), url)
  const kept = (page: Page) =>
    page.evaluate(async () => ({
      email: (await window.services.keptProfile())?.email,
      stored: sessionStorage.getItem('ccs_profile') !== null,
    }))
  const nobody = { email: undefined, stored: false }

  await signIn(page, 'ada@example.org')
  expect(await kept(page)).toEqual({ email: 'ada@example.org', stored: true })
  await page.evaluate((url) => window.account.createAccount(url).refresh(), url)
  expect(await kept(page)).toEqual({ email: 'ada@example.org', stored: true })
  await signOut(page)
  expect(await kept(page)).toEqual(nobody)

  await signIn(page, 'ada@example.org')
  await signIn(other, 'ada@example.org')
  await signOut(other)
  await expect.poll(() => kept(page)).toEqual(nobody)

  await signIn(page, 'ada@example.org')
  await signIn(other, 'bo@example.org')
  await expect.poll(() => kept(page)).toEqual({ email: 'bo@example.org', stored: false })
})

test('where local storage is full a session lasts as long as the page', async () => {
  const { page, url } = await world()
  const found = await page.evaluate(async (url) => {
    const { createAccount, storedProfile } = window.account
    const account = createAccount(url)
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
    const known = storedProfile()?.email
    // A token that renews is good once.
    const renewed = [await account.refresh(), await account.refresh()].map((p) => p?.email)
    const left = localStorage.getItem('profile')
    await account.signOut()
    return { email, known, renewed, left, after: storedProfile() }
  }, url)
  expect(found).toEqual({
    email: 'ada@example.org',
    known: 'ada@example.org',
    renewed: ['ada@example.org', 'ada@example.org'],
    left: null,
    after: undefined,
  })
})

test('a session that another application stored goes on, and its token is renewed', async () => {
  const { page, url } = await world()
  const found = await page.evaluate(async (url) => {
    const { createAccount, keepSigned, storedProfile } = window.account
    const account = createAccount(url)
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
    const read = storedProfile()

    const given: (string | undefined)[] = []
    const stop = keepSigned(account, {
      ...window.weft,
      setToken: (token) => given.push(token),
    })
    const places = await account.sessions()
    stop()
    const renewed = await account.refresh()
    const refresh = localStorage.getItem('weft-refresh')
    return { legacy, read, given, places, renewed, refresh, left: storedProfile() }
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
  expect(found.given).toEqual([token])
  expect(found.places).toHaveLength(1)
  expect(found.renewed).toMatchObject({ email: 'ada@example.org', userConcept })
  expect(found.refresh).not.toBe(found.legacy.refreshToken)
  expect(found.left).toEqual(found.renewed)
})

async function world() {
  const url = await startServer()
  const page = await openEntries(await profile(), url)
  const kept = async () => {
    await page.waitForFunction(() => window.services !== undefined)
    return page.evaluate(() => window.services.keptProfile())
  }
  const stored = () =>
    page.evaluate(() => ({
      session: sessionStorage.getItem('ccs_profile'),
      local: Object.entries(localStorage),
    }))
  return { page, url, kept, stored }
}
