import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { open } from './chromium.ts'

// These tests use the real client and a real server. In `ready true false idle`, the words are the status, `isComplete`
// and `hasMore` of the query, and the state of synchronization.

const app = '<div id="app"></div>'

test('useQuery shows typed rows, and changes of this client and of others', async () => {
  const url = await startServer()
  const { page } = await open('fixture-typed.tsx', app)
  const rows = () => page.locator('li').allTextContents()
  await page.evaluate((url) => window.typedFixture.draw(url), url)
  await page.getByText('ready true false idle', { exact: true }).waitFor()
  expect(await rows()).toEqual([])
  await page.evaluate(() => void window.typedFixture.create('Ann'))
  await expect.poll(rows).toEqual(['Ann -'])
  await page.getByText('ready true false idle', { exact: true }).waitFor()
  await page.evaluate(
    (url) =>
      window.typedFixture.writeElsewhere(
        url,
        { name: 'Bo', vip: true, company: 'Acme' },
        { name: 'Cy' },
      ),
    url,
  )
  await expect.poll(rows).toEqual(['Bo Acme', 'Ann -'])
  await page.getByRole('button', { name: 'all' }).click()
  await expect.poll(rows).toEqual(['Cy -', 'Bo Acme'])
  await page.getByText('ready true true idle', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'more' }).click()
  await expect.poll(rows).toEqual(['Cy -', 'Bo Acme', 'Ann -'])
  await page.getByRole('button', { name: 'none' }).click()
  await page.getByText('disabled false false idle', { exact: true }).waitFor()
  expect(await rows()).toEqual([])
})

test('useInfiniteQuery loads a page whenever the end of the list is visible, and each page once', async () => {
  const url = await startServer()
  const { page } = await open('fixture-typed.tsx', app)
  const names = Array.from({ length: 9 }, (_, i) => `Person ${i}`)
  const contacts = names.map((name) => ({ name }))
  await page.evaluate(([url, contacts]) => window.typedFixture.writeElsewhere(url, ...contacts), [
    url,
    contacts,
  ] as const)
  const rows = () => page.locator('li').allTextContents()
  await page.evaluate((url) => window.typedFixture.drawEndless(url), url)
  await expect.poll(rows).toEqual(names.slice(0, 4)) // two pages fill the window, so the end is not visible
  await page.getByText('more').scrollIntoViewIfNeeded()
  await expect.poll(rows).toEqual(names.slice(0, 6))
  await page.mouse.wheel(0, 10_000)
  await expect.poll(rows).toEqual(names.slice(0, 8))
  await page.mouse.wheel(0, 10_000)
  await expect.poll(rows).toEqual(names)
  await page.getByText('end', { exact: true }).waitFor()
})

test('useSuspenseQuery waits for rows, but not forever while offline', async () => {
  const url = await startServer()
  const { page } = await open('fixture-typed.tsx', app)
  await page.evaluate((url) => window.typedFixture.writeElsewhere(url, { name: 'Ann' }), url)
  await page.evaluate((url) => window.typedFixture.drawSuspended(url, {}), url)
  await page.getByText('ready Ann', { exact: true }).waitFor()
  const { page: offline } = await open('fixture-typed.tsx', app)
  await offline.evaluate(() => window.typedFixture.drawSuspended('http://127.0.0.1:1', {}))
  await offline.getByText('ready', { exact: true }).waitFor()
})

test('useSuspenseQuery passes malformed options to the error boundary', async () => {
  const { page } = await open('fixture-typed.tsx', app)
  const where = { nam: 'Ann' }
  await page.evaluate(
    (where) => window.typedFixture.drawSuspended('http://127.0.0.1:1', where),
    where,
  )
  await page.getByRole('alert').getByText('where.nam is not a field or link').waitFor()
})
