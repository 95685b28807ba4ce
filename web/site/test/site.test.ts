import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { profile } from '../../e2e/browser.ts'

test('following a link focuses the heading of the page, announces its title and scrolls to the top', async () => {
  const page = await visit('/')
  await page.evaluate("scrollTo({ top: 900, behavior: 'instant' })")
  await page.locator('main a[href="/about"]').first().click()
  await page.getByRole('heading', { level: 1, name: 'About Weft' }).waitFor()
  await expect.poll(() => page.title()).toBe('About Weft')
  await expect.poll(() => page.evaluate('scrollY')).toBe(0)
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('About Weft')
  await expect.poll(() => page.locator('#weft-status').textContent()).toBe('About Weft')
  expect(await page.locator('nav a[aria-current]').evaluateAll(hrefs)).toEqual(['/about', '/about'])
})

test('going back restores the scroll position and focuses the link that was followed', async () => {
  const page = await visit('/')
  await page.getByRole('banner').getByRole('link', { name: 'About' }).focus()
  await page.evaluate("scrollTo({ top: 900, behavior: 'instant' })")
  await page.getByRole('banner').getByRole('link', { name: 'About' }).dispatchEvent('click')
  await page.waitForURL('**/about')
  await page.getByRole('heading', { level: 1, name: 'About Weft' }).waitFor()
  await expect.poll(() => page.evaluate('scrollY')).toBe(0)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'A backend in one binary' }).waitFor()
  await expect.poll(() => page.evaluate('scrollY')).toBe(900)
  await expect
    .poll(() => page.evaluate('document.activeElement.getAttribute("href")'))
    .toBe('/about')
  await page.goForward()
  await page.getByRole('heading', { level: 1, name: 'About Weft' }).waitFor()
  await expect.poll(() => page.evaluate('scrollY')).toBe(0)
})

test('shows an error when a page cannot be loaded, and loads it on retry', async () => {
  const page = await (await profile({ serviceWorkers: 'block' })).newPage()
  await page.route('**/api/v1/pages?**', (route) => route.abort())
  await page.goto(await startServer())
  await page.locator('.theme-toggle').waitFor()
  await page.locator('main a[href="/about"]').first().dispatchEvent('click')
  await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor()
  await page.unroute('**/api/v1/pages?**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'About Weft' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/about')
})

test('redirects guests from a guarded page to the sign-in page', async () => {
  const page = await visit('/')
  await page.evaluate(() => {
    const link = document.querySelector<HTMLAnchorElement>('main a[href="/about"]')
    link?.setAttribute('href', '/account?tab=keys')
    link?.click()
  })
  await page.waitForURL('**/login?next=%2Faccount%3Ftab%3Dkeys')
})

test('closes a header menu on a click elsewhere and on Escape, which also returns the focus to the menu', async () => {
  const page = await visit('/')
  const menus = page.getByRole('navigation', { name: 'Main' }).locator('details[open]')
  await page.getByText('Examples', { exact: true }).first().click()
  await expect.poll(() => menus.count()).toBe(1)
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Schema/ })
    .focus()
  await page.keyboard.press('Escape')
  await expect.poll(() => menus.count()).toBe(0)
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Examples')
  await page.keyboard.press('Enter')
  await expect.poll(() => menus.count()).toBe(1)
  await page.mouse.click(700, 860)
  await expect.poll(() => menus.count()).toBe(0)
})

test('does not intercept a link that opens a new window', async () => {
  const page = await visit('/')
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page
      .locator('main a[href="/about"]')
      .first()
      .click({ modifiers: ['Control'] }),
  ])
  await opened.waitForURL('**/about')
  expect(new URL(page.url()).pathname).toBe('/')
})

test('shows the home page at both of its addresses, and the 404 page at an unknown one without a reload', async () => {
  const page = await visit('/freeschema-data-fabric')
  await page.getByRole('heading', { level: 1, name: 'A backend in one binary' }).waitFor()
  await page.evaluate(() => {
    const link = document.querySelector<HTMLAnchorElement>('main a[href="/about"]')
    link?.setAttribute('href', '/no/such/page')
    link?.click()
  })
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  await expect.poll(() => page.title()).toBe('Not found | Weft')
})

test('the theme follows the system until the reader chooses one, and the choice applies before the first paint', async () => {
  const page = await visit('/', 'light')
  await expect.poll(() => background(page)).toBe('rgb(245, 246, 243)')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(() => background(page)).toBe('rgb(16, 19, 31)')
  await page.getByRole('button', { name: 'Dark theme', pressed: true }).click()
  await expect.poll(() => background(page)).toBe('rgb(245, 246, 243)')

  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.body === null) return
      observer.disconnect()
      Object.assign(window, { earlyTheme: document.documentElement.getAttribute('data-theme') })
    }).observe(document, { childList: true, subtree: true })
  })
  await page.reload()
  expect(await page.evaluate('earlyTheme')).toBe('light')
  await page.getByRole('button', { name: 'Dark theme', pressed: false }).waitFor()
})

test('without scripts pages can be read, and the demo states that it needs JavaScript', async () => {
  const url = await startServer()
  const page = await (await profile({ javaScriptEnabled: false })).newPage()
  await page.goto(`${url}/demo`)
  await page.getByText('This demo needs JavaScript').waitFor()
  await page.getByRole('link', { name: 'About' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'About Weft' }).waitFor()
})

test('keeps a note in the browser when the server does not accept notes from guests', async () => {
  const page = await visit('/demo', 'light', ['--max-body=1000000'])
  await page.getByRole('textbox', { name: 'New note' }).fill('kept')
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox', { name: 'kept' }).waitFor()
  await page.getByText('This server does not accept notes from guests.').waitFor()
})

async function visit(
  path: string,
  colorScheme: 'light' | 'dark' = 'light',
  flags: string[] = [],
): Promise<Page> {
  const url = await startServer(...flags)
  const page = await (await profile({ colorScheme })).newPage()
  await page.goto(url + path)
  await page.locator('.theme-toggle').waitFor() // React has rendered
  return page
}

const background = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor')
const hrefs = (links: Element[]) => links.map((link) => link.getAttribute('href'))
