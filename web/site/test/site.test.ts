import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { profile } from '../../e2e/browser.ts'

test('following a link moves the focus to the heading of the page, says its title and starts at its top', async () => {
  const page = await visit('/')
  await page.evaluate("scrollTo({ top: 900, behavior: 'instant' })")
  await page.locator('main a[href="/about"]').first().click()
  await page.getByRole('heading', { level: 1, name: 'Cloth, not a cupboard' }).waitFor()
  expect(await page.title()).toBe('About Weft')
  expect(await page.evaluate('scrollY')).toBe(0)
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Cloth, not a cupboard')
  expect(await page.locator('#weft-status').textContent()).toBe('About Weft')
  expect(await page.locator('nav a[aria-current]').evaluateAll(hrefs)).toEqual(['/about', '/about'])
})

test('going back returns to where the reader left off, and to the link', async () => {
  const page = await visit('/')
  await page.getByRole('banner').getByRole('link', { name: 'About' }).focus()
  await page.evaluate("scrollTo({ top: 900, behavior: 'instant' })")
  await page.getByRole('banner').getByRole('link', { name: 'About' }).dispatchEvent('click')
  await page.waitForURL('**/about')
  await page.getByRole('heading', { level: 1, name: 'Cloth, not a cupboard' }).waitFor()
  await expect.poll(() => page.evaluate('scrollY')).toBe(0)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Data that holds together' }).waitFor()
  await expect.poll(() => page.evaluate('scrollY')).toBe(900)
  expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('/about')
  await page.goForward()
  await page.getByRole('heading', { level: 1, name: 'Cloth, not a cupboard' }).waitFor()
  await expect.poll(() => page.evaluate('scrollY')).toBe(0)
})

test('a page that does not come says so, and comes when it is asked for again', async () => {
  const page = await (await profile({ serviceWorkers: 'block' })).newPage()
  await page.route('**/api/v1/pages?**', (route) => route.abort())
  await page.goto(await startServer())
  await page.locator('.theme-toggle').waitFor()
  await page.locator('main a[href="/about"]').first().dispatchEvent('click')
  await page.getByRole('heading', { level: 1, name: 'The thread broke' }).waitFor()
  await page.unroute('**/api/v1/pages?**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Cloth, not a cupboard' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/about')
})

test('a page for people who are signed in leads to the sign-in, and only inside this site', async () => {
  const page = await visit('/')
  await page.evaluate(() => {
    const link = document.querySelector<HTMLAnchorElement>('main a[href="/about"]')
    link?.setAttribute('href', '/account?tab=keys')
    link?.click()
  })
  await page.waitForURL('**/login?next=%2Faccount%3Ftab%3Dkeys')
})

test('a menu of the header closes when the reader turns away, and Escape leads back to it', async () => {
  const page = await visit('/')
  const menus = page.getByRole('navigation', { name: 'Main' }).locator('details[open]')
  await page.getByText('Products', { exact: true }).first().click()
  expect(await menus.count()).toBe(1)
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Schema/ })
    .focus()
  await page.keyboard.press('Escape')
  expect(await menus.count()).toBe(0)
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Products')
  await page.keyboard.press('Enter')
  await page.mouse.click(700, 860)
  expect(await menus.count()).toBe(0)
})

test('a link meant for a new window is left alone', async () => {
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

test('both addresses of the home page show it, and an unknown one says so without a reload', async () => {
  const page = await visit('/freeschema-data-fabric')
  await page.getByRole('heading', { level: 1, name: 'Data that holds together' }).waitFor()
  await page.evaluate(() => {
    const link = document.querySelector<HTMLAnchorElement>('main a[href="/about"]')
    link?.setAttribute('href', '/no/such/page')
    link?.click()
  })
  await page.getByRole('heading', { level: 1, name: 'A dropped thread' }).waitFor()
  expect(await page.title()).toBe('Not found: Weft')
})

test('the theme follows the system until it is chosen, and the choice is there before the first paint', async () => {
  const page = await visit('/', 'light')
  expect(await background(page)).toBe('rgb(245, 246, 243)')
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await background(page)).toBe('rgb(16, 19, 31)')
  await page.getByRole('button', { name: 'Dark theme', pressed: true }).click()
  expect(await background(page)).toBe('rgb(245, 246, 243)')

  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.body === null) return
      observer.disconnect()
      Object.assign(window, { early: document.documentElement.getAttribute('data-theme') })
    }).observe(document, { childList: true, subtree: true })
  })
  await page.reload()
  expect(await page.evaluate('early')).toBe('light')
  await page.getByRole('button', { name: 'Dark theme', pressed: false }).waitFor()
})

test('without scripts the page is whole and the demo says what it needs', async () => {
  const url = await startServer()
  const page = await (await profile({ javaScriptEnabled: false })).newPage()
  await page.goto(`${url}/demo`)
  await page.getByText('The notes need JavaScript').waitFor()
  await page.getByRole('link', { name: 'About' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Cloth, not a cupboard' }).waitFor()
})

test('a server that takes nothing from visitors leaves a note here, and says so', async () => {
  const page = await visit('/demo', 'light', ['--max-body=1000000'])
  await page.getByRole('textbox', { name: 'New note' }).fill('kept')
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox', { name: 'kept' }).waitFor()
  await page.getByText('This server takes no notes from visitors.').waitFor()
})

async function visit(
  path: string,
  colorScheme: 'light' | 'dark' = 'light',
  flags: string[] = [],
): Promise<Page> {
  const url = await startServer(...flags)
  const page = await (await profile({ colorScheme })).newPage()
  await page.goto(url + path)
  await page.locator('.theme-toggle').waitFor() // React is here
  return page
}

const background = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor')
const hrefs = (links: Element[]) => links.map((link) => link.getAttribute('href'))
