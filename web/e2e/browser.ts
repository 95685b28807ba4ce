import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core'
import { afterAll, onTestFinished } from 'vitest'

/** Chromium as Debian installs it, without what it does on its own over the network. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
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
