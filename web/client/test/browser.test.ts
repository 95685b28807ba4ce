import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startWeft } from '../../e2e/weft.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import { createClient } from '../src/index.ts'
import { onDisk } from './disk.ts'
import type {} from './page/main.ts'
import { startServer, tokenOf } from './server.ts'
import { servePages } from './tab.ts'

const served = servePages()

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
    const sync = '/api/v1/local-concepts'
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

  test('a server that lost its data gets what was not sent, and nothing of it is taken for what was', async () => {
    const weft = await startWeft()
    const cable = await wireCutter(weft.port)
    const context = await profile()
    const page = await open(context, pageAt(cable.url))
    const tab = await open(context, pageAt(cable.url))
    const old = await write(page, 'old')
    await write(page, 'older than time')
    await idle(page)
    cable.cut()
    await weft.kill()
    await write(page, 'meanwhile')
    await page.evaluate(([id]) => window.weft.update(id, { text: 'edited' }), [old] as const)
    weft.empty()
    await weft.start()
    const other = node(weft.url)
    await other.create('the_place', { name: 'here, where other ids were', far: true }).synced
    const others = ['other 1', 'other 2', 'other 3']
    for (const text of others) await other.create('the_note', { text, done: text }).synced
    cable.mend()

    await expect.poll(() => weft.count('the_note'), { timeout: 20_000 }).toBe(4)
    await idle(page)
    await seen(page, ['meanwhile', 'other 3', 'other 2', 'other 1'])
    expect(await sentence(page)).toContain('the server no longer has')
    expect(await page.evaluate(([id]) => window.weft.record(id), [old] as const)).toBeUndefined()

    const real = await page.evaluate(
      () => window.weft.create('the_note', { text: 'after', done: false }).synced,
    )
    expect(await other.load(real)).toEqual({ text: 'after', done: 'false' })
    expect(await linksOf(weft.url, real)).toBe(2)
    await seen(tab, ['after', 'meanwhile', 'other 3', 'other 2', 'other 1'])
    expect(await state(tab)).toMatchObject({ pending: 0, failed: [{ id: 0 }] })
    await page.evaluate(() => window.weft.sync.retry())
    expect(await state(page)).toMatchObject({ pending: 0, failed: [{ id: 0 }] })
    await page.reload()
    await seen(page, ['after', 'meanwhile', 'other 3', 'other 2', 'other 1'])
    expect(await state(page)).toMatchObject({ pending: 0, failed: [{ id: 0 }] })
  })

  test('a page opened after the data was lost shows none of it', async () => {
    const weft = await startWeft()
    const context = await profile()
    const page = await open(context, pageAt(weft.url))
    const old = await write(page, 'old')
    await idle(page)
    await expect.poll(() => rowsOf(page, 'answer')).toBe(1)
    await weft.kill()
    await page.evaluate(([id]) => window.weft.remove(id).saved, [old] as const)
    await write(page, 'meanwhile')
    await page.close()
    weft.empty()
    await weft.start()
    await node(weft.url).create('the_note', { text: 'other' }).synced
    const later = await open(context, pageAt(weft.url))
    await seen(later, ['meanwhile', 'other'])
    await idle(later)
    expect(await sentence(later)).toContain('the server no longer has')
    expect(await weft.count('the_note')).toBe(2)
  })

  test('a value that somebody deleted is made again', async () => {
    const { page, cable } = await world()
    const note = (text: string) =>
      page.evaluate(([text]) => window.weft.create('the_note', { text, done: false }).synced, [
        text,
      ] as const)
    await note('one')
    const done = await idOfValue(cable.url, 'the_done', 'false')
    const body = new FormData()
    body.set('id', String(done))
    expect((await fetch(`${cable.url}/api/delete_concept`, { method: 'POST', body })).ok).toBe(true)
    const two = await note('two')
    expect(await node(cable.url).load(two)).toEqual({ text: 'two', done: 'false' })
    expect(await state(page)).toMatchObject({ pending: 0, failed: [] })
  })

  test('a write that needed a token is sent once the server takes anonymous ones', async () => {
    const weft = await startWeft()
    await weft.kill()
    await weft.start([])
    const page = await open(await profile(), pageAt(weft.url))
    await write(page, 'who am I')
    await expect.poll(async () => (await state(page)).needsToken).toBe(true)
    await weft.kill()
    await weft.start()
    await idle(page)
    expect(await state(page)).toMatchObject({ needsToken: false, failed: [], state: 'idle' })
    await seen(page, ['who am I'])
  })

  test('a filter goes on without a server over what is cached and what waits, and ends up as the server says', async () => {
    const { cable, page, address } = await world()
    const other = await open(await profile(), address)
    for (const one of [page, other]) await follow(one)
    const kept = await note(page, 'kept', '3')
    const dear = await note(page, 'dear', '9.99')
    await note(page, 'too dear', '10')
    await idle(page)
    for (const one of [page, other])
      await expect.poll(() => cheap(one), { timeout: 15_000 }).toEqual([['dear', 'kept'], true, 2])

    cable.cut()
    await note(page, 'offline', '4.50')
    await note(page, 'dear offline', '450')
    await page.evaluate(([id]) => window.weft.update(id, { price: '11' }), [dear] as const)
    await expect.poll(() => cheap(page)).toEqual([['offline', 'kept'], false, 2])
    await page.reload()
    await page.waitForFunction(() => window.weft !== undefined)
    await page.evaluate(() => window.weft.ready)
    await follow(page)
    await expect.poll(() => cheap(page)).toEqual([['offline', 'kept'], false, 2])

    cable.mend()
    await idle(page)
    for (const one of [page, other])
      await expect
        .poll(() => cheap(one), { timeout: 30_000 })
        .toEqual([['offline', 'kept'], true, 2])
    expect(await page.evaluate(([id]) => window.weft.pending(id), [kept] as const)).toBeUndefined()
  })

  test('where the code for filters does not load a query says so, and is answered once it is there', async () => {
    const { page } = await world()
    await page.route('**/filtered.ts*', (route) => route.abort())
    await note(page, 'kept', '3')
    await follow(page)
    await expect.poll(() => problem(page)).toBe('unavailable: filters did not load')
    await seen(page, ['kept'])
    expect((await state(page)).online).toBe(true)
    await page.unroute('**/filtered.ts*')
    await page.reload()
    await page.waitForFunction(() => window.weft !== undefined)
    await follow(page)
    await expect.poll(() => cheap(page), { timeout: 15_000 }).toEqual([['kept'], true, 1])
  })

  test('a change elsewhere asks again only the queries that it may concern', async () => {
    const { page, address } = await world()
    const other = await open(await profile(), address)
    await follow(page)
    await note(other, 'one', '1')
    await expect.poll(() => cheap(page), { timeout: 15_000 }).toEqual([['one'], true, 1])
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.postData() ?? ''))
    const filtered = () => asked.filter((body) => body.includes('filterLogic')).length
    await other.evaluate(() => window.weft.create('the_place', { name: 'elsewhere' }).synced)
    await other.evaluate(() => window.weft.create('the_note', { text: 'plain' }).synced)
    await seen(page, ['plain', 'one'])
    expect(filtered()).toBe(0)
    await note(other, 'two', '2')
    await expect.poll(() => cheap(page), { timeout: 15_000 }).toEqual([['two', 'one'], true, 2])
    expect(filtered()).toBeGreaterThan(0)
  })

  test('what somebody saw is not kept for who opens the page next, but their writes are', async () => {
    const { cable, page } = await world()
    const token = await tokenOf(cable.url, 'ann')
    const signIn = () => page.evaluate(([token]) => window.weft.setToken(token), [token] as const)
    await page.waitForFunction(() => window.weft !== undefined)
    await signIn()
    await write(page, 'secret')
    await idle(page)
    await seen(page, ['secret'])
    await expect.poll(() => complete(page)).toBe(true)
    await expect.poll(() => rowsOf(page, 'answer')).toBe(1)
    cable.cut()
    await write(page, 'waits')
    await seen(page, ['waits', 'secret'])
    await page.reload()
    await seen(page, [])
    await page.evaluate(() => window.weft.ready)
    expect(await rowsOf(page, 'answer')).toBe(0)
    expect(await state(page)).toMatchObject({ pending: 0, failed: [] })
    expect(await kept(page)).not.toContain('secret')

    await signIn()
    await seen(page, ['waits'])
    cable.mend()
    await idle(page)
    await seen(page, ['waits', 'secret'])
    await page.evaluate(() => window.weft.setToken(undefined))
    expect(await texts(page)).toEqual([])
    await expect.poll(() => kept(page)).not.toContain('secret')
    await expect.poll(() => rowsOf(page, 'outbox')).toBe(0)
  })

  test('what one tab sends for somebody who signed out in another is shown to nobody, and kept for nobody', async () => {
    const { cable, page, context, address } = await world()
    const token = await tokenOf(cable.url, 'ann')
    const sign = (tab: Page, token?: string) =>
      tab.evaluate(([token]) => window.weft.setToken(token), [token] as const)
    const finds = (tab: Page) => tab.evaluate(() => window.weft.find('the_text', 'secret')?.value)
    const other = await open(context, address)
    await sign(page, token)
    await sign(other, token)
    await seen(page, [])
    cable.cut()
    await write(other, 'secret')
    await seen(page, ['secret'])
    await sign(other)
    await expect.poll(() => finds(other)).toBeUndefined()
    cable.mend()
    await idle(page)
    await expect.poll(() => rowsOf(page, 'outbox')).toBe(0)
    await write(page, 'the end')
    await idle(page)
    expect([await finds(page), await finds(other)]).toEqual(['secret', undefined])
    expect(await kept(other)).not.toContain('secret')
    await sign(other, token)
    await seen(other, ['the end', 'secret'])
    expect(await state(other)).toMatchObject({ pending: 0, failed: [] })
  })

  test('where the code that fetches does not load writes are sent, and what was missing comes once it does', async () => {
    const { page, address } = await world()
    const other = await open(await profile(), address)
    await page.route(/fetcher|stream/, (route) => route.abort())
    await page.reload()
    await write(page, 'sent')
    await idle(page)
    await write(other, 'from elsewhere')
    await idle(other)
    expect((await state(page)).online).toBe(true)
    expect(await texts(page)).toEqual(['sent'])
    await page.unroute(/fetcher|stream/)
    await expect.poll(() => texts(page), { timeout: 30_000 }).toEqual(['from elsewhere', 'sent'])
    await write(other, 'and told')
    await expect
      .poll(() => texts(page), { timeout: 30_000 })
      .toEqual(['and told', 'from elsewhere', 'sent'])
  })

  test('a token that is given right after, or while the disk is read, finds what its user saw, and nobody else does', async () => {
    const { cable, page, address } = await world()
    const token = await tokenOf(cable.url, 'ann')
    await page.goto(`${address}&token=${token}`)
    await write(page, 'secret')
    await idle(page)
    await expect.poll(() => complete(page)).toBe(true)
    await expect.poll(() => rowsOf(page, 'answer')).toBe(1)
    cable.cut()
    for (const late of [0, 30]) {
      await page.goto(`${address}&token=${token}&late=${late}`)
      await seen(page, ['secret'])
    }
    await page.goto(address)
    await page.waitForFunction(() => window.weft !== undefined)
    await page.evaluate(() => window.weft.ready)
    expect(await texts(page)).toEqual([])
    expect(await kept(page)).not.toContain('secret')
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

/** Subscribes a page to the filtered query. */
const follow = (page: Page) =>
  page.evaluate(() => {
    window.cheap.subscribe(() => {})
  })

/** What the filtered query says is wrong. */
const problem = (page: Page) =>
  page.evaluate(() => {
    const state = window.cheap.get()
    return state.status === 'error' ? `${state.error.kind}: ${state.error.message}` : state.status
  })

/** Writes a note that is done and waits until it is saved. */
const note = (page: Page, text: string, price: string): Promise<number> =>
  page.evaluate(
    async ([text, price]) => {
      const { id, saved } = window.weft.create('the_note', { text, done: true, price })
      await saved
      return id
    },
    [text, price] as const,
  )

/** The texts that the filtered query finds, whether the server said so, and how many there are in all. */
const cheap = (page: Page) =>
  page.evaluate(() => {
    const state = window.cheap.get()
    if (state.status !== 'ready') return state.status
    const texts = state.data.map(({ data }) => data.the_note.text.data.the_text)
    return [texts, state.complete, state.total]
  })

/** An empty server, a cable to it, and a page at the end of that. */
async function world(...flags: string[]) {
  const server = await startServer(...flags)
  const cable = await wireCutter(Number(new URL(server).port))
  const address = pageAt(cable.url)
  const context = await profile()
  return { cable, address, context, page: await open(context, address) }
}

const pageAt = (server: string) => served(`?weft=${server}`)

/** A client outside the browser. */
function node(url: string) {
  const client = createClient({ url, storage: 'memory' })
  onTestFinished(() => client.close())
  return client
}

const post = async (url: string, path: string, body: unknown) => {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await answer.json()) as { id: number; characterValue: string }[]
}

/** How many connections a record is made of. */
const linksOf = async (url: string, id: number): Promise<number> =>
  (await post(url, '/api/get_all_connections_of_composition_bulk', [id])).length

async function idOfValue(url: string, type: string, value: string): Promise<number | undefined> {
  const query = { type, inpage: 10, outputFormat: 6 }
  const found = (await post(url, '/api/freeschema-query', query)) as unknown as {
    mainCompositionIds: number[]
  }
  const concepts = await post(url, '/api/get_concept_bulk', found.mainCompositionIds)
  return concepts.find((c) => c.characterValue === value)?.id
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

/** All that the page has on disk, as JSON. */
const kept = async (page: Page): Promise<string> => JSON.stringify(await onDisk(page))

/** How many rows of a store are on disk. */
const rowsOf = async (page: Page, store: 'outbox' | 'answer'): Promise<number> =>
  Object.values(await onDisk(page)).flatMap((stores) => stores[store] ?? []).length
