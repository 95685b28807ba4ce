import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { afterAll, onTestFinished } from 'vitest'
import { launch } from './launch.ts'

let browser: Browser | undefined

/** A new, empty browser profile that ends with the test. */
export async function profile(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= await launch()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  onTestFinished(() => context.close())
  return context
}

afterAll(async () => {
  await browser?.close()
  browser = undefined
})
