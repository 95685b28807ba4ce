import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { profile } from '../../e2e/browser.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'

test('opens every address offline, including pages that were not visited', async () => {
  const network = await startNetworkProxy(Number(new URL(await startServer()).port))
  const context = await profile()
  const page = await context.newPage()
  await page.goto(`${network.url}/demo`)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  network.disconnect()
  await context.setOffline(true)

  for (const [path, heading] of Object.entries(headings)) {
    await page.goto(network.url + path)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    if (path !== '/no/such/page') await page.locator('.theme-toggle').waitFor() // React has rendered
  }
  await page.getByRole('link', { name: 'About' }).first().click()
  await page.getByRole('heading', { level: 1, name: headings['/about'] }).waitFor()
  expect(errors).toEqual([])
})

const headings = {
  '/about': 'About Weft',
  '/contact': 'Contact us',
  '/freeschema-data-fabric': 'A backend in one binary',
  '/demo?from=a-link': 'Notes that work offline',
  '/no/such/page': 'This page could not be loaded',
  '/': 'A backend in one binary',
}
