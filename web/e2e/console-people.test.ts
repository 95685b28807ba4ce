import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectNoLayerDefects, expectNoPageDefects, pressEnter } from './app.ts'
import { openAs, password, startWithUsers } from './console-user.ts'
import type { Weft } from './weft.ts'

const press = (page: Page, name: string) =>
  pressEnter(page.getByRole('button', { name, exact: true }))

const signIn = (weft: Weft, email: string): Promise<Response> =>
  fetch(`${weft.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })

test('an admin finds a user, disables the account and undoes it, all by keyboard', async () => {
  const weft = await startWithUsers()
  await signIn(weft, 'bob@example.org')
  const app = await openAs(weft, '/people/users', 'ada@example.org')
  const { page } = app
  await page.getByRole('link', { name: 'bob@example.org' }).waitFor()
  await expectNoPageDefects(app)

  await page.keyboard.press('/')
  await page.keyboard.type('BOB')
  await page.waitForURL(/q=BOB/)
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  await page.getByRole('link', { name: 'bob@example.org' }).press('Enter')
  await page.getByRole('heading', { name: 'bob@example.org' }).waitFor()
  await expectNoPageDefects(app)

  await press(page, 'Disable the account')
  await page.getByText('bob@example.org is disabled and signed out').waitFor()
  expect((await signIn(weft, 'bob@example.org')).ok).toBe(false)
  await page.keyboard.press('Control+z')
  await page.getByRole('button', { name: 'Disable the account' }).waitFor()
  expect((await signIn(weft, 'bob@example.org')).ok).toBe(true)

  await page.goto(`${weft.url}/console/people/audit`)
  await page.getByRole('cell', { name: 'disabled the account' }).waitFor()
  await expectNoPageDefects(app)
})

test('the last admin keeps the role, and an account is deleted after its address is typed', async () => {
  const weft = await startWithUsers()
  const app = await openAs(weft, '/people/users', 'ada@example.org')
  const { page } = app
  await page.getByRole('link', { name: 'ada@example.org' }).press('Enter')
  await page.getByText('The last admin cannot lose the role.').waitFor()
  expect(await page.getByRole('button', { name: /role|Disable|Delete/ }).count()).toBe(0)

  await page.goto(`${weft.url}/console/people/users`)
  await page.getByRole('link', { name: 'bob@example.org' }).press('Enter')
  await press(page, 'Delete the account')
  const dialog = page.getByRole('dialog', { name: 'Delete an account' })
  await dialog.getByRole('textbox').press('b')
  await page.keyboard.press('Enter')
  await dialog.getByText('Type bob@example.org to continue.').waitFor()
  await expectNoLayerDefects(app)
  await dialog.getByRole('textbox').press('Control+a')
  await page.keyboard.type('bob@example.org')
  await page.keyboard.press('Enter')
  await page.getByText('The account of bob@example.org was deleted').waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  expect((await signIn(weft, 'bob@example.org')).ok).toBe(false)
})

test('a new user without a password gets a link, and Undo restores a removed role', async () => {
  const weft = await startWithUsers()
  const app = await openAs(weft, '/people/admins', 'ada@example.org')
  const { page } = app
  await press(page, 'New user')
  await expectNoLayerDefects(app)
  await page.getByRole('dialog').getByLabel('E-mail').press('Control+a')
  await page.keyboard.type('mira@example.org')
  await page.keyboard.press('Enter')
  const link = await page.locator('.secret').innerText()
  await expectNoLayerDefects(app)
  expect((await fetch(link)).status).toBe(200)
  await press(page, 'Done')
  await page.getByText('admin: all records').waitFor()
  await press(page, 'Link for a new password')
  await page.locator('.secret').waitFor()
  await expectNoLayerDefects(app)
  await press(page, 'Done')
  await press(page, 'Remove the admin role')
  await page.getByText('mira@example.org is no longer an admin').waitFor()
  await page.keyboard.press('Control+z')
  await page.getByText('admin: all records').waitFor()
})

test('a user creates a key, which is shown once and works, and revokes it', async () => {
  const weft = await startWithUsers()
  const app = await openAs(weft, '/people', 'bob@example.org')
  const { page } = app
  await page.getByText('this browser').waitFor()
  expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0)
  await page.goto(`${weft.url}/console/people/users`)
  await page.getByText('There is no such page, or you may not see it').waitFor()

  await page.getByRole('link', { name: 'Your keys' }).first().press('Enter')
  await press(page, 'New key')
  await expectNoLayerDefects(app)
  await page.getByLabel(/Name, for example/).press('w')
  await page.keyboard.press('Enter')
  const secret = await page.locator('.secret').innerText()
  await expectNoLayerDefects(app)
  const callWithKey = () =>
    fetch(`${weft.url}/api/auth/me`, { headers: { Authorization: `Bearer ${secret}` } })
  expect((await callWithKey()).status).toBe(200)
  await press(page, 'Done')
  await page.getByRole('cell', { name: 'reads everything' }).waitFor()
  await expectNoPageDefects(app)
  await page.reload()
  expect(await page.content()).not.toContain(secret)

  await press(page, 'Revoke the key w')
  await expectNoLayerDefects(app)
  await page.getByRole('dialog').getByRole('textbox').press('w')
  await page.keyboard.press('Enter')
  await page.getByText('The key w was revoked').waitFor()
  expect((await callWithKey()).status).toBe(401)
})
