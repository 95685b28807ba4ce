import { expect, onTestFinished, test } from 'vitest'
import { adminOf } from './admin.ts'
import { profile } from './browser.ts'
import { startPost } from './post.ts'
import { startWeft } from './weft.ts'

const password = 'correct horse battery'

test('somebody makes an account, confirms it by mail, signs in to a page that asks for it, and out', async () => {
  const { weft, post } = await world()
  const page = await (await profile()).newPage()
  await page.goto(`${weft.url}/account`)
  await page.waitForURL('**/login?next=%2Faccount')
  await page.getByRole('link', { name: 'Make an account' }).click()
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Make the account' }).click()
  await page.getByText('Length must be at least 6 characters long').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Make the account' }).click()
  await page.waitForURL('**/account')
  await page.getByText('not yet').waitFor()

  const letter = await post.letter('ada@example.org', '/confirm?token=')
  const [link = ''] = /http\S+\/confirm\?token=\S+/.exec(letter) ?? []
  const mailed = await page.context().newPage()
  await mailed.goto(link)
  await mailed.getByRole('button', { name: 'Confirm' }).click()
  await mailed.getByText('Thank you, the address is confirmed.').waitFor()
  await mailed.close()
  await page.reload()
  await page.getByText(/^on \d/).waitFor()

  await page.getByLabel('What the key is for').fill('a backup')
  await page.getByRole('button', { name: 'Make a key' }).click()
  await page.getByText('It is shown this once').waitFor()
  const key = await page.locator('.made').innerText()
  const who = await fetch(`${weft.url}/api/auth/me`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(await who.json()).toMatchObject({ profile: { email: 'ada@example.org' } })
  await page.getByRole('button', { name: 'End the key a backup' }).click()
  await page.getByText('No program has a key of yours.').waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login?next=%2Faccount')
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('token')
  const kept = await page.evaluate(keptPaths)
  expect(kept).toContain('/account')
  expect(kept.filter((path) => privatePaths.test(path))).toEqual([])
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill('not this one')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: 'password' }).waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/account')
  await page.getByRole('banner').getByRole('link', { name: 'Account' }).waitFor()
})

test('a forgotten password is replaced through a link in a mail, and other tabs hear of the sign-in', async () => {
  const { weft, post } = await world()
  const body = JSON.stringify({ email: 'bob@example.org', password })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${weft.url}/api/auth/signup`, { method: 'POST', headers, body })
  const context = await profile()
  const [page, other] = [await context.newPage(), await context.newPage()]
  await other.goto(`${weft.url}/about`)
  await page.goto(`${weft.url}/login?mode=forgotten&next=https://elsewhere.example/`)
  await page.getByLabel('E-mail').fill('bob@example.org')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('a link is on its way').waitFor()
  const letter = await post.letter('bob@example.org', '/reset?token=')
  const [link = ''] = /http\S+\/reset\?token=\S+/.exec(letter) ?? []
  await page.goto(link)
  await page.getByLabel(/^Password/).fill('a new password')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByText('The password is new.').waitFor()

  await page.goto(`${weft.url}/login?next=https://elsewhere.example/`)
  await page.getByLabel('E-mail').fill('bob@example.org')
  await page.getByLabel('Password', { exact: true }).fill('a new password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${weft.url}/account`)
  await other.getByRole('banner').getByRole('link', { name: 'Account' }).waitFor()
})

test('what a visitor writes is kept in the tab, stored, and mailed to the operator', async () => {
  const { weft, post } = await world('--contact-to', 'office@example.org')
  const page = await (await profile()).newPage()
  await page.goto(`${weft.url}/contact`)
  await page.getByRole('textbox', { name: 'Message' }).fill('Where is the blue thread?')
  await page.reload()
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue())
    .toBe('Where is the blue thread?')
  await page.getByLabel('Your name').fill('Bo')
  await page.getByLabel('E-mail address').fill('bo@')
  await page.getByRole('button', { name: 'Send the message' }).click()
  await page.getByText('Invalid value for email').waitFor()
  await page.getByLabel('E-mail address').fill('bo@example.org')
  await page.context().setOffline(true)
  await page.getByText('There is no network. Nothing is sent').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Send the message' }).click()
  await page.getByRole('heading', { name: 'It has arrived' }).waitFor()
  expect(await post.letter('office@example.org', 'blue thread')).toContain('bo@example.org')
  expect(await weft.count('the_contact_message')).toBe(0) // it is for admins alone
  const token = await adminOf(weft)
  const answer = await fetch(`${weft.url}/api/freeschema-query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      type: 'the_contact_message',
      outputFormat: 1,
      selectors: ['self'],
    }),
  })
  const { data } = (await answer.json()) as { data: unknown }
  const message = { name: 'Bo', email: 'bo@example.org', message: 'Where is the blue thread?' }
  expect(data).toMatchObject([{ the_contact_message: message }])
  expect(await page.evaluate('sessionStorage.getItem("weft-contact")')).toBeNull()
})

/** What is nobody else's business, or holds a token. */
const privatePaths = /^\/(api\/(?!v1\/pages$)|confirm|reset|setup)/

/** The paths of what the worker keeps. */
async function keptPaths(): Promise<readonly string[]> {
  const names = await caches.keys()
  const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
  return lists.flat().map(({ url }) => new URL(url).pathname)
}

/** A server that mails. */
async function world(...flags: string[]) {
  const post = await startPost(onTestFinished)
  const weft = await startWeft()
  await weft.kill()
  await weft.start(['--mail', post.url, '--mail-from', 'weft@example.org', ...flags])
  return { weft, post }
}
