import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { startWeft } from '../../e2e/weft.ts'
import { readDatabases } from './disk.ts'
import type {} from './page/main.ts'
import { type Responder, respondWith, startProxy } from './proxy.ts'
import { tokenOf } from './server.ts'
import { expectTexts, servePages } from './tab.ts'

const sync = '/api/v1/local-concepts'

const pageAt = servePages()

describe('the outbox in Chromium', () => {
  test('sends a thousand offline writes of two tabs and a reload in few requests, each once', async () => {
    const { weft, network, proxy, context, page, address } = await setUp()
    const other = await open(context, address)
    network.disconnect()
    await Promise.all([writeNotes(page, 'a', 500), writeNotes(other, 'b', 300)])
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    await writeNotes(page, 'c', 200)
    await expect.poll(() => pending(page)).toBe(1_000)
    network.reconnect()
    await expect.poll(() => pending(page)).toBe(0)
    await expect.poll(() => pending(other)).toBe(0)
    expect(await weft.count('the_note')).toBe(1_000)
    const bodies = proxy.requests(sync).filter((s) => s.body.length > 0)
    expect(bodies.length).toBeLessThanOrEqual(4)
  })

  test('loses and doubles no write while the server is killed repeatedly', async () => {
    const { weft, page } = await setUp()
    const created = page.evaluate(async () => {
      const writes: Promise<number>[] = []
      for (let i = 0; i < 60; i++) {
        const { id, synced } = window.weft.create('the_note', { text: `${i}` })
        writes.push(synced)
        if (i % 3 === 0) writes.push(window.weft.update(id, { text: `${i}!` }).synced)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return (await Promise.all(writes)).length
    })
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 400))
      await weft.kill()
      await new Promise((resolve) => setTimeout(resolve, 300))
      await weft.start()
    }
    expect(await created).toBe(80)
    expect(await pending(page)).toBe(0)
    expect(await weft.count('the_note')).toBe(60)
  })

  test('creates a guest’s write once, even if its response is lost and the guest reloads and signs in', async () => {
    const { weft, proxy, page, address } = await setUp()
    const token = await tokenOf(weft.url, 'ann')
    proxy.next(sync, ...Array(3).fill(loseResponse))
    await writeNotes(page, 'lost', 1)
    await expect.poll(() => weft.count('the_note')).toBe(1)
    await page.goto('about:blank')
    await page.goto(`${address}&token=${token}`)
    await page.evaluate(() => window.weft.ready)
    await writeNotes(page, 'mine', 1)
    await expect.poll(() => pending(page)).toBe(0)
    expect(await weft.count('the_note')).toBe(1)
    const sent = proxy.requests(sync).filter((s) => s.body.includes('lost 0'))
    expect(new Set(sent.map((s) => s.headers.authorization))).toEqual(new Set([undefined]))
    expect(new Set(sent.map((s) => s.headers['x-session-id'])).size).toBe(1)
  })

  test('after a receipt was lost, lists the write once, even if the server responds before the disk opens', async () => {
    const { network, proxy, context, page, address } = await setUp()
    const receipts = { isLost: true, stored: 0 }
    const responder: Responder = async (response, forward) => {
      const { status, text } = await forward()
      receipts.stored++
      if (receipts.isLost) response.destroy()
      else respondWith(status, text)(response, forward)
    }
    proxy.next(sync, ...Array(100).fill(responder))
    await writeNotes(page, 'lost', 1)
    // The server must have stored the write before the page is closed, which may abort the request.
    await expect.poll(() => receipts.stored).toBeGreaterThan(0)
    await page.close()

    const blank = await context.newPage()
    await blank.goto(new URL('blank.html', address).href)
    const openDisk = await holdDatabase(blank, `weft ${network.url} test`)
    const reloaded = await context.newPage()
    await reloaded.goto(address)
    await expectTexts(reloaded, ['lost 0'])
    const seen = await reloaded.evaluateHandle(() => {
      const seen: number[] = []
      const count = () => {
        const state = window.notes.get()
        seen.push(state.status === 'ready' ? state.data.length : 0)
      }
      window.notes.subscribe(count)
      return seen
    })
    await openDisk()
    await expect.poll(() => pending(reloaded)).toBe(1)
    await expectTexts(reloaded, ['lost 0'])
    receipts.isLost = false
    await expect.poll(() => pending(reloaded)).toBe(0)
    await expectTexts(reloaded, ['lost 0'])
    expect(new Set(await seen.jsonValue())).toEqual(new Set([1]))
  })

  test('shows a refused write after a reload, and does not treat an error page of a proxy as a refusal', async () => {
    const { proxy, page } = await setUp()
    proxy.next(
      sync,
      respondWith(502, '<h1>Bad gateway</h1>'),
      respondWith(403, { kind: 'forbidden', message: 'not today' }),
    )
    await writeNotes(page, 'no', 1)
    await expect.poll(() => failures(page)).toEqual(['not today'])
    // The page shows a refusal before it is on the disk. A reload in between would send the write again.
    await expect.poll(async () => JSON.stringify(await readDatabases(page))).toContain('not today')
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    expect(await failures(page)).toEqual(['not today'])
    expect(proxy.requests(sync).filter((s) => s.body)).toHaveLength(2)
    await page.evaluate(() => window.weft.sync.retry())
    await expect.poll(() => failures(page)).toEqual([])
    await expect.poll(() => pending(page)).toBe(0)
  })
})

/**
 * Starts an upgrade of a database in a page and does not end it, so that other pages wait for the database. Returns a
 * function that aborts the upgrade.
 */
async function holdDatabase(page: Page, name: string): Promise<() => Promise<void>> {
  const release = await page.evaluateHandle(
    (name) =>
      new Promise<() => void>((resolve) => {
        const opening = indexedDB.open(name, 1_000)
        opening.onupgradeneeded = () => {
          const { transaction } = opening
          let isHeld = true
          const wait = () => {
            if (!isHeld) return transaction?.abort()
            const request = transaction?.objectStore('counter').get('id')
            if (request) request.onsuccess = wait
          }
          wait()
          resolve(() => {
            isHeld = false
          })
        }
      }),
    name,
  )
  return () => release.evaluate((release) => release())
}

/** Lets the server process the request, and drops the response. */
const loseResponse: Responder = async (response, forward) => {
  await forward()
  response.destroy()
}

/** Creates notes in one task, and waits until they are saved. */
const writeNotes = (page: Page, text: string, n: number): Promise<void> =>
  page.evaluate(
    async ([text, n]) => {
      const writes = [...Array(n)].map((_, i) =>
        window.weft.create('the_note', { text: `${text} ${i}` }),
      )
      await Promise.all(writes.map((w) => w.saved))
    },
    [text, n] as const,
  )

const pending = (page: Page) => page.evaluate(() => window.weft.sync.get().pending)
const failures = (page: Page) =>
  page.evaluate(() => window.weft.sync.get().failed.map((w) => w.error?.message))

async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
  return page
}

/** Starts a server that can be killed, an HTTP proxy and a TCP proxy in front of it, and a page. */
async function setUp() {
  const weft = await startWeft()
  const proxy = await startProxy(weft.url)
  const network = await startNetworkProxy(Number(new URL(proxy.url).port))
  const address = pageAt(`?weft=${network.url}`)
  const context = await profile()
  return { weft, proxy, network, address, context, page: await open(context, address) }
}
