import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AppPage, expectNoPageDefects, openApp, pressEnter } from './app.ts'
import { binary, startWeft, type Weft } from './weft.ts'

const password = 'correct horse'

/** Starts a server with an admin, a user, and the shop of the guide. */
async function startShop(): Promise<Weft> {
  const weft = await startWeft()
  await weft.kill()
  const add = (email: string, ...flags: string[]) =>
    execFileSync(
      binary,
      ['user', 'add', email, '--password-stdin', '--data', weft.data, ...flags],
      { input: password },
    )
  add('ada@example.org', '--admin')
  add('bob@example.org')
  await weft.start()
  const response = await fetch(`${weft.url}/api/v1/local-concepts`, {
    method: 'POST',
    headers: { 'X-Session-Id': 'shop', Randomizer: '1' },
    body: readFileSync(join(import.meta.dirname, '../../docs/examples/shop.json')),
  })
  expect(response.ok).toBe(true)
  return weft
}

async function openAs(weft: Weft, path: string, email: string): Promise<AppPage> {
  const app = await openApp(`${weft.url}/console${path}`)
  await app.page.getByLabel('E-mail').focus()
  await app.page.keyboard.type(email)
  await app.page.keyboard.press('Tab')
  await app.page.keyboard.type(password)
  await app.page.keyboard.press('Enter')
  await app.page.getByRole('navigation', { name: 'Rooms' }).first().waitFor()
  return app
}

const storedSchema = async (weft: Weft): Promise<unknown> =>
  (await fetch(`${weft.url}/api/v1/schema`)).json()

test('an admin declares a field, sees the records that would violate it, applies and undoes it, by keyboard', async () => {
  const weft = await startShop()
  const app = await openAs(weft, '/schema', 'ada@example.org')
  const { page } = app
  await page
    .getByRole('link', { name: /^Orders 4/ })
    .last()
    .press('Enter')
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  await page.getByText('text in 1 of 4').waitFor()
  await expectNoPageDefects(app)

  await pressEnter(page.getByRole('button', { name: 'Declare note' }))
  await page.getByText('none violates the new declaration').waitFor()
  await page.getByLabel('required').press('Space')
  await page.getByRole('link', { name: '3 records would violate this' }).waitFor()
  await expectNoPageDefects(app)
  expect(await storedSchema(weft)).toEqual({ types: {} })

  await pressEnter(page.getByRole('button', { name: 'Apply' }))
  await expect
    .poll(() => storedSchema(weft))
    .toEqual({ types: { order: { fields: { note: { kind: 'text', required: true } } } } })
  await page.getByRole('button', { name: 'Apply' }).waitFor({ state: 'hidden' })
  // The button that had the focus is gone.
  await page.locator('.type-panel h2:focus').waitFor()

  await page.getByRole('link', { name: 'Generated types' }).press('Enter')
  await page.getByText('note: text().required()').waitFor()
  await expectNoPageDefects(app)
  await page.getByRole('link', { name: 'Go', exact: true }).press('Enter')
  await page.getByText('type Order struct').waitFor()

  await page.keyboard.press('Control+z')
  await expect.poll(() => storedSchema(weft)).toEqual({ types: {} })
})

test('a user reads the schema and cannot change it', async () => {
  const weft = await startShop()
  const app = await openAs(weft, '/schema/the_order', 'bob@example.org')
  await app.page.getByText('Only admins can change declarations.').waitFor()
  expect(await app.page.getByRole('button', { name: /^Declare/ }).count()).toBe(0)
  await expectNoPageDefects(app)
  await app.page.goto(`${weft.url}/console/schema/the_dragon`)
  await app.page.getByRole('heading', { name: 'There is no type “the_dragon”' }).waitFor()
})
