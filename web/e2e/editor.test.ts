import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectSound, openApp } from './app.ts'
import { startWeft } from './weft.ts'

test('ideas are added, changed, linked and removed, and reach another profile', async () => {
  const weft = await startWeft()
  const app = await openApp(`${weft.url}/products-concept-editor`)
  const { page } = app
  await add(page, 'Shuttle', 'tool')
  await add(page, 'Cloth', 'thing')
  await page.getByRole('form', { name: 'Link this idea' }).getByLabel('How').fill('comes of')
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByRole('list', { name: 'Links from here' }).getByText('comes of Shuttle').waitFor()
  await synced(page)
  await expectSound(app)

  await page.getByRole('form', { name: 'Change this idea' }).getByLabel('Value').fill('Linen')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: 'Idea: Linen' }).waitFor()
  await synced(page)

  const other = await openApp(`${weft.url}/products-concept-editor`)
  await choose(other.page, 'Linen')
  await other.page.getByText('comes of Shuttle').waitFor()

  await page.getByRole('button', { name: 'Remove “Linen”' }).click()
  await expect.poll(() => ideas(page)).toEqual(['Shuttle'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('comes of Shuttle').waitFor()
  await expect.poll(() => ideas(page)).toEqual(['Linen', 'Shuttle'])
  await page.getByRole('button', { name: /^Remove the link/ }).click()
  await expect.poll(() => page.getByText('comes of Shuttle').count()).toBe(0)
})

test('what is made without a network is pending, survives a reload and arrives', async () => {
  const weft = await startWeft()
  const { page } = await openApp(`${weft.url}/products-concept-editor`)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await add(page, 'Before', '')
  await synced(page)
  await weft.kill()
  await add(page, 'Meanwhile', '')
  await page.getByText('pending: kept here').waitFor()
  await weft.start()
  await page.reload()
  await choose(page, 'Meanwhile')
  await page.getByText('synced: the server has it').waitFor({ timeout: 30_000 })
  expect(await weft.count('the_idea')).toBe(2)
})

test('a server that takes nothing from visitors says so, and where to sign in', async () => {
  const weft = await startWeft()
  await weft.kill()
  await weft.start([])
  const { page } = await openApp(`${weft.url}/products-concept-editor`)
  await page.getByRole('button', { name: 'Begin with an example' }).click()
  await page.getByText('nothing is kept there').waitFor()
  const sign = page.getByRole('link', { name: 'Sign in to keep it' })
  expect(await sign.getAttribute('href')).toBe('/login?next=%2Fproducts-concept-editor')
  await choose(page, 'Weft')
  await page.getByText('crosses Warp').waitFor()
})

async function add(page: Page, name: string, kind: string): Promise<void> {
  const form = page.getByRole('form', { name: 'New idea' })
  await form.getByLabel('New idea').fill(name)
  await form.getByLabel('Its type').fill(kind)
  await form.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('region', { name: `Idea: ${name}` }).waitFor()
}

const synced = (page: Page) => page.getByText('Everything is on the server.').waitFor()

async function choose(page: Page, name: string): Promise<void> {
  await page.getByText(/^(All \d+ concepts|The only concept)$/).click()
  await page.getByRole('button', { name: `${name} Ideas` }).click()
}

async function ideas(page: Page): Promise<string[]> {
  const all = page.locator('.weft-graph-all')
  if (!(await all.getAttribute('open').then((open) => open !== null)))
    await all.locator('summary').click()
  return (await all.getByRole('button').allInnerTexts())
    .map((text) => text.replace(' Ideas', ''))
    .sort()
}
