import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core'
import { afterAll, onTestFinished } from 'vitest'

let browser: Browser | undefined

/** A new, empty browser profile that ends with the test. */
export async function profile(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  onTestFinished(() => context.close())
  return context
}

afterAll(async () => {
  await browser?.close()
  browser = undefined
})
