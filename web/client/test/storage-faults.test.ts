import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import type { Mutation } from '../src/model/mutation.ts'
import { countNotes } from './count-notes.ts'
import { readCounter, readDatabases, status, tryToCreateNote } from './disk.ts'
import { openEntries } from './entries.ts'
import { expectTexts, open, servePages, setUp, texts, untilIdle, writeNote } from './tab.ts'

const pageNamed = servePages()
/** The message of the error, which the wire contract prescribes. */
const notSaved = 'Cannot store to the Local database'

describe('the outbox database', () => {
  test('is restored with all unsent writes after another page deleted it, and issues no id twice', async () => {
    const { server, network, tabs, context, address } = await setUp(pageNamed, 2)
    const [page, other] = tabs
    await writeNote(page, 'sent')
    await untilIdle(page)
    network.disconnect()
    const ids = [await writeNote(page, 'one'), await writeNote(other, 'two')]
    const blank = await blankPage(context)
    const name = `weft ${network.url} test`
    const randomizer = await readCounter(blank, name, 'randomizer')
    await blank.evaluate(deleteDatabase, name)
    await expect.poll(() => countUnsent(blank, name)).toBe(2)
    expect(await readCounter(blank, name, 'randomizer')).toBe(randomizer)
    for (const tab of tabs) expect(await status(tab)).toMatchObject({ durable: true, pending: 2 })
    ids.push(await writeNote(page, 'three'), await writeNote(other, 'four'))
    for (const tab of tabs) await tab.close()

    const later = await open(context, address)
    await expect
      .poll(async () => (await texts(later)).sort())
      .toEqual(['four', 'one', 'three', 'two'])
    ids.push(await writeNote(later, 'five'))
    expect(new Set(ids).size).toBe(5)
    network.reconnect()
    await untilIdle(later)
    expect(await countNotes(server)).toBe(6)
    expect(await status(later)).toMatchObject({ durable: true, failed: [] })
  })

  test('is restored with all unsent writes after the user cleared the site data', async () => {
    const { server, network, tabs, context, address } = await setUp(pageNamed, 1)
    const [page] = tabs
    network.disconnect()
    await writeNote(page, 'one')
    const devtools = await context.newCDPSession(page)
    const origin = new URL(address).origin
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
    const name = `weft ${network.url} test`
    // A write made during the deletion may fail to be saved; the write reports the failure.
    const refused: string[] = []
    for (let text = 'two'; (await tryToCreateNote(page, text)) !== 'saved'; text += '!')
      refused.push(text)
    const savedTexts = [`two${'!'.repeat(refused.length)}`, 'one']
    const blank = await blankPage(context)
    await expect.poll(() => countUnsent(blank, name)).toBeGreaterThanOrEqual(2)
    await page.close()
    const later = await open(context, address)
    for (const text of savedTexts) await expect.poll(() => texts(later)).toContain(text)
    network.reconnect()
    await untilIdle(later)
    const created = await countNotes(server)
    expect(created).toBeGreaterThanOrEqual(2)
    expect(created).toBeLessThanOrEqual(2 + refused.length)
  })

  test('is opened again after the browser closed it without an event', async () => {
    const { network, tabs, context, address } = await setUp(pageNamed, 1)
    await tabs[0].close()
    await context.addInitScript(() => {
      const open = IDBFactory.prototype.open
      const opened: IDBOpenDBRequest[] = []
      IDBFactory.prototype.open = function (...details) {
        const request = open.apply(this, details)
        opened.push(request)
        return request
      }
      Object.assign(window, { closeAll: () => opened.map((request) => request.result.close()) })
    })
    const page = await open(context, address)
    network.disconnect()
    await writeNote(page, 'before')
    await page.evaluate('closeAll()')
    expect(await tryToCreateNote(page, 'after')).toBe('saved')
    expect(await status(page)).toMatchObject({ durable: true, pending: 2 })
    await page.reload()
    await expectTexts(page, ['after', 'before'])
  })

  test('is not used any more after another client created a database in its place', async () => {
    const { server, network, tabs, context } = await setUp(pageNamed, 1)
    const [page] = tabs
    network.disconnect()
    const blank = await blankPage(context)
    const name = `weft ${network.url} test`
    await writeNote(page, 'one')
    await blank.evaluate(replaceDatabase, name)
    await expect.poll(async () => (await status(page)).durable).toBe(false)
    expect((await tryToCreateNote(page, 'two'))[0]).toBe(notSaved)
    expect(await countUnsent(blank, name)).toBe(0)
    expect(await readCounter(blank, name, 'randomizer')).toBe(1)
    network.reconnect()
    await untilIdle(page)
    await expectTexts(page, ['two', 'one'])
    expect(await countNotes(server)).toBe(2)
  })

  test('reports and sends a write that does not fit on the disk, and saves a later write that fits', async () => {
    const { server, network, context, page, name } = await openWithQuota(500_000)
    await writeNote(page, 'small')
    await untilIdle(page)
    network.disconnect()
    expect((await tryToCreateNote(page, noise(2_000_000)))[0]).toBe(notSaved)
    expect(await status(page)).toMatchObject({ durable: false, pending: 1, failed: [] })
    expect(await countUnsent(await blankPage(context), name)).toBe(0)
    network.reconnect()
    await untilIdle(page)
    expect(await countNotes(server)).toBe(2)
    // The browser may take a while to count the refused write as free space.
    await expect.poll(() => tryToCreateNote(page, 'again'), { interval: 1_000 }).toBe('saved')
    await untilIdle(page)
    expect(await status(page)).toMatchObject({ durable: true, failed: [] })
  })

  test('evicts the cache when a write does not fit on the disk', async () => {
    const { server, network, context, page, name } = await openWithQuota(5_500_000)
    await writeNote(page, noise(2_000_000))
    await untilIdle(page)
    const blank = await blankPage(context)
    const size = async () =>
      JSON.stringify((await readDatabases(blank))[`${name} cache`] ?? '').length
    await expect.poll(size).toBeGreaterThan(2_000_000)
    network.disconnect()
    const first = await tryToCreateNote(page, noise(4_000_000))
    await expect.poll(size).toBeLessThan(1_000)
    // The browser may notice the free space only after the client has given up.
    const second = first === 'saved' ? first : await tryToCreateNote(page, noise(4_000_000))
    const saved = [first, second].filter((outcome) => outcome === 'saved').length
    expect(await countUnsent(blank, name)).toBe(saved && 1)
    expect((await status(page)).durable).toBe(first === 'saved')
    network.reconnect()
    await untilIdle(page)
    expect(await countNotes(server)).toBe(first === 'saved' ? 2 : 3)
    expect((await status(page)).failed).toEqual([])
  })

  test('removes a settled write again after a failed removal, so that no tab sends it', async () => {
    const { server, tabs, network, context, address } = await setUp(pageNamed, 1)
    const [page] = tabs
    network.disconnect()
    await writeNote(page, 'sent')
    await page.evaluate(abortOnce)
    network.reconnect()
    await untilIdle(page)
    const blank = await blankPage(context)
    expect(await countUnsent(blank, `weft ${network.url} test`)).toBe(1)
    const other = await open(context, address)
    await untilIdle(other)
    await expectTexts(other, ['sent'])
    await expect.poll(() => countUnsent(blank, `weft ${network.url} test`)).toBe(0)
    expect(await countNotes(server)).toBe(1)
  })

  test('is not required: without the database, only durability is lost', async () => {
    const { server, tabs, context, address } = await setUp(pageNamed, 1)
    await tabs[0].close()
    await context.addInitScript(() => {
      Object.defineProperty(globalThis, 'indexedDB', { value: undefined })
    })
    const uncaught: string[] = []
    context.on('weberror', (error) => uncaught.push(error.error().message))
    const page = await open(context, address)
    expect((await tryToCreateNote(page, 'on water')).slice(0, 2)).toEqual([
      notSaved,
      'Cannot populate Local Ids from the Index Db',
    ])
    await untilIdle(page)
    await expectTexts(page, ['on water'])
    expect(await status(page)).toMatchObject({ durable: false, failed: [] })
    expect(await countNotes(server)).toBe(1)
    expect(uncaught).toEqual([])
  })
})

describe('the cache database', () => {
  test.each([
    ['has a row that cannot be read', addUnreadableRow],
    ['is an unrelated database', replaceCache],
  ])('is filled again from the server if it %s, and pending writes are kept', async (_, damage) => {
    const { network, tabs, context, address } = await setUp(pageNamed, 1)
    const [page] = tabs
    await writeNote(page, 'sent')
    await untilIdle(page)
    await expectTexts(page, ['sent'])
    const name = `weft ${network.url} test cache`
    await expect.poll(async () => (await readDatabases(page))[name]?.['answer']?.length).toBe(1)
    network.disconnect()
    await writeNote(page, 'waits')
    await page.close()
    const blank = await blankPage(context)
    await blank.evaluate(damage, name)

    const later = await open(context, address)
    await expectTexts(later, ['waits'])
    expect(await status(later)).toMatchObject({ durable: true, pending: 1 })
    network.reconnect()
    await untilIdle(later)
    await expectTexts(later, ['waits', 'sent'])
    await expect.poll(async () => (await readDatabases(later))[name]?.['answer']?.length).toBe(1)
    await expect
      .poll(async () => JSON.stringify((await readDatabases(later))[name]))
      .toContain('sent')
    network.disconnect()
    await later.reload()
    await expectTexts(later, ['waits', 'sent'])
  })

  test('is not required for writing, even if its code cannot be loaded', async () => {
    const { network, tabs, context, address } = await setUp(pageNamed, 1)
    await tabs[0].close()
    await context.route('**/store/deferred.ts', (route) => route.abort())
    const page = await open(context, address)
    network.disconnect()
    await writeNote(page, 'waits')
    await page.reload()
    await expectTexts(page, ['waits'])
    network.reconnect()
    await untilIdle(page)
    expect(await texts(page)).toEqual(['waits'])
    expect(await status(page)).toMatchObject({ durable: true, failed: [] })
  })

  test('is not required for a commit, even if its code cannot be loaded', async () => {
    const { server, network, page, countSaved } = await openWithoutCache()
    await page.evaluate(async () => {
      const trip = window.transaction.begin(window.weft, 'trip')
      trip.create('the_note', { text: 'committed' })
      await (await trip.commit()).saved
    })
    expect(await countSaved()).toEqual({ queued: 1, held: 0 })
    network.reconnect()
    await expect.poll(countSaved).toEqual({ queued: 0, held: 0 })
    expect(await countNotes(server)).toBe(1)
  })

  test('is not required for removing a write, even if its code cannot be loaded', async () => {
    const { server, network, page, countSaved } = await openWithoutCache()
    await writeNote(page, 'sent')
    await page.evaluate(async () => {
      const { key, saved, synced } = window.weft.create('the_note', { text: 'discarded' })
      synced.catch(() => {})
      await saved
      await window.weft.sync.discard(key)
    })
    expect(await countSaved()).toEqual({ queued: 1, held: 0 })
    network.reconnect()
    await expect.poll(countSaved).toEqual({ queued: 0, held: 0 })
    expect(await countNotes(server)).toBe(1)
  })
})

/** Opens a page without a network that cannot load the code of the cache. */
async function openWithoutCache() {
  const { server, network, tabs, context } = await setUp(pageNamed, 1)
  await tabs[0].close()
  await context.route('**/store/deferred.ts', (route) => route.abort())
  const page = await openEntries(context, network.url)
  network.disconnect()
  const countSaved = async () => {
    const outbox = (await readDatabases(page))[`weft ${network.url} test`]?.['outbox'] ?? []
    const held = (outbox as Mutation[][]).flat().filter((m) => m.held).length
    return { queued: outbox.flat().length - held, held }
  }
  return { server, network, page, countSaved }
}

/** Opens a page of the same site without a client. */
async function blankPage(context: Awaited<ReturnType<typeof profile>>): Promise<Page> {
  const blank = await context.newPage()
  await blank.goto(pageNamed('blank.html'))
  return blank
}

/** Returns the number of writes in the outbox on disk. */
const countUnsent = async (page: Page, name: string): Promise<number> =>
  ((await readDatabases(page))[name]?.['outbox'] ?? []).flat().length

/** Opens a page of a site with a disk quota in bytes. Chromium reads the quota when the site first uses the disk. */
async function openWithQuota(quotaSize: number) {
  const { server, network, tabs, address } = await setUp(pageNamed, 1)
  await tabs[0].close()
  const context = await profile()
  const devtools = await context.newCDPSession(await blankPage(context))
  await devtools.send('Storage.overrideQuotaForOrigin', {
    origin: new URL(address).origin,
    quotaSize,
  })
  return {
    server,
    network,
    context,
    page: await open(context, address),
    name: `weft ${network.url} test`,
  }
}

/** Returns a string that does not compress well. */
const noise = (length: number): string =>
  Array.from({ length: length / 8 }, () => Math.random().toString(36).slice(2, 10).padEnd(8)).join(
    '',
  )

/** Aborts the next transaction that removes a row from an outbox. */
function abortOnce(): void {
  const original = IDBObjectStore.prototype.delete
  IDBObjectStore.prototype.delete = function (key) {
    IDBObjectStore.prototype.delete = original
    this.transaction.abort()
    return original.call(this, key)
  }
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase(name)
    deleting.onsuccess = () => resolve()
    deleting.onerror = () => reject(deleting.error)
  })
}

/** Replaces a database by an unrelated database with the same name. */
async function replaceDatabase(name: string): Promise<void> {
  const replace = () => {
    indexedDB.deleteDatabase(name)
    const opening = indexedDB.open(name, 10)
    let isNew = false
    opening.onupgradeneeded = () => {
      isNew = true
      for (const store of ['outbox', 'pair'])
        opening.result.createObjectStore(store, { autoIncrement: true })
      opening.result.createObjectStore('counter').put(1, 'randomizer')
    }
    return new Promise<boolean>((resolve, reject) => {
      opening.onerror = () => reject(opening.error)
      opening.onsuccess = () => {
        opening.result.close()
        resolve(isNew)
      }
    })
  }
  // The client may create and fill its database again between the two requests.
  while (!(await replace()));
}

function addUnreadableRow(name: string): Promise<void> {
  const opening = indexedDB.open(name)
  return new Promise((resolve, reject) => {
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const tx = opening.result.transaction('seen', 'readwrite')
      tx.objectStore('seen').add({ concepts: { id: [1] } })
      tx.oncomplete = () => {
        opening.result.close()
        resolve()
      }
    }
  })
}

async function replaceCache(name: string): Promise<void> {
  indexedDB.deleteDatabase(name)
  const opening = indexedDB.open(name, 10)
  opening.onupgradeneeded = () => void opening.result.createObjectStore('other')
  await new Promise((resolve) => {
    opening.onsuccess = resolve
  })
  opening.result.close()
}
