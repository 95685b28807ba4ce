import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { launchForTests } from './launch.ts'

let launched: Promise<Browser> | undefined

/**
 * Returns the Chromium that all test files of this process share. Each test has its own profile in it. Launches a new
 * Chromium if the last one crashed.
 */
export async function sharedBrowser(): Promise<Browser> {
  launched ??= launchForTests()
  const browser = await launched
  if (browser.isConnected()) return browser
  launched = undefined
  return sharedBrowser()
}

/** Creates an empty browser profile and closes it after the test. The test fails if the browser has crashed. */
export async function profile(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const browser = await sharedBrowser()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  // Timeouts detect deadlocks, not slowness: the cores may be busy with other work.
  context.setDefaultTimeout(60_000)
  onTestFinished(async () => {
    if (!browser.isConnected()) throw new Error('Chromium crashed during this test')
    await context.close()
  })
  return context
}
