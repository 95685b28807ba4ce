import type { BrowserContext, Page } from 'playwright-core'
import type {} from './page/entries.ts'
import type {} from './page/main.ts'
import { servePageFolder } from './pages.ts'

/** Opens a page with a client of the server at this address and all entries of the package. */
export async function openEntries(context: BrowserContext, weft: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${await servePageFolder()}entries.html?weft=${encodeURIComponent(weft)}`)
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
  return page
}
