import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import type {} from './page/main.ts'
import { startServer } from './server.ts'

let pages: ViteDevServer
beforeAll(async () => {
  pages = await createServer({
    root: join(import.meta.dirname, 'page'),
    configFile: false,
    cacheDir: join(import.meta.dirname, '../../node_modules/.vite'),
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0, hmr: false },
  })
  await pages.listen()
})
afterAll(() => pages.close())

describe('in Chromium', { timeout: 60_000 }, () => {
  test('a write without a server survives a reload, is listed, and is sent once', async () => {
    const { cable, page } = await world()
    await seen(page, [])
    cable.cut()
    const id = await write(page, 'in a tunnel')
    expect(await rowsOf(page, 'outbox')).toBe(1)
    await page.reload()
    await seen(page, ['in a tunnel'])
    expect(await page.evaluate(([id]) => window.weft.pending(id), [id] as const)).toBe('pending')
    expect(await state(page)).toMatchObject({ pending: 1, state: 'offline', durable: true })
    expect(await complete(page)).toBe(false)

    cable.mend()
    await idle(page)
    await expect.poll(() => complete(page)).toBe(true)
    await seen(page, ['in a tunnel'])
    expect(await ids(page)).toEqual([id])
    expect(await rowsOf(page, 'outbox')).toBe(0)
  })

  test('a list seen before is shown again without a server, and local ids stay good', async () => {
    const { cable, page } = await world()
    const first = await write(page, 'one')
    await idle(page)
    await write(page, 'two')
    await idle(page)
    await expect.poll(() => complete(page)).toBe(true)
    await expect.poll(() => rowsOf(page, 'answer')).toBe(1)
    cable.cut()
    await page.reload()
    await seen(page, ['two', 'one'])
    expect(await complete(page)).toBe(false)
    const record = await page.evaluate(([id]) => window.weft.record(id), [first] as const)
    expect(record).toEqual({ text: 'one' })
  })

  test('an answer lost on the way back makes no double', async () => {
    const { cable, page } = await world()
    await seen(page, [])
    cable.loseAnswers()
    await write(page, 'into the dark')
    await expect.poll(() => cable.lost(), { timeout: 20_000 }).toBeGreaterThan(1)
    cable.mend()
    await idle(page)
    await page.evaluate(() => window.notes.refresh())
    expect(await texts(page)).toEqual(['into the dark'])
  })

  test('a write the server refused is shown refused after a reload, and sent again when asked to', async () => {
    const { page } = await world('--anonymous-writes', '--max-body', '4000')
    const id = await write(page, 'x'.repeat(5_000))
    await expect.poll(() => sentence(page), { timeout: 15_000 }).toContain('4000')
    const said = await sentence(page)

    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await page.reload()
    await page.waitForFunction(() => window.weft !== undefined)
    await page.evaluate(() => window.weft.ready)
    expect(await sentence(page)).toBe(said)
    expect(await page.evaluate(([id]) => window.weft.pending(id), [id] as const)).toBe('failed')
    await write(page, 'short')
    await idle(page)
    const sync = '/api/v1/local-concepts-without-auth'
    expect(sent.filter((path) => path === sync)).toHaveLength(1)
    expect(await rowsOf(page, 'outbox')).toBe(1)

    await page.evaluate(() => window.weft.sync.retry())
    await expect.poll(() => sent.filter((path) => path === sync).length).toBe(2)
    // By now the types have real ids, and the request another length.
    await expect.poll(() => sentence(page)).toContain('4000')
    await page.evaluate(() => window.weft.sync.discard(window.weft.sync.get().failed[0]?.key ?? ''))
    await page.reload()
    await seen(page, ['short'])
    expect(await state(page)).toMatchObject({ failed: [], pending: 0 })
  })

  test('one tab leads, every tab shows what any tab wrote, and a closed tab loses nothing', async () => {
    const { cable, page, context, address } = await world()
    await seen(page, [])
    const other = await open(context, address)
    const id = await write(other, 'from the other tab')
    await seen(page, ['from the other tab'])
    await idle(other)
    expect(await ids(page)).toEqual([id])

    cable.cut()
    await write(page, 'last words')
    await seen(other, ['last words', 'from the other tab'])
    await page.close()
    cable.mend()
    await idle(other)
    await other.evaluate(() => window.notes.refresh())
    expect(await texts(other)).toEqual(['last words', 'from the other tab'])
  })

  test('local ids are never given twice, by tabs at once or after a reload', async () => {
    const { page, context, address } = await world()
    const other = await open(context, address)
    const given = (page: Page) =>
      page.evaluate(async () => {
        const ids: number[] = []
        for (let i = 0; i < 60; i++) ids.push(window.weft.create('the_note', { text: `${i}` }).id)
        return ids
      })
    const all = (await Promise.all([given(page), given(other)])).flat()
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    all.push(...(await given(page)))
    expect(new Set(all).size).toBe(180)
    expect(Math.max(...all)).toBeLessThan(-100)
    await idle(page)
    expect(await page.evaluate(() => window.weft.sync.get().failed)).toEqual([])
  })

  test('changes by another profile arrive by themselves', async () => {
    const { page, address } = await world()
    const other = await open(await profile(), address)
    const id = await write(other, 'hello')
    await seen(page, ['hello'])
    await other.evaluate(([id]) => window.weft.update(id, { text: 'hello again' }), [id] as const)
    await seen(page, ['hello again'])
    await other.evaluate(([id]) => window.weft.remove(id), [id] as const)
    await seen(page, [])
  })

  test('a browser without a database keeps working and says that it forgets', async () => {
    const { context, address } = await world()
    await context.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('no', 'SecurityError')
      }
    })
    const page = await open(context, address)
    await write(page, 'on water')
    await idle(page)
    expect(await state(page)).toMatchObject({ durable: false, failed: [] })
    await seen(page, ['on water'])
  })
})

/** An empty server, a cable to it, and a page at the end of that. */
async function world(...flags: string[]) {
  const server = await startServer(...flags)
  const cable = await wireCutter(Number(new URL(server).port))
  const address = `${pages.resolvedUrls?.local[0]}?weft=${cable.url}`
  const context = await profile()
  return { cable, address, context, page: await open(context, address) }
}

async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
  return page
}

/** Writes a note and waits until it is saved. */
const write = (page: Page, text: string): Promise<number> =>
  page.evaluate(async (text) => {
    const { id, saved } = window.weft.create('the_note', { text })
    await saved.catch(() => {})
    return id
  }, text)

const notes = (page: Page) =>
  page.evaluate(() => {
    const state = window.notes.get()
    return state.status === 'ready' ? state : { data: [], complete: false }
  })

const texts = async (page: Page) =>
  (await notes(page)).data.map((note) => note.data.the_note.text.data.the_text)
const ids = async (page: Page) => (await notes(page)).data.map((note) => note.id)
const complete = async (page: Page) => (await notes(page)).complete
/** Why the server refused the first of the writes it refused. */
const sentence = (page: Page) =>
  page.evaluate(() => window.weft.sync.get().failed[0]?.error?.message ?? '')
const state = (page: Page) => page.evaluate(() => window.weft.sync.get())

async function seen(page: Page, want: string[]): Promise<void> {
  await page.waitForFunction(() => window.weft !== undefined)
  await expect.poll(() => texts(page), { timeout: 15_000 }).toEqual(want)
}

async function idle(page: Page): Promise<void> {
  await expect.poll(async () => (await state(page)).pending, { timeout: 40_000 }).toBe(0)
}

/** How many rows are on disk. */
const rowsOf = (page: Page, store: 'outbox' | 'answer'): Promise<number> =>
  page.evaluate(async (store) => {
    const [found] = await indexedDB.databases()
    const asked = indexedDB.open(found?.name as string)
    const db = await new Promise<IDBDatabase>((done) => {
      asked.onsuccess = () => done(asked.result)
    })
    const count = db.transaction(store).objectStore(store).count()
    return new Promise<number>((done) => {
      count.onsuccess = () => {
        db.close()
        done(count.result)
      }
    })
  }, store)
