import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { profile } from './browser.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A page of the site, with the errors of its console. */
export interface AppPage {
  readonly page: Page
  readonly consoleErrors: readonly string[]
}

/** Opens a page of the site in a new profile and records its console errors. */
export async function openApp(url: string): Promise<AppPage> {
  const page = await (await profile()).newPage()
  const consoleErrors: string[] = []
  page.on('pageerror', (error) => consoleErrors.push(error.message))
  page.on('console', (message) => {
    // Chromium logs failed requests, which tests provoke on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      consoleErrors.push(message.text())
  })
  await page.goto(url)
  return { page, consoleErrors }
}

/** Presses Enter on a control when it is enabled. Playwright's `press` does not wait for this, so the key would be lost. */
export async function pressEnter(control: Locator): Promise<void> {
  await expect.poll(() => control.isEnabled()).toBe(true)
  await control.press('Enter')
}

/**
 * Expects no horizontal overflow, no accessibility violation and no console error, at phone width in the dark theme and at
 * desktop width in the light theme.
 *
 * @param within selector of the elements whose accessibility is checked
 */
export async function expectNoPageDefects(
  { page, consoleErrors }: AppPage,
  within = 'html',
): Promise<void> {
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1440, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    await expect.poll(fits).toBe(true)
    expect(await violations(page, within)).toEqual([])
    if (within === layer) await expect.poll(() => page.evaluate(isInsideWindow)).toBe(true)
  }
  expect(consoleErrors).toEqual([])
}

/** Selects the open dialogs and popovers. */
const layer = 'dialog[open], [popover]:popover-open'

/** Expects no page defects inside the open dialog or popover, and that it is completely inside the window. */
export async function expectNoLayerDefects(app: AppPage): Promise<void> {
  await app.page.locator(layer).waitFor()
  await expectNoPageDefects(app, layer)
}

const isInsideWindow = `(() => {
  const { left, top, right, bottom } = document.querySelector(${JSON.stringify(layer)}).getBoundingClientRect()
  return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
})()`

/** Expects no accessibility violation in the elements of a selector, in both themes, at the width of the window. */
export async function expectNoViolations({ page }: AppPage, within: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page, within)).toEqual([])
  }
}

async function violations(page: Page, within: string): Promise<unknown> {
  // Uses the debugger, because the Content-Security-Policy of the page blocks added scripts.
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', {
    // Loading axe takes half of the time of a check, so each document loads it once.
    expression: `if (typeof axe === 'undefined') { ${axe} }; axe.run(${JSON.stringify(within)}, { resultTypes: ['violations'] }).then((found) =>
      JSON.stringify(found.violations.map(({ id, nodes }) => [id, nodes.map((n) => n.target)])))`,
    awaitPromise: true,
  })
  await session.detach()
  return JSON.parse(result.value as string)
}
