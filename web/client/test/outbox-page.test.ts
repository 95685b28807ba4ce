import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startWeft } from '../../e2e/weft.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import { type Answer, between, says } from './between.ts'
import type {} from './page/main.ts'
import { tokenOf } from './server.ts'
import { servePages } from './tab.ts'

const sync = '/api/v1/local-concepts'

const pageAt = servePages()

describe('the outbox in Chromium', { timeout: 90_000 }, () => {
  test('a thousand writes without a network, of two tabs and a reload, arrive in few requests, once each', async () => {
    const { weft, cable, way, context, page, address } = await world()
    const other = await open(context, address)
    cable.cut()
    await Promise.all([write(page, 'a', 500), write(other, 'b', 300)])
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    await write(page, 'c', 200)
    await expect.poll(() => pending(page)).toBe(1_000)
    cable.mend()
    await expect.poll(() => pending(page), { timeout: 60_000 }).toBe(0)
    await expect.poll(() => pending(other)).toBe(0)
    expect(await weft.count('the_note')).toBe(1_000)
    const whole = way.seen(sync).filter((s) => s.body.length > 0)
    expect(whole.length).toBeLessThanOrEqual(4)
  })

  test('the server dies in the middle, again and again, and nothing is lost or doubled', async () => {
    const { weft, page } = await world()
    const done = page.evaluate(async () => {
      const writes: Promise<number>[] = []
      for (let i = 0; i < 60; i++) {
        const { id, synced } = window.weft.create('the_note', { text: `${i}` })
        writes.push(synced)
        if (i % 3 === 0) writes.push(window.weft.update(id, { text: `${i}!` }).synced)
        await new Promise((later) => setTimeout(later, 50))
      }
      return (await Promise.all(writes)).length
    })
    for (let i = 0; i < 3; i++) {
      await new Promise((later) => setTimeout(later, 400))
      await weft.kill()
      await new Promise((later) => setTimeout(later, 300))
      await weft.start()
    }
    expect(await done).toBe(80)
    expect(await pending(page)).toBe(0)
    expect(await weft.count('the_note')).toBe(60)
  })

  test('a guest’s write whose answer was lost is made once, though they reload and sign in', async () => {
    const { weft, way, page, address } = await world()
    const token = await tokenOf(weft.url, 'ann')
    way.next(sync, ...Array(3).fill(lost))
    await write(page, 'lost', 1)
    await expect.poll(() => weft.count('the_note')).toBe(1)
    await page.goto('about:blank')
    await page.goto(`${address}&token=${token}`)
    await page.evaluate(() => window.weft.ready)
    await write(page, 'mine', 1)
    await expect.poll(() => pending(page), { timeout: 30_000 }).toBe(0)
    expect(await weft.count('the_note')).toBe(1)
    const sent = way.seen(sync).filter((s) => s.body.includes('lost 0'))
    expect(new Set(sent.map((s) => s.headers.authorization))).toEqual(new Set([undefined]))
    expect(new Set(sent.map((s) => s.headers['x-session-id'])).size).toBe(1)
  })

  test('what a server refused is there after a reload, and a page of a proxy refuses nothing', async () => {
    const { way, page } = await world()
    way.next(
      sync,
      says(502, '<h1>Bad gateway</h1>'),
      says(403, { kind: 'forbidden', message: 'not today' }),
    )
    await write(page, 'no', 1)
    await expect.poll(() => failures(page), { timeout: 20_000 }).toEqual(['not today'])
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    expect(await failures(page)).toEqual(['not today'])
    expect(way.seen(sync).filter((s) => s.body)).toHaveLength(2)
    await page.evaluate(() => window.weft.sync.retry())
    await expect.poll(() => failures(page)).toEqual([])
    await expect.poll(() => pending(page)).toBe(0)
  })
})

/** The server takes it, and says so in vain. */
const lost: Answer = async (to, pass) => {
  await pass()
  to.destroy()
}

/** Makes some notes in one task, and waits until they are saved. */
const write = (page: Page, text: string, n: number): Promise<void> =>
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

/** A server that can die, something between, a cable to that, and a page at its end. */
async function world() {
  const weft = await startWeft()
  const way = await between(weft.url)
  const cable = await wireCutter(Number(new URL(way.url).port))
  const address = pageAt(`?weft=${cable.url}`)
  const context = await profile()
  return { weft, way, cable, address, context, page: await open(context, address) }
}
