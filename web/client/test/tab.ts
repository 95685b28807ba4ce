import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { createServer } from 'vite'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import { createClient } from '../src/index.ts'
import type {} from './page/main.ts'
import { startServer } from './server.ts'

/** Serves the pages in `page/` to the tests of a file. Returns what gives the address of one of them. */
export function servePages(): (name: string) => string {
  let address = ''
  let close: () => Promise<void>
  beforeAll(async () => {
    const pages = await createServer({
      root: join(import.meta.dirname, 'page'),
      configFile: false,
      cacheDir: join(import.meta.dirname, '../../node_modules/.vite'),
      logLevel: 'error',
      server: { host: '127.0.0.1', port: 0, hmr: false },
      plugins: [{ name: 'no client of the server', transformIndexHtml: withoutClient }],
    })
    await pages.listen()
    address = pages.resolvedUrls?.local[0] ?? ''
    close = () => pages.close()
  })
  afterAll(() => close())
  return (name) => address + name
}

/** What the server of pages puts in reloads a page that slept, as soon as it wakes. */
const withoutClient = {
  order: 'post' as const,
  handler: (html: string) => html.replace(/<script[^>]*@vite\/client[^>]*><\/script>/, ''),
}

/** An empty server, a cable to it, and so many tabs of one profile at the end of that. */
export async function world(
  pageNamed: (name: string) => string,
  count: number,
  flags: string[] = [],
  context?: BrowserContext,
) {
  const server = await startServer(...flags)
  const cable = await wireCutter(Number(new URL(server).port))
  const address = pageNamed(`?weft=${cable.url}`)
  context ??= await profile()
  const tabs: Page[] = []
  while (tabs.length < count) tabs.push(await open(context, address))
  return { server, cable, address, context, tabs: tabs as [Page, Page, ...Page[]] }
}

export async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
  return page
}

/** A client outside the browser. */
export function outside(url: string, token?: string) {
  const client = createClient({ url, token, storage: 'memory' })
  onTestFinished(() => client.close())
  return client
}

/** Writes a note and waits until it is saved. */
export const write = (page: Page, text: string): Promise<number> =>
  page.evaluate(async (text) => {
    const { id, saved } = window.weft.create('the_note', { text })
    await saved
    return id
  }, text)

/** The texts of the notes that a page shows. */
export const texts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const state = window.notes.get()
    const notes = state.status === 'ready' ? state.data : []
    return notes.map((note) => note.data.the_note.text.data.the_text)
  })

export async function seen(page: Page, want: string[]): Promise<void> {
  await expect.poll(() => texts(page), { timeout: 15_000 }).toEqual(want)
}

/** Waits until nothing is to be sent any more. */
export async function idle(page: Page): Promise<void> {
  const pending = () => page.evaluate(() => window.weft.sync.get().pending)
  await expect.poll(pending, { timeout: 40_000 }).toBe(0)
}

/** How many notes the server has, as it says to nobody in particular, or to somebody. */
export async function count(url: string, token?: string): Promise<number> {
  const authorization = token && { Authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/api/freeschema-query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...authorization },
    body: JSON.stringify({ type: 'the_note', inpage: 1, outputFormat: 6 }),
  })
  return ((await answer.json()) as { mainCount: number }).mainCount
}

/** Which of some tabs holds the lock of a name that ends so. */
export async function holder(tabs: readonly Page[], end: string): Promise<Page> {
  const holds = (page: Page) =>
    page.evaluate(async (end) => {
      const mine = `weft test mine ${Math.random()}`
      return navigator.locks.request(mine, async () => {
        const { held = [] } = await navigator.locks.query()
        const client = held.find((lock) => lock.name === mine)?.clientId
        return held.some((lock) => lock.clientId === client && lock.name?.endsWith(end))
      })
    }, end)
  let found: Page | undefined
  const look = async () => {
    for (const page of tabs) if (await holds(page)) found = page
    return found
  }
  await expect.poll(look, { timeout: 15_000 }).toBeDefined()
  return found as Page
}

/** The other tabs. */
export const without = (tabs: readonly Page[], page: Page) =>
  tabs.filter((tab) => tab !== page) as [Page, ...Page[]]

/** Ends the process of a page, as when it has no memory left. */
export async function crash(page: Page): Promise<void> {
  const gone = page.waitForEvent('crash')
  const devtools = await page.context().newCDPSession(page)
  devtools.send('Page.crash').catch(() => {})
  await gone
}
