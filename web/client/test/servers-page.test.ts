import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { type Answer, between } from './between.ts'
import type {} from './page/main.ts'
import { startServer } from './server.ts'
import { servePages } from './tab.ts'

const config = '/api/v1/config'
const concepts = '/api/get_concept_bulk'
const sync = '/api/v1/local-concepts'

const pageAt = servePages()

describe('the configuration in Chromium', { timeout: 60_000 }, () => {
  test('is asked for once in a tab, and kept where the contract says', async () => {
    const { base, first, second, page } = await world()
    await kept(page, [first.url, second.url])
    expect(await page.evaluate(() => sessionStorage.getItem('test_config'))).toBe(
      '{"documentationWidget":0}',
    )
    const session = await page.evaluate(() => sessionStorage.getItem('test_session'))
    expect(Number(session)).toBeGreaterThan(999)
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    await expect.poll(() => asked(page, first, 77_001)).toBe(session)
    await page.evaluate(() => window.weft.create('the_note', { text: 'again' }).synced)
    expect(base.seen(config)).toHaveLength(1)
    expect(base.seen(sync).at(-1)?.headers['x-session-id']).toBe(session)
  })

  test('loses the servers that do not answer, and is asked for again where it cannot be read', async () => {
    const { base, first, second, page } = await world()
    await kept(page, [first.url, second.url])
    await expect.poll(() => asked(page, first, 77_001)).toBeDefined()
    first.next(concepts, ...broken)
    await page.evaluate(() => window.weft.get(77_002))
    await kept(page, [second.url])
    second.next(concepts, ...broken)
    await page.evaluate(() => window.weft.get(77_003))
    await kept(page, [])
    await page.evaluate(() => sessionStorage.setItem('test_cacheServers', 'undefined'))
    await page.reload()
    await kept(page, [first.url, second.url])
    expect(base.seen(config)).toHaveLength(2)
  })
})

/** Browsers ask again by themselves where a line that was used before breaks. */
const broken: readonly Answer[] = Array(4).fill((to: ServerResponse) => to.destroy())

/** The session under which a page asks a server for a concept. */
async function asked(
  page: Page,
  server: Awaited<ReturnType<typeof between>>,
  id: number,
): Promise<string | string[] | undefined> {
  await page.evaluate(([id]) => window.weft.get(id), [id] as const)
  const found = server.seen(concepts).filter((s) => s.body.includes(`${id}`))
  return found.at(-1)?.headers['x-session-id']
}

const kept = (page: Page, servers: readonly string[]) =>
  expect
    .poll(() => page.evaluate(() => sessionStorage.getItem('test_cacheServers')))
    .toBe(JSON.stringify(servers))

/** A server that names two others, and a page. */
async function world() {
  const caches = await startServer()
  const [first, second] = await Promise.all([between(caches), between(caches)])
  const server = await startServer(
    '--anonymous-writes',
    '--cache-servers',
    `${first.url},${second.url}`,
  )
  const base = await between(server)
  const context = await profile()
  const page = await context.newPage()
  await page.goto(pageAt(`?weft=${base.url}`))
  await page.waitForFunction(() => window.weft !== undefined)
  return { base, first, second, page }
}
