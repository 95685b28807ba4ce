import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { startWeft } from '../../e2e/weft.ts'
import { createClient } from '../src/index.ts'
import { readDatabases } from './disk.ts'
import type {} from './page/main.ts'
import { startServer, tokenOf } from './server.ts'
import { servePages } from './tab.ts'

const served = servePages()

describe('in Chromium', () => {
  test('an offline write survives a reload, is listed, and is sent once', async () => {
    const { network, page } = await setUp()
    await expectTexts(page, [])
    network.disconnect()
    const id = await writeNote(page, 'in a tunnel')
    expect(await rowsOf(page, 'outbox')).toBe(1)
    await page.reload()
    await expectTexts(page, ['in a tunnel'])
    expect(await page.evaluate(([id]) => window.weft.pending(id), [id] as const)).toBe('pending')
    await expect
      .poll(() => state(page))
      .toMatchObject({ pending: 1, state: 'offline', durable: true })
    expect(await isComplete(page)).toBe(false)

    network.reconnect()
    await untilIdle(page)
    await expect.poll(() => isComplete(page)).toBe(true)
    await expectTexts(page, ['in a tunnel'])
    expect(await ids(page)).toEqual([id])
    // A settled write is removed from the disk after the page shows it as synced.
    await expect.poll(() => rowsOf(page, 'outbox')).toBe(0)
  })

  test('a cached list is shown offline, and its local ids remain valid', async () => {
    const { network, page } = await setUp()
    const first = await writeNote(page, 'one')
    await untilIdle(page)
    await writeNote(page, 'two')
    await untilIdle(page)
    await expect.poll(() => isComplete(page)).toBe(true)
    await expect.poll(() => rowsOf(page, 'answer')).toBe(1)
    network.disconnect()
    await page.reload()
    await expectTexts(page, ['two', 'one'])
    expect(await isComplete(page)).toBe(false)
    const record = await page.evaluate(([id]) => window.weft.record(id), [first] as const)
    expect(record).toEqual({ text: 'one' })
  })

  test('a write whose response is lost is applied once', async () => {
    const { network, page } = await setUp()
    await expectTexts(page, [])
    network.dropResponses()
    await writeNote(page, 'into the dark')
    await expect.poll(() => network.droppedResponses()).toBeGreaterThan(1)
    network.reconnect()
    await untilIdle(page)
    await page.evaluate(() => window.notes.refresh())
    expect(await texts(page)).toEqual(['into the dark'])
  })

  test('a refused write is listed after a reload, and can be retried', async () => {
    const { page } = await setUp('--anonymous-writes', '--max-body', '4000')
    const id = await writeNote(page, 'x'.repeat(5_000))
    await expect.poll(() => firstFailure(page)).toContain('4000')
    const message = await firstFailure(page)

    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await page.reload()
    await page.waitForFunction(() => window.weft !== undefined)
    await page.evaluate(() => window.weft.ready)
    expect(await firstFailure(page)).toBe(message)
    expect(await page.evaluate(([id]) => window.weft.pending(id), [id] as const)).toBe('failed')
    await writeNote(page, 'short')
    await untilIdle(page)
    const sync = '/api/v1/local-concepts'
    expect(sent.filter((path) => path === sync)).toHaveLength(1)
    expect(await rowsOf(page, 'outbox')).toBe(1)

    await page.evaluate(() => window.weft.sync.retry())
    await expect.poll(() => sent.filter((path) => path === sync).length).toBe(2)
    // The types have real ids now, so the request has another length.
    await expect.poll(() => firstFailure(page)).toContain('4000')
    await page.evaluate(() => window.weft.sync.discard(window.weft.sync.get().failed[0]?.key ?? ''))
    await page.reload()
    await expectTexts(page, ['short'])
    expect(await state(page)).toMatchObject({ failed: [], pending: 0 })
  })

  test('one tab leads, all tabs show the writes of each tab, and a closed tab loses nothing', async () => {
    const { network, page, context, address } = await setUp()
    await expectTexts(page, [])
    const other = await open(context, address)
    const id = await writeNote(other, 'from the other tab')
    await expectTexts(page, ['from the other tab'])
    await untilIdle(other)
    expect(await ids(page)).toEqual([id])

    network.disconnect()
    await writeNote(page, 'last words')
    await expectTexts(other, ['last words', 'from the other tab'])
    await page.close()
    network.reconnect()
    await untilIdle(other)
    await other.evaluate(() => window.notes.refresh())
    expect(await texts(other)).toEqual(['last words', 'from the other tab'])
  })

  test('local ids are unique across tabs and reloads', async () => {
    const { page, context, address } = await setUp()
    const other = await open(context, address)
    const createNotes = (page: Page) =>
      page.evaluate(async () => {
        const ids: number[] = []
        for (let i = 0; i < 60; i++) ids.push(window.weft.create('the_note', { text: `${i}` }).id)
        return ids
      })
    const all = (await Promise.all([createNotes(page), createNotes(other)])).flat()
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    all.push(...(await createNotes(page)))
    expect(new Set(all).size).toBe(180)
    expect(Math.max(...all)).toBeLessThan(-100)
    await untilIdle(page)
    expect(await page.evaluate(() => window.weft.sync.get().failed)).toEqual([])
  })

  test('changes of another profile arrive automatically', async () => {
    const { page, address } = await setUp()
    const other = await open(await profile(), address)
    const id = await writeNote(other, 'hello')
    await expectTexts(page, ['hello'])
    await other.evaluate(([id]) => window.weft.update(id, { text: 'hello again' }), [id] as const)
    await expectTexts(page, ['hello again'])
    await other.evaluate(([id]) => window.weft.remove(id), [id] as const)
    await expectTexts(page, [])
  })

  test('a server that lost its data receives unsent writes, and new records with old ids are not confused with cached ones', async () => {
    const weft = await startWeft()
    const network = await startNetworkProxy(weft.port)
    const context = await profile()
    const page = await open(context, pageAt(network.url))
    const tab = await open(context, pageAt(network.url))
    const old = await writeNote(page, 'old')
    await writeNote(page, 'older than time')
    await untilIdle(page)
    network.disconnect()
    await weft.kill()
    await writeNote(page, 'meanwhile')
    await page.evaluate(([id]) => window.weft.update(id, { text: 'edited' }), [old] as const)
    weft.empty()
    await weft.start()
    const other = nodeClient(weft.url)
    await other.create('the_place', { name: 'here, where other ids were', far: true }).synced
    const others = ['other 1', 'other 2', 'other 3']
    for (const text of others) await other.create('the_note', { text, done: text }).synced
    network.reconnect()

    await expect.poll(() => weft.count('the_note')).toBe(4)
    await untilIdle(page)
    await expectTexts(page, ['meanwhile', 'other 3', 'other 2', 'other 1'])
    expect(await firstFailure(page)).toContain('the server no longer has')
    expect(await page.evaluate(([id]) => window.weft.record(id), [old] as const)).toBeUndefined()

    const real = await page.evaluate(
      () => window.weft.create('the_note', { text: 'after', done: false }).synced,
    )
    expect(await other.load(real)).toEqual({ text: 'after', done: 'false' })
    expect(await linksOf(weft.url, real)).toBe(2)
    await expectTexts(tab, ['after', 'meanwhile', 'other 3', 'other 2', 'other 1'])
    expect(await state(tab)).toMatchObject({ pending: 0, failed: [{ id: 0 }] })
    await page.evaluate(() => window.weft.sync.retry())
    expect(await state(page)).toMatchObject({ pending: 0, failed: [{ id: 0 }] })
    await page.reload()
    await expectTexts(page, ['after', 'meanwhile', 'other 3', 'other 2', 'other 1'])
    expect(await state(page)).toMatchObject({ pending: 0, failed: [{ id: 0 }] })
  })

  test('a page opened after the server lost its data shows none of the lost data', async () => {
    const weft = await startWeft()
    const context = await profile()
    const page = await open(context, pageAt(weft.url))
    const old = await writeNote(page, 'old')
    await untilIdle(page)
    await expect.poll(() => rowsOf(page, 'answer')).toBe(1)
    await weft.kill()
    await page.evaluate(([id]) => window.weft.remove(id).saved, [old] as const)
    await writeNote(page, 'meanwhile')
    await page.close()
    weft.empty()
    await weft.start()
    await nodeClient(weft.url).create('the_note', { text: 'other' }).synced
    const later = await open(context, pageAt(weft.url))
    await expectTexts(later, ['meanwhile', 'other'])
    await untilIdle(later)
    expect(await firstFailure(later)).toContain('the server no longer has')
    expect(await weft.count('the_note')).toBe(2)
  })

  test('a value that another client deleted is created again', async () => {
    const { page, network } = await setUp()
    const createNote = (text: string) =>
      page.evaluate(([text]) => window.weft.create('the_note', { text, done: false }).synced, [
        text,
      ] as const)
    await createNote('one')
    const done = await idOfValue(network.url, 'the_done', 'false')
    const body = new FormData()
    body.set('id', String(done))
    expect((await fetch(`${network.url}/api/delete_concept`, { method: 'POST', body })).ok).toBe(
      true,
    )
    const two = await createNote('two')
    expect(await nodeClient(network.url).load(two)).toEqual({ text: 'two', done: 'false' })
    expect(await state(page)).toMatchObject({ pending: 0, failed: [] })
  })

  test('a write that needed a token is sent when the server accepts anonymous writes', async () => {
    const weft = await startWeft()
    await weft.kill()
    await weft.start([])
    const page = await open(await profile(), pageAt(weft.url))
    await writeNote(page, 'who am I')
    await expect.poll(async () => (await state(page)).needsToken).toBe(true)
    await weft.kill()
    await weft.start()
    await untilIdle(page)
    expect(await state(page)).toMatchObject({ needsToken: false, failed: [], state: 'idle' })
    await expectTexts(page, ['who am I'])
  })

  test('a filtered query works offline on cached records and pending writes, and later agrees with the server', async () => {
    const { network, page, address } = await setUp()
    const other = await open(await profile(), address)
    for (const tab of [page, other]) await subscribeToFiltered(tab)
    const cheapId = await writePricedNote(page, 'kept', '3')
    const dearId = await writePricedNote(page, 'dear', '9.99')
    await writePricedNote(page, 'too dear', '10')
    await untilIdle(page)
    for (const tab of [page, other])
      await expect.poll(() => filteredNotes(tab)).toEqual([['dear', 'kept'], true, 2])

    network.disconnect()
    await writePricedNote(page, 'offline', '4.50')
    await writePricedNote(page, 'dear offline', '450')
    await page.evaluate(([id]) => window.weft.update(id, { price: '11' }), [dearId] as const)
    await expect.poll(() => filteredNotes(page)).toEqual([['offline', 'kept'], false, 2])
    await page.reload()
    await page.waitForFunction(() => window.weft !== undefined)
    await page.evaluate(() => window.weft.ready)
    await subscribeToFiltered(page)
    await expect.poll(() => filteredNotes(page)).toEqual([['offline', 'kept'], false, 2])

    network.reconnect()
    await untilIdle(page)
    for (const tab of [page, other])
      await expect.poll(() => filteredNotes(tab)).toEqual([['offline', 'kept'], true, 2])
    expect(
      await page.evaluate(([id]) => window.weft.pending(id), [cheapId] as const),
    ).toBeUndefined()
  })

  test('a query reports that the filter code cannot be loaded, and completes when it can', async () => {
    const { page } = await setUp()
    await page.route('**/live/filters/**', (route) => route.abort())
    await writePricedNote(page, 'kept', '3')
    await subscribeToFiltered(page)
    await expect
      .poll(() => filteredError(page))
      .toBe('unavailable: the code for filters could not be loaded')
    await expectTexts(page, ['kept'])
    expect((await state(page)).online).toBe(true)
    await page.unroute('**/live/filters/**')
    await page.reload()
    await page.waitForFunction(() => window.weft !== undefined)
    await subscribeToFiltered(page)
    await expect.poll(() => filteredNotes(page)).toEqual([['kept'], true, 1])
  })

  test('a change elsewhere refetches only the queries that it may affect', async () => {
    const { page, address } = await setUp()
    const other = await open(await profile(), address)
    await subscribeToFiltered(page)
    await writePricedNote(other, 'one', '1')
    await expect.poll(() => filteredNotes(page)).toEqual([['one'], true, 1])
    const bodies: string[] = []
    page.on('request', (request) => bodies.push(request.postData() ?? ''))
    const filtered = () => bodies.filter((body) => body.includes('filterLogic')).length
    await other.evaluate(() => window.weft.create('the_place', { name: 'elsewhere' }).synced)
    await other.evaluate(() => window.weft.create('the_note', { text: 'plain' }).synced)
    await expectTexts(page, ['plain', 'one'])
    expect(filtered()).toBe(0)
    await writePricedNote(other, 'two', '2')
    await expect.poll(() => filteredNotes(page)).toEqual([['two', 'one'], true, 2])
    expect(filtered()).toBeGreaterThan(0)
  })

  test('cached data of a user is not shown to the next user, and the unsent writes are kept', async () => {
    const { network, page } = await setUp()
    const token = await tokenOf(network.url, 'ann')
    const signIn = () => page.evaluate(([token]) => window.weft.setToken(token), [token] as const)
    await page.waitForFunction(() => window.weft !== undefined)
    await signIn()
    await writeNote(page, 'secret')
    await untilIdle(page)
    await expectTexts(page, ['secret'])
    await expect.poll(() => isComplete(page)).toBe(true)
    await expect.poll(() => rowsOf(page, 'answer')).toBe(1)
    network.disconnect()
    await writeNote(page, 'waits')
    await expectTexts(page, ['waits', 'secret'])
    await page.reload()
    await expectTexts(page, [])
    await page.evaluate(() => window.weft.ready)
    expect(await rowsOf(page, 'answer')).toBe(0)
    expect(await state(page)).toMatchObject({ pending: 0, failed: [] })
    expect(await diskContents(page)).not.toContain('secret')

    await signIn()
    await expectTexts(page, ['waits'])
    network.reconnect()
    await untilIdle(page)
    await expectTexts(page, ['waits', 'secret'])
    await page.evaluate(() => window.weft.setToken(undefined))
    expect(await texts(page)).toEqual([])
    await expect.poll(() => diskContents(page)).not.toContain('secret')
    await expect.poll(() => rowsOf(page, 'outbox')).toBe(0)
  })

  test('a write of a user who signed out in another tab is neither shown nor cached for others', async () => {
    const { network, page, context, address } = await setUp()
    const token = await tokenOf(network.url, 'ann')
    const setToken = (tab: Page, token?: string) =>
      tab.evaluate(([token]) => window.weft.setToken(token), [token] as const)
    const findSecret = (tab: Page) =>
      tab.evaluate(() => window.weft.find('the_text', 'secret')?.value)
    const other = await open(context, address)
    await setToken(page, token)
    await setToken(other, token)
    await expectTexts(page, [])
    network.disconnect()
    await writeNote(other, 'secret')
    await expectTexts(page, ['secret'])
    await setToken(other)
    await expect.poll(() => findSecret(other)).toBeUndefined()
    network.reconnect()
    await untilIdle(page)
    await expect.poll(() => rowsOf(page, 'outbox')).toBe(0)
    await writeNote(page, 'the end')
    await untilIdle(page)
    expect([await findSecret(page), await findSecret(other)]).toEqual(['secret', undefined])
    expect(await diskContents(other)).not.toContain('secret')
    await setToken(other, token)
    await expectTexts(other, ['the end', 'secret'])
    expect(await state(other)).toMatchObject({ pending: 0, failed: [] })
  })

  test('writes are sent while the fetching code cannot be loaded, and missing records arrive when it can', async () => {
    const { page, address } = await setUp()
    const other = await open(await profile(), address)
    await page.route('**/live/remote/**', (route) => route.abort())
    await page.reload()
    await writeNote(page, 'sent')
    await untilIdle(page)
    await writeNote(other, 'from elsewhere')
    await untilIdle(other)
    expect((await state(page)).online).toBe(true)
    expect(await texts(page)).toEqual(['sent'])
    await page.unroute('**/live/remote/**')
    await expect.poll(() => texts(page)).toEqual(['from elsewhere', 'sent'])
    await writeNote(other, 'announced')
    await expect.poll(() => texts(page)).toEqual(['announced', 'from elsewhere', 'sent'])
  })

  test('a token that is set at the start, or while the disk is read, restores only the cached data of its user', async () => {
    const { network, page, address } = await setUp()
    const token = await tokenOf(network.url, 'ann')
    await page.goto(`${address}&token=${token}`)
    await writeNote(page, 'secret')
    await untilIdle(page)
    await expect.poll(() => isComplete(page)).toBe(true)
    await expect.poll(() => rowsOf(page, 'answer')).toBe(1)
    network.disconnect()
    for (const late of [0, 30]) {
      await page.goto(`${address}&token=${token}&late=${late}`)
      await expectTexts(page, ['secret'])
    }
    await page.goto(address)
    await page.waitForFunction(() => window.weft !== undefined)
    await page.evaluate(() => window.weft.ready)
    expect(await texts(page)).toEqual([])
    expect(await diskContents(page)).not.toContain('secret')
  })

  test('a browser without a database works and reports that writes are not durable', async () => {
    const { context, address } = await setUp()
    await context.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('no', 'SecurityError')
      }
    })
    const page = await open(context, address)
    await writeNote(page, 'on water')
    await untilIdle(page)
    expect(await state(page)).toMatchObject({ durable: false, failed: [] })
    await expectTexts(page, ['on water'])
  })
})

/** Subscribes a page to the filtered query. */
const subscribeToFiltered = (page: Page) =>
  page.evaluate(() => {
    window.cheap.subscribe(() => {})
  })

/** Returns the error of the filtered query, or its status. */
const filteredError = (page: Page) =>
  page.evaluate(() => {
    const state = window.cheap.get()
    return state.status === 'error' ? `${state.error.kind}: ${state.error.message}` : state.status
  })

/** Writes a note with `done` set, and waits until it is saved. */
const writePricedNote = (page: Page, text: string, price: string): Promise<number> =>
  page.evaluate(
    async ([text, price]) => {
      const { id, saved } = window.weft.create('the_note', { text, done: true, price })
      await saved
      return id
    },
    [text, price] as const,
  )

/** Returns the texts, `complete` and the total of the filtered query if it is ready, and otherwise its status. */
const filteredNotes = (page: Page) =>
  page.evaluate(() => {
    const state = window.cheap.get()
    if (state.status !== 'ready') return state.status
    const texts = state.data.map(({ data }) => data.the_note.text.data.the_text)
    return [texts, state.complete, state.total]
  })

/** Starts an empty server and a proxy in front of it that can disconnect, and opens a page that uses the proxy. */
async function setUp(...flags: string[]) {
  const server = await startServer(...flags)
  const network = await startNetworkProxy(Number(new URL(server).port))
  const address = pageAt(network.url)
  const context = await profile()
  return { network, address, context, page: await open(context, address) }
}

const pageAt = (server: string) => served(`?weft=${server}`)

/** Creates a client outside the browser. */
function nodeClient(url: string) {
  const client = createClient({ url, storage: 'memory' })
  onTestFinished(() => client.close())
  return client
}

const post = async (url: string, path: string, body: unknown) => {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await response.json()) as { id: number; characterValue: string }[]
}

/** Returns the number of connections inside a record. */
const linksOf = async (url: string, id: number): Promise<number> =>
  (await post(url, '/api/get_all_connections_of_composition_bulk', [id])).length

/** Returns the id of a value, or undefined if the server has none with this type and text. */
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

/** Writes a note and waits until it is saved or cannot be saved. Returns its local id. */
const writeNote = (page: Page, text: string): Promise<number> =>
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
const isComplete = async (page: Page) => (await notes(page)).complete
/** Returns the error message of the first failed write, or an empty string. */
const firstFailure = (page: Page) =>
  page.evaluate(() => window.weft.sync.get().failed[0]?.error?.message ?? '')
const state = (page: Page) => page.evaluate(() => window.weft.sync.get())

/** Waits until a page shows these notes. */
async function expectTexts(page: Page, expected: string[]): Promise<void> {
  await page.waitForFunction(() => window.weft !== undefined)
  await expect.poll(() => texts(page)).toEqual(expected)
}

/** Waits until no write is pending. */
async function untilIdle(page: Page): Promise<void> {
  await expect.poll(async () => (await state(page)).pending).toBe(0)
}

/** Returns the contents of all databases of the page, as JSON. */
const diskContents = async (page: Page): Promise<string> =>
  JSON.stringify(await readDatabases(page))

/** Returns the number of rows of a store on disk. */
const rowsOf = async (page: Page, store: 'outbox' | 'answer'): Promise<number> =>
  Object.values(await readDatabases(page)).flatMap((stores) => stores[store] ?? []).length
