import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { createClient } from '../src/index.ts'
import type {} from './page/main.ts'
import { servePageFolder } from './pages.ts'
import { startServer } from './server.ts'

/** Serves the pages in `page/` to the tests of a file. Returns a function from file name to address. */
export function servePages(): (name: string) => string {
  let address = ''
  beforeAll(async () => {
    address = await servePageFolder()
  })
  return (name) => address + name
}

/**
 * Starts an empty server and a proxy in front of it that can disconnect, and opens `count` tabs of one profile. `pageNamed`
 * is the result of `servePages`.
 */
export async function setUp(
  pageNamed: (name: string) => string,
  count: number,
  flags: string[] = [],
  context?: BrowserContext,
) {
  const server = await startServer(...flags)
  const network = await startNetworkProxy(Number(new URL(server).port))
  const address = pageNamed(`?weft=${network.url}`)
  context ??= await profile()
  const tabs: Page[] = []
  while (tabs.length < count) tabs.push(await open(context, address))
  return { server, network, address, context, tabs: tabs as [Page, Page, ...Page[]] }
}

/** Opens a page with a client and waits until the client is ready. */
export async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
  return page
}

/** Returns a client outside the browser. */
export function outsideClient(url: string, token?: string) {
  const client = createClient({ url, token, storage: 'memory' })
  onTestFinished(() => client.close())
  return client
}

/** Creates a note and waits until it is saved. Returns its id. */
export const writeNote = (page: Page, text: string): Promise<number> =>
  page.evaluate(async (text) => {
    const { id, saved } = window.weft.create('the_note', { text })
    await saved
    return id
  }, text)

/** Returns the texts of the notes that a page shows. */
export const texts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const state = window.notes.get()
    const notes = state.status === 'ready' ? state.data : []
    return notes.map((note) => note.data.the_note.text.data.the_text)
  })

/** Waits until a page shows these notes. */
export async function expectTexts(page: Page, expected: string[]): Promise<void> {
  await expect.poll(() => texts(page)).toEqual(expected)
}

/** Waits until no write is pending. */
export async function untilIdle(page: Page): Promise<void> {
  const pending = () => page.evaluate(() => window.weft.sync.get().pending)
  await expect.poll(pending).toBe(0)
}

/** Waits until one of the tabs holds a lock whose name ends with `end`, and returns that tab. */
export async function lockHolder(tabs: readonly Page[], end: string): Promise<Page> {
  const holds = (page: Page) =>
    page.evaluate(async (end) => {
      const probe = `weft test probe ${Math.random()}`
      return navigator.locks.request(probe, async () => {
        const { held = [] } = await navigator.locks.query()
        const client = held.find((lock) => lock.name === probe)?.clientId
        return held.some((lock) => lock.clientId === client && lock.name?.endsWith(end))
      })
    }, end)
  let found: Page | undefined
  const find = async () => {
    for (const page of tabs) if (await holds(page)) found = page
    return found
  }
  await expect.poll(find).toBeDefined()
  return found as Page
}

/** Returns the tabs other than `page`. */
export const without = (tabs: readonly Page[], page: Page) =>
  tabs.filter((tab) => tab !== page) as [Page, ...Page[]]

/** Crashes the process of a page. */
export async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash')
  const devtools = await page.context().newCDPSession(page)
  devtools.send('Page.crash').catch(() => {})
  await crashed
}
