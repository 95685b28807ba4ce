import { expect, test } from 'vitest'
import { expectNoPageDefects, pressEnter } from './app.ts'
import { openAs, startWithUsers } from './console-user.ts'

test('an admin sees the health of the server, and each chart as a table', async () => {
  const weft = await startWithUsers()
  const app = await openAs(weft, '/operations', 'ada@example.org')
  const { page } = app
  await page.getByText('The server is working', { exact: true }).waitFor()
  await page.locator('.plot canvas').first().waitFor()
  await expectNoPageDefects(app)
  await page.getByRole('button', { name: 'As a table: Requests per second' }).press('Enter')
  await page.getByRole('region', { name: 'Requests per second' }).waitFor()
  expect(new URL(page.url()).searchParams.get('table')).toBe('requests')
  expect(await page.getByRole('row').count()).toBeGreaterThan(50)
})

test('every section of Operations opens by keyboard, without defects', async () => {
  const weft = await startWithUsers()
  const app = await openAs(weft, '/operations', 'ada@example.org')
  const { page } = app
  const names = ['Slow queries', 'Logs', 'Visits', 'Mail', 'Uploads', 'Usage ranking', 'Jobs']
  for (const name of [...names, 'Backups', 'Settings', 'Version']) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('link', { name, exact: true }).first().press('Enter')
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.locator('.page :is(table, h2, dl)').first().waitFor()
    await expectNoPageDefects(app)
  }
  await page.goto(`${weft.url}/console/operations/settings?only=changed`)
  await page.getByRole('cell', { name: 'flag --data' }).waitFor()
})

test('an admin creates a backup, checks that it can be restored, and downloads it', async () => {
  const weft = await startWithUsers()
  const { page } = await openAs(weft, '/operations/backups', 'ada@example.org')
  await page.getByRole('button', { name: 'Create a backup' }).press('Enter')
  // The list contains the archive before the task that creates it has ended.
  await pressEnter(page.getByRole('button', { name: /^Check / }))
  await page.getByText(/can be restored, now/).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Download / }).press('Enter')
  expect((await (await download).failure()) ?? 'complete').toBe('complete')
})

test('users without the admin role see nothing of Operations', async () => {
  const weft = await startWithUsers()
  const { page } = await openAs(weft, '/operations/settings', 'bob@example.org')
  await page.getByText('There is no such page, or you may not see it').waitFor()
  expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0)
})
