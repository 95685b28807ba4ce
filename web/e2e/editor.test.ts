import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectNoPageDefects, openApp } from './app.ts'
import { startWeft } from './weft.ts'

test('adds, edits, links and deletes ideas, and syncs them to another browser', async () => {
  const weft = await startWeft()
  const app = await openApp(`${weft.url}/products-concept-editor`)
  const { page } = app
  await addIdea(page, 'Shuttle', 'tool')
  await addIdea(page, 'Cloth', 'thing')
  await page.getByRole('form', { name: 'Link this idea' }).getByLabel('Relation').fill('comes of')
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page
    .getByRole('list', { name: 'Links', exact: true })
    .getByText('comes of Shuttle')
    .waitFor()
  await waitUntilSynced(page)
  await expectNoPageDefects(app)

  await page.getByRole('form', { name: 'Edit this idea' }).getByLabel('Name').fill('Linen')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: 'Idea: Linen' }).waitFor()
  await waitUntilSynced(page)

  const other = await openApp(`${weft.url}/products-concept-editor`)
  await choose(other.page, 'Linen')
  await other.page.getByText('comes of Shuttle').waitFor()

  await page.getByRole('button', { name: 'Delete “Linen”' }).click()
  await expect.poll(() => ideas(page)).toEqual(['Shuttle'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('comes of Shuttle').waitFor()
  await expect.poll(() => ideas(page)).toEqual(['Linen', 'Shuttle'])
  await page.getByRole('button', { name: /^Remove the link/ }).click()
  await expect.poll(() => page.getByText('comes of Shuttle').count()).toBe(0)
})

test('an idea created while the server is down is pending, survives a reload and syncs', async () => {
  const weft = await startWeft()
  const { page } = await openApp(`${weft.url}/products-concept-editor`)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await addIdea(page, 'Before', '')
  await waitUntilSynced(page)
  await weft.kill()
  await addIdea(page, 'Meanwhile', '')
  await page.getByText('pending: stored in this browser').waitFor()
  await weft.start()
  await page.reload()
  await choose(page, 'Meanwhile')
  await page.getByText('synced: stored on the server').waitFor()
  expect(await weft.count('the_idea')).toBe(2)
})

test('offers guests to sign in when the server does not accept their changes', async () => {
  const weft = await startWeft()
  await weft.kill()
  await weft.start([])
  const { page } = await openApp(`${weft.url}/products-concept-editor`)
  await page.getByRole('button', { name: 'Load an example' }).click()
  await page.getByText('does not accept changes from guests').waitFor()
  const signInLink = page.getByRole('link', { name: 'Sign in to save them' })
  expect(await signInLink.getAttribute('href')).toBe('/login?next=%2Fproducts-concept-editor')
  await choose(page, 'Cache')
  await page.getByText('includes Outbox').waitFor()
})

async function addIdea(page: Page, name: string, kind: string): Promise<void> {
  const form = page.getByRole('form', { name: 'New idea' })
  await form.getByLabel('New idea').fill(name)
  await form.getByLabel('Type').fill(kind)
  await form.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('region', { name: `Idea: ${name}` }).waitFor()
}

const waitUntilSynced = (page: Page) => page.getByText('All changes are on the server.').waitFor()

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
