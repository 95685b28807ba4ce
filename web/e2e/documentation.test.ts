import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { profile } from './browser.ts'
import { startWeft, type Weft } from './weft.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let weft: Weft
const cleanups: (() => Promise<void>)[] = []
beforeAll(async () => {
  weft = await startWeft((cleanup) => cleanups.push(cleanup))
})
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup()
})

test.each([
  { width: 1440, scheme: 'light' },
  { width: 1000, scheme: 'dark' },
  { width: 360, scheme: 'light' },
] as const)(
  'at $width px in the $scheme scheme no page overflows, logs errors or violates accessibility rules',
  async ({ width, scheme }) => {
    const context = await profile({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      serviceWorkers: 'block',
    })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    page.on('pageerror', (error) => errors.push(String(error)))
    for (const path of ['/docs', '/docs/client', '/docs/operations', '/docs/search?q=offline']) {
      await page.goto(weft.url + path)
      expect(await overflow(page), path).toBe(0)
      expect(await violations(page), path).toEqual([])
    }
    expect(errors).toEqual([])
  },
)

test('without scripts the pages, their lists and the search work', async () => {
  const page = await (await profile({ javaScriptEnabled: false })).newPage()
  await page.goto(`${weft.url}/docs`)
  await page
    .getByRole('navigation', { name: 'Documentation' })
    .getByRole('link', { name: 'Queries', exact: true })
    .click()
  await page.getByRole('heading', { level: 1, name: 'Queries', exact: true }).waitFor()
  await page.getByRole('searchbox').fill('replace a link')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('link', { name: /^Set and replace a link/ }).click()
  await page.getByRole('heading', { level: 2, name: 'Set and replace a link' }).waitFor()
  expect(new URL(page.url()).hash).toBe('#set-and-replace-a-link')
})

test('the search shows results while typing, and a result opens its section', async () => {
  const page = await (await profile()).newPage()
  await page.goto(`${weft.url}/docs/client`)
  await page.keyboard.press('/')
  await page.keyboard.type('renews the tokenz')
  await page.getByText('No section has all of these words').waitFor()
  await page.getByRole('searchbox').fill('renews token')
  await page.getByRole('link', { name: /^Sign in The/ }).click()
  await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
})

test('samples have the address of the server, and are copied without their label', async () => {
  const context = await profile({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  await page.goto(`${weft.url}/docs/install`)
  const sample = page.locator('figure.code').first()
  await sample.getByRole('button', { name: 'Copy' }).click()
  await sample.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `npx ${weft.url}/packages/create-weft.tgz my-app --server ${weft.url}\ncd my-app\nnpm run dev\n`,
  )
})

test('examples in several languages are tabs, and a choice applies to the whole page', async () => {
  const page = await (await profile()).newPage()
  await page.goto(`${weft.url}/docs/client-queries`)
  const groups = page.locator('.alternatives')
  const shown = () => groups.locator('figure:visible figcaption').allTextContents()
  expect(await groups.count()).toBe(9)
  expect(new Set(await shown())).toEqual(new Set(['TypeScript']))
  await groups.nth(1).getByRole('tab', { name: 'Go' }).click()
  expect(new Set(await shown())).toEqual(new Set(['Go']))
  await page.keyboard.press('ArrowRight')
  // Groups without curl show their first language.
  expect((await shown()).sort()).toEqual([...Array(7).fill('TypeScript'), 'curl', 'curl'].sort())
  expect(await violations(page)).toEqual([])
})

test('the theme is stored for the whole site', async () => {
  const page = await (await profile({ colorScheme: 'light' })).newPage()
  await page.goto(`${weft.url}/docs`)
  await page.getByRole('button', { name: 'Dark theme' }).click()
  await page.goto(`${weft.url}/about`)
  expect(await page.evaluate(() => document.documentElement.getAttribute('data-theme'))).toBe(
    'dark',
  )
})

test('the site links to the documentation, which loads as a separate document', async () => {
  const page = await (await profile()).newPage()
  await page.goto(weft.url)
  await page.getByRole('banner').getByRole('link', { name: 'Docs' }).click()
  await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
  const missing = await page.goto(`${weft.url}/docs/offline-transactions`)
  expect(missing?.status()).toBe(404)
  expect(await page.getByRole('searchbox').inputValue()).toBe('offline transactions')
})

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Returns the accessibility rules that a page violates. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run(options: object): Promise<{
          violations: readonly { id: string; nodes: readonly { html: string }[] }[]
        }>
      }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  })
}
