import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import type {} from './page/links.ts'
import { startServer } from './server.ts'
import { outsideClient, servePages } from './tab.ts'

const pageAt = servePages()

test('upserts and increments of two offline tabs survive a reload; the result is one record with the sum', async () => {
  const { server, network, open } = await setUp()
  const tabs = [await open(), await open()] as const
  network.disconnect()
  const upserted = tabs.map((tab, n) =>
    tab.evaluate(async (n) => {
      const { weft, records } = window
      const fields = { slug: 'start', [`from${n}`]: 'x' }
      const { id, saved } = records.upsert(weft, 'the_leaf', { by: 'slug' }, fields)
      await saved
      await records.increment(weft, id, 'visits', 1).saved
      return id
    }, n),
  )
  await Promise.all(upserted)
  for (const tab of tabs) await tab.reload()
  network.reconnect()
  for (const tab of tabs)
    await expect
      .poll(() => tab.evaluate(() => window.weft.sync.get()))
      .toMatchObject({
        pending: 0,
        failed: [],
      })
  const outside = outsideClient(server)
  const found = await findLeaves(tabs[0])
  expect(found).toHaveLength(1)
  const stored = await outside.load(found[0] ?? 0)
  expect(stored).toEqual({ slug: 'start', from0: 'x', from1: 'x', visits: '2' })
})

test('an undo in one tab restores the record in the others', async () => {
  const { network, open } = await setUp()
  const [one, other] = [await open(), await open()]
  const id = await one.evaluate(() => window.weft.create('the_leaf', { slug: 'start' }).synced)
  await other.evaluate((id) => window.weft.load(id), id)
  const shown = (tab: Page) => tab.evaluate((id) => window.weft.record(id), id)
  network.disconnect()
  await one.evaluate(async (id) => {
    const removal = window.weft.remove(id)
    Object.assign(window, { removal })
    await removal.saved
  }, id)
  await expect.poll(() => shown(other)).toBeUndefined()
  await one.evaluate(
    () => (window as unknown as { removal: { undo(): object } }).removal.undo().constructor,
  )
  await expect.poll(() => shown(one)).toEqual({ slug: 'start' })
  await expect.poll(() => shown(other)).toEqual({ slug: 'start' })
  network.reconnect()
  await expect.poll(() => other.evaluate(() => window.weft.sync.get().state)).toBe('idle')
  expect(await other.evaluate((id) => window.weft.load(id), id)).toEqual({ slug: 'start' })
})

async function setUp() {
  const server = await startServer()
  const network = await startNetworkProxy(Number(new URL(server).port))
  const context = await profile()
  const open = async (): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(pageAt(`links.html?weft=${encodeURIComponent(network.url)}`))
    await page.evaluate(() => window.weft.ready)
    return page
  }
  return { server, network, open }
}

/** Returns the server's ids of the records of the type `the_leaf`. */
const findLeaves = (tab: Page): Promise<number[]> =>
  tab.evaluate(async () => {
    const query = window.weft.query<{ id: number }>({ type: 'the_leaf', selectors: ['self'] })
    const stop = query.subscribe(() => {})
    await query.refresh()
    const state = query.get()
    stop()
    return state.status === 'ready' ? state.data.map(({ id }) => window.weft.realId(id) ?? 0) : []
  })
