import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { readCounter } from './disk.ts'
import type {} from './page/links.ts'
import { startServer } from './server.ts'
import { servePages } from './tab.ts'

const pageAt = servePages()

test('links created online and offline are found by name after an offline reload', async () => {
  const network = await startNetworkProxy(Number(new URL(await startServer()).port))
  const page = await (await profile()).newPage()
  await page.goto(pageAt(`links.html?weft=${encodeURIComponent(network.url)}`))
  const [ann, bea] = await page.evaluate(async () => {
    const { weft, records } = window
    const [ann, bea] = ['Ann', 'Bea'].map((name) => weft.create('the_person', { name }).id)
    await records.link(weft, ann as number, 'friend', bea as number).synced
    return [ann as number, bea as number] as const
  })
  expect(await readNames(page, ann, 'the_person_friend')).toEqual(['Bea'])
  network.disconnect()
  await page.evaluate(
    async ([ann, bea]) => {
      await window.records.link(window.weft, ann, 'the_person_s_pupil', bea).saved
      await window.records.createData(window.weft, { pets: ['Rex'] }, { of: bea }).saved
    },
    [ann, bea] as const,
  )
  await page.reload()
  await page.evaluate(() => window.weft.ready)
  expect(await readNames(page, ann, 'the_person_friend')).toEqual(['Bea'])
  expect(await readNames(page, ann, 's_pupil')).toEqual(['Bea'])
  const data = () =>
    page.evaluate(([bea]) => window.records.readData(window.weft, bea), [bea] as const)
  expect(await data()).toEqual({ the_person: { pets: ['Rex'] } })

  network.reconnect()
  await expect.poll(() => page.evaluate(() => window.weft.sync.get().state)).toBe('idle')
  expect(await readNames(page, ann, 's_pupil')).toEqual(['Bea'])
  expect(await data()).toEqual({ the_person: { pets: ['Rex'] } })
})

test('preloadConcepts with `once` fetches until it has succeeded once in a browser', async () => {
  const server = await startServer()
  const page = await (await profile()).newPage()
  await page.goto(pageAt(`links.html?weft=${encodeURIComponent(server)}`))
  const path = '/api/get-preloaded-concepts'
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  const preload = () =>
    page.evaluate(async () => {
      await window.records.preloadConcepts(window.weft, { once: true })
      return window.weft.concept(16)?.value
    })
  const requestCount = () => requests.filter((p) => p === path).length
  await page.route(/preloaded/, (route) => route.abort())
  await expect(preload()).rejects.toThrow('received no response')
  await page.unroute(/preloaded/)
  expect(await preload()).toBe('the_connection')
  expect(requestCount()).toBe(2)
  expect(await readCounter(page, `weft ${server} links`, 'setting isOnlineSync')).toBe(true)
  await page.reload()
  await page.evaluate(() => window.weft.ready)
  expect(await preload()).toBe('the_connection')
  expect(requestCount()).toBe(2)
})

/** Returns the names of the people that a relation leads to. */
const readNames = (page: Page, id: number, relation: string): Promise<string[]> =>
  page.evaluate(
    async ([id, name]) => {
      const { weft, records } = window
      const format = 'JUSTDATA'
      type Row = { the_person: { name: string } }
      const rows = await records.readLinks<Row>(weft, id, name, { format })
      return rows.map((row) => row.the_person.name)
    },
    [id, relation] as const,
  )
