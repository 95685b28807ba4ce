import { expect, onTestFinished, test } from 'vitest'
import { adminOf } from './admin.ts'
import { profile } from './browser.ts'
import { startMailServer } from './mail-server.ts'
import { startWeft } from './weft.ts'

const password = 'correct horse battery'

test('a user creates an account, confirms it by mail, creates an API key, signs out and signs in', async () => {
  const { weft, mailServer } = await startWeftWithMail()
  const page = await (await profile()).newPage()
  await page.goto(`${weft.url}/account`)
  await page.waitForURL('**/login?next=%2Faccount')
  await page.getByRole('link', { name: 'Create account' }).click()
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('Length must be at least 6 characters long').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/account')
  await page.getByText('not yet').waitFor()

  const mail = await mailServer.waitForMail('ada@example.org', '/confirm?token=')
  const [link = ''] = /http\S+\/confirm\?token=\S+/.exec(mail) ?? []
  const confirmPage = await page.context().newPage()
  await confirmPage.goto(link)
  await confirmPage.getByRole('button', { name: 'Confirm' }).click()
  await confirmPage.getByText('Thank you, the address is confirmed.').waitFor()
  await confirmPage.close()
  await page.reload()
  await page.getByText(/^on \d/).waitFor()

  await page.getByLabel('Name of the new key').fill('a backup')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('It is shown only once').waitFor()
  const key = await page.locator('.made').innerText()
  const me = await fetch(`${weft.url}/api/auth/me`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(await me.json()).toMatchObject({ profile: { email: 'ada@example.org' } })
  await page.getByRole('button', { name: 'Revoke the key a backup' }).click()
  await page.getByText('You have no API keys.').waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login?next=%2Faccount')
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('token')
  const cached = await page.evaluate(cachedPaths)
  expect(cached).toContain('/account')
  expect(cached.filter((path) => privatePaths.test(path))).toEqual([])
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill('not this one')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: 'password' }).waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/account')
  await page.getByRole('banner').getByRole('link', { name: 'Account' }).waitFor()
})

test('a user resets a forgotten password by mail, and other tabs show that the user is signed in', async () => {
  const { weft, mailServer } = await startWeftWithMail()
  const body = JSON.stringify({ email: 'bob@example.org', password })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${weft.url}/api/auth/signup`, { method: 'POST', headers, body })
  const context = await profile()
  const [page, other] = [await context.newPage(), await context.newPage()]
  await other.goto(`${weft.url}/about`)
  await page.goto(`${weft.url}/login?mode=forgotten&next=https://elsewhere.example/`)
  await page.getByLabel('E-mail').fill('bob@example.org')
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByText('a link is on its way').waitFor()
  const mail = await mailServer.waitForMail('bob@example.org', '/reset?token=')
  const [link = ''] = /http\S+\/reset\?token=\S+/.exec(mail) ?? []
  await page.goto(link)
  await page.getByLabel(/^Password/).fill('a new password')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByText('Your new password is set.').waitFor()

  await page.goto(`${weft.url}/login?next=https://elsewhere.example/`)
  await page.getByLabel('E-mail').fill('bob@example.org')
  await page.getByLabel('Password', { exact: true }).fill('a new password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${weft.url}/account`)
  await other.getByRole('banner').getByRole('link', { name: 'Account' }).waitFor()
})

test('a contact message survives a reload, is stored for admins and sent to the operator by mail', async () => {
  const { weft, mailServer } = await startWeftWithMail('--contact-to', 'office@example.org')
  const page = await (await profile()).newPage()
  await page.goto(`${weft.url}/contact`)
  await page.getByRole('textbox', { name: 'Message' }).fill('When is the next release?')
  await page.reload()
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue())
    .toBe('When is the next release?')
  await page.getByLabel('Your name').fill('Bo')
  await page.getByLabel('E-mail address').fill('bo@')
  await page.getByRole('button', { name: 'Send message' }).click()
  await page.getByText('Invalid value for email').waitFor()
  await page.getByLabel('E-mail address').fill('bo@example.org')
  await page.context().setOffline(true)
  await page.getByText('You are offline. Your message stays here').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Send message' }).click()
  await page.getByRole('heading', { name: 'Message sent' }).waitFor()
  expect(await mailServer.waitForMail('office@example.org', 'next release')).toContain(
    'bo@example.org',
  )
  expect(await weft.count('the_contact_message')).toBe(0) // only admins can read it
  const token = await adminOf(weft)
  const response = await fetch(`${weft.url}/api/freeschema-query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      type: 'the_contact_message',
      outputFormat: 1,
      selectors: ['self'],
    }),
  })
  const { data } = (await response.json()) as { data: unknown }
  const message = { name: 'Bo', email: 'bo@example.org', message: 'When is the next release?' }
  expect(data).toMatchObject([{ the_contact_message: message }])
  expect(await page.evaluate('sessionStorage.getItem("weft-contact")')).toBeNull()
})

/**
 * Paths of private responses, and of addresses that contain a token. The service worker may store no response of the API except
 * the published pages.
 */
const privatePaths = /^\/(api\/(?!v1\/pages$)|confirm|reset|setup)/

/** Returns the paths of all responses in the caches of the service worker. */
async function cachedPaths(): Promise<readonly string[]> {
  const names = await caches.keys()
  const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
  return lists.flat().map(({ url }) => new URL(url).pathname)
}

/** Starts Weft with a local mail server. */
async function startWeftWithMail(...flags: string[]) {
  const mailServer = await startMailServer(onTestFinished)
  const weft = await startWeft()
  await weft.kill()
  await weft.start(['--mail', mailServer.url, '--mail-from', 'weft@example.org', ...flags])
  return { weft, mailServer }
}
