import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { profile } from './browser.ts'
import { startWeft, type Weft } from './weft.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let weft: Weft
const ends: (() => Promise<void>)[] = []
beforeAll(async () => {
  weft = await startWeft((end) => ends.push(end))
})
afterAll(async () => {
  for (const end of ends) await end()
})

const pages = [
  { path: '/', status: 200 },
  { path: '/freeschema-data-fabric', status: 200 },
  { path: '/about', status: 200 },
  { path: '/contact', status: 200 },
  { path: '/nothing-here', status: 404 },
]

describe('the first response, without a script', () => {
  test.each(pages)('$path has title, description and text', async ({ path, status }) => {
    const answer = await fetch(weft.url + path)
    const html = await answer.text()
    expect(answer.status).toBe(status)
    expect(html).toMatch(/<title>[^<]{5,}<\/title>/)
    expect(html).toMatch(/<meta name="description" content="[^"]{20,}"/)
    expect(html).toMatch(/<h1[^>]*>/)
    expect(html).toContain('data-widget=')
    expect(answer.headers.get('content-security-policy')).not.toContain('unsafe-eval')
  })
})

describe.each([
  { width: 1440, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
  { width: 320, scheme: 'light' },
] as const)('at $width px, $scheme', ({ width, scheme }) => {
  test.each([...pages, { path: '/demo', status: 200 }])(
    '$path is whole, quiet and accessible',
    async ({ path }) => {
      const { page, complaints } = await visit(path, width, scheme)
      await page.locator('main h1').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await violations(page)).toEqual([])
      expect(complaints).toEqual([])
    },
  )
})

test('a link inside a stored page navigates without a reload, and back works', async () => {
  const { page } = await visit('/', 1440, 'light')
  await page.evaluate('window.stillHere = true')
  await page.locator('header a[href="/about"]').first().click()
  await page.waitForURL('**/about')
  await page.locator('main h1').first().waitFor()
  const about = await page.title()
  await page.goBack()
  await page.waitForFunction((title) => document.title !== title, about)
  expect(new URL(page.url()).pathname).toBe('/')
  expect(await page.evaluate('window.stillHere')).toBe(true)
})

test('React takes over without moving anything', async () => {
  const context = await profile()
  const page = await context.newPage()
  await page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.push((entry as unknown as { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(weft.url, { waitUntil: 'networkidle' })
  const shifts = (await page.evaluate('window.shifts')) as number[]
  expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.02)
})

async function visit(path: string, width: number, colorScheme: 'light' | 'dark') {
  const context = await profile({ viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // Chromium itself reports the 404 of a page that does not exist.
    if (message.type() === 'error' && !message.text().includes('404'))
      complaints.push(message.text())
  })
  await page.goto(weft.url + path, { waitUntil: 'load' })
  return { page, complaints }
}

async function violations(page: Page): Promise<string[]> {
  // Through the debugger, because the page's own policy forbids foreign scripts.
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${axe}; axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] }).then((found) =>
      JSON.stringify(found.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).join(', '))))`,
    awaitPromise: true,
  })
  return JSON.parse(result.value as string) as string[]
}
