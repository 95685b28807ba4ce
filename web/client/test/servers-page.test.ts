import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import type {} from './page/main.ts'
import { type Responder, startProxy } from './proxy.ts'
import { startServer } from './server.ts'
import { servePages } from './tab.ts'

const config = '/api/v1/config'
const concepts = '/api/get_concept_bulk'
const sync = '/api/v1/local-concepts'

const pageAt = servePages()

describe('the server configuration in Chromium', () => {
  test('is requested once per tab, and stored under documented keys', async () => {
    const { base, first, second, page } = await setUp()
    await untilStored(page, [first.url, second.url])
    expect(await page.evaluate(() => sessionStorage.getItem('test_config'))).toBe(
      '{"documentationWidget":0}',
    )
    const session = await page.evaluate(() => sessionStorage.getItem('test_session'))
    expect(Number(session)).toBeGreaterThan(999)
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    await expect.poll(() => requestSession(page, first, 77_001)).toBe(session)
    await page.evaluate(() => window.weft.create('the_note', { text: 'again' }).synced)
    expect(base.requests(config)).toHaveLength(1)
    expect(base.requests(sync).at(-1)?.headers['x-session-id']).toBe(session)
  })

  test('drops servers that do not respond, and is requested again if unreadable', async () => {
    const { base, first, second, page } = await setUp()
    await untilStored(page, [first.url, second.url])
    await expect.poll(() => requestSession(page, first, 77_001)).toBeDefined()
    first.next(concepts, ...breakConnections)
    await page.evaluate(() => window.weft.get(77_002))
    await untilStored(page, [second.url])
    second.next(concepts, ...breakConnections)
    await page.evaluate(() => window.weft.get(77_003))
    await untilStored(page, [])
    await page.evaluate(() => sessionStorage.setItem('test_cacheServers', 'undefined'))
    await page.reload()
    await untilStored(page, [first.url, second.url])
    expect(base.requests(config)).toHaveLength(2)
  })
})

/**
 * Responders that break the connection. There are several, because a browser repeats a request if a reused connection
 * breaks.
 */
const breakConnections: readonly Responder[] = Array(4).fill((response: ServerResponse) =>
  response.destroy(),
)

/** Requests a concept in a page. Returns the session number that the request had at `server`. */
async function requestSession(
  page: Page,
  server: Awaited<ReturnType<typeof startProxy>>,
  id: number,
): Promise<string | string[] | undefined> {
  await page.evaluate(([id]) => window.weft.get(id), [id] as const)
  const found = server.requests(concepts).filter((s) => s.body.includes(`${id}`))
  return found.at(-1)?.headers['x-session-id']
}

/** Waits until a page has stored these addresses of additional servers. */
const untilStored = (page: Page, servers: readonly string[]) =>
  expect
    .poll(() => page.evaluate(() => sessionStorage.getItem('test_cacheServers')))
    .toBe(JSON.stringify(servers))

/** Starts a server that lists two others for reads, and opens a page. */
async function setUp() {
  const caches = await startServer()
  const [first, second] = await Promise.all([startProxy(caches), startProxy(caches)])
  const server = await startServer(
    '--anonymous-writes',
    '--cache-servers',
    `${first.url},${second.url}`,
  )
  const base = await startProxy(server)
  const context = await profile()
  const page = await context.newPage()
  await page.goto(pageAt(`?weft=${base.url}`))
  await page.waitForFunction(() => window.weft !== undefined)
  return { base, first, second, page }
}
