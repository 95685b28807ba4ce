import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { profile } from './browser.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A page of the site, and what its console complained of. */
export interface AppPage {
  readonly page: Page
  readonly complaints: readonly string[]
}

export async function openApp(url: string): Promise<AppPage> {
  const page = await (await profile()).newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // Chromium itself reports what the server has refused.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  await page.goto(url)
  return { page, complaints }
}

/** What must be true of an application as it stands, on a desk and on a phone, light and dark. */
export async function expectSound({ page, complaints }: AppPage): Promise<void> {
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1440, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await violations(page)).toEqual([])
  }
  expect(complaints).toEqual([])
}

async function violations(page: Page): Promise<unknown> {
  // Through the debugger, because the page's own policy forbids foreign scripts.
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${axe}; axe.run(document).then((found) =>
      JSON.stringify(found.violations.map(({ id, nodes }) => [id, nodes.map((n) => n.target)])))`,
    awaitPromise: true,
  })
  return JSON.parse(result.value as string)
}
