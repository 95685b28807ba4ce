import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { profile } from '../../e2e/browser.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'

test('without a network every address opens, also one that was not visited', async () => {
  const cable = await wireCutter(Number(new URL(await startServer()).port))
  const context = await profile()
  const page = await context.newPage()
  await page.goto(`${cable.url}/demo`)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  cable.cut()
  await context.setOffline(true)

  for (const [path, heading] of Object.entries(headings)) {
    await page.goto(cable.url + path)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    if (path !== '/no/such/page') await page.locator('.theme-toggle').waitFor() // React is here
  }
  await page.getByRole('link', { name: 'About' }).first().click()
  await page.getByRole('heading', { level: 1, name: headings['/about'] }).waitFor()
  expect(errors).toEqual([])
})

const headings = {
  '/about': 'Cloth, not a cupboard',
  '/contact': 'Many threads, one knot',
  '/freeschema-data-fabric': 'Data that holds together',
  '/demo?from=a-link': 'Notes that outlive the network',
  '/no/such/page': 'The thread broke',
  '/': 'Data that holds together',
}
