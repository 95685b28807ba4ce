import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { attempt, counter, onDisk, status } from './disk.ts'
import { count, idle, open, seen, servePages, texts, world, write } from './tab.ts'

const pageNamed = servePages()
/** The sentence and the words of the contract, outermost first. */
const notSaved = ['this browser did not save it', 'Cannot store to the Local database']

describe('a database in trouble', { timeout: 60_000 }, () => {
  test('that another page deletes is put back, with all that waits, before anything is given twice', async () => {
    const { server, cable, tabs, context, address } = await world(pageNamed, 2)
    const [page, other] = tabs
    await write(page, 'sent')
    await idle(page)
    cable.cut()
    const ids = [await write(page, 'one'), await write(other, 'two')]
    const blank = await blankPage(context)
    const name = `weft ${cable.url} test`
    const randomizer = await counter(blank, name, 'randomizer')
    await blank.evaluate(deleteDatabase, name)
    await expect.poll(() => waiting(blank, name)).toBe(2)
    expect(await counter(blank, name, 'randomizer')).toBe(randomizer)
    for (const tab of tabs) expect(await status(tab)).toMatchObject({ durable: true, pending: 2 })
    ids.push(await write(page, 'three'), await write(other, 'four'))
    for (const tab of tabs) await tab.close()

    const later = await open(context, address)
    await expect
      .poll(async () => (await texts(later)).sort())
      .toEqual(['four', 'one', 'three', 'two'])
    ids.push(await write(later, 'five'))
    expect(new Set(ids).size).toBe(5)
    cable.mend()
    await idle(later)
    expect(await count(server)).toBe(6)
    expect(await status(later)).toMatchObject({ durable: true, failed: [] })
  })

  test('that the user clears away with the data of the site is put back with all that waits', async () => {
    const { server, cable, tabs, context, address } = await world(pageNamed, 1)
    const [page] = tabs
    cable.cut()
    await write(page, 'one')
    const devtools = await context.newCDPSession(page)
    const origin = new URL(address).origin
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
    const name = `weft ${cable.url} test`
    // What is written while the browser is at it may not be saved, and says so.
    const refused: string[] = []
    for (let text = 'two'; (await attempt(page, text)) !== 'saved'; text += '!') refused.push(text)
    const kept = [`two${'!'.repeat(refused.length)}`, 'one']
    const blank = await blankPage(context)
    await expect.poll(() => waiting(blank, name)).toBeGreaterThanOrEqual(2)
    await page.close()
    const later = await open(context, address)
    for (const text of kept) await expect.poll(() => texts(later)).toContain(text)
    cable.mend()
    await idle(later)
    const there = await count(server)
    expect(there).toBeGreaterThanOrEqual(2)
    expect(there).toBeLessThanOrEqual(2 + refused.length)
  })

  test('that the browser closes without a word is opened again', async () => {
    const { cable, tabs, context, address } = await world(pageNamed, 1)
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
    cable.cut()
    await write(page, 'before')
    await page.evaluate('closeAll()')
    expect(await attempt(page, 'after')).toBe('saved')
    expect(await status(page)).toMatchObject({ durable: true, pending: 2 })
    await page.reload()
    await seen(page, ['after', 'before'])
  })

  test('that is replaced by one of somebody else is left to them', async () => {
    const { server, cable, tabs, context } = await world(pageNamed, 1)
    const [page] = tabs
    cable.cut()
    const blank = await blankPage(context)
    const name = `weft ${cable.url} test`
    await write(page, 'one')
    await blank.evaluate(replaceDatabase, name)
    await expect.poll(async () => (await status(page)).durable).toBe(false)
    expect((await attempt(page, 'two')).slice(0, 2)).toEqual(notSaved)
    expect(await waiting(blank, name)).toBe(0)
    expect(await counter(blank, name, 'randomizer')).toBe(1)
    cable.mend()
    await idle(page)
    await seen(page, ['two', 'one'])
    expect(await count(server)).toBe(2)
  })

  test('without room says which write it did not save, sends it, and saves again what there is room for', async () => {
    const { server, cable, context, page, name } = await confined(500_000)
    await write(page, 'small')
    await idle(page)
    cable.cut()
    expect((await attempt(page, noise(2_000_000))).slice(0, 2)).toEqual(notSaved)
    expect(await status(page)).toMatchObject({ durable: false, pending: 1, failed: [] })
    expect(await waiting(await blankPage(context), name)).toBe(0)
    cable.mend()
    await idle(page)
    expect(await count(server)).toBe(2)
    // The browser may take a while to notice that what was refused takes no room.
    await expect.poll(() => attempt(page, 'again'), { interval: 1_000 }).toBe('saved')
    await idle(page)
    expect(await status(page)).toMatchObject({ durable: true, failed: [] })
  })

  test('without room forgets what the server said rather than what it has not heard', async () => {
    const { server, cable, context, page, name } = await confined(5_500_000)
    await write(page, noise(2_000_000))
    await idle(page)
    const blank = await blankPage(context)
    const size = async () => JSON.stringify((await onDisk(blank))[`${name} cache`] ?? '').length
    await expect.poll(size).toBeGreaterThan(2_000_000)
    cable.cut()
    const first = await attempt(page, noise(4_000_000))
    await expect.poll(size).toBeLessThan(1_000)
    // The browser may take a while to notice that there is room now, and longer than a test may wait.
    const again = first === 'saved' ? first : await attempt(page, noise(4_000_000))
    const saved = [first, again].filter((outcome) => outcome === 'saved').length
    expect(await waiting(blank, name)).toBe(saved && 1)
    expect((await status(page)).durable).toBe(first === 'saved')
    cable.mend()
    await idle(page)
    expect(await count(server)).toBe(first === 'saved' ? 2 : 3)
    expect((await status(page)).failed).toEqual([])
  })

  test('that keeps a write which is over is asked again, and no other tab takes it for waiting', async () => {
    const { server, tabs, cable, context, address } = await world(pageNamed, 1)
    const [page] = tabs
    cable.cut()
    await write(page, 'sent')
    await page.evaluate(abortOnce)
    cable.mend()
    await idle(page)
    const blank = await blankPage(context)
    expect(await waiting(blank, `weft ${cable.url} test`)).toBe(1)
    const other = await open(context, address)
    await idle(other)
    await seen(other, ['sent'])
    await expect.poll(() => waiting(blank, `weft ${cable.url} test`)).toBe(0)
    expect(await count(server)).toBe(1)
  })

  test('that does not exist in this browser costs durability and nothing else', async () => {
    const { server, tabs, context, address } = await world(pageNamed, 1)
    await tabs[0].close()
    await context.addInitScript(() => {
      Object.defineProperty(globalThis, 'indexedDB', { value: undefined })
    })
    const uncaught: string[] = []
    context.on('weberror', (error) => uncaught.push(error.error().message))
    const page = await open(context, address)
    expect((await attempt(page, 'on water')).slice(0, 3)).toEqual([
      ...notSaved,
      'Cannot populate Local Ids from the Index Db',
    ])
    await idle(page)
    await seen(page, ['on water'])
    expect(await status(page)).toMatchObject({ durable: false, failed: [] })
    expect(await count(server)).toBe(1)
    expect(uncaught).toEqual([])
  })
})

describe('a cache in trouble', { timeout: 60_000 }, () => {
  test.each([
    ['has a row that cannot be read', spoilCache],
    ['is something else', replaceCache],
  ])('that %s is fetched again, and what waits is kept', async (_, spoil) => {
    const { cable, tabs, context, address } = await world(pageNamed, 1)
    const [page] = tabs
    await write(page, 'sent')
    await idle(page)
    await seen(page, ['sent'])
    const name = `weft ${cable.url} test cache`
    await expect.poll(async () => (await onDisk(page))[name]?.['answer']?.length).toBe(1)
    cable.cut()
    await write(page, 'waits')
    await page.close()
    const blank = await blankPage(context)
    await blank.evaluate(spoil, name)

    const later = await open(context, address)
    await seen(later, ['waits'])
    expect(await status(later)).toMatchObject({ durable: true, pending: 1 })
    cable.mend()
    await idle(later)
    await seen(later, ['waits', 'sent'])
    await expect.poll(async () => (await onDisk(later))[name]?.['answer']?.length).toBe(1)
    await expect.poll(async () => JSON.stringify((await onDisk(later))[name])).toContain('sent')
    cable.cut()
    await later.reload()
    await seen(later, ['waits', 'sent'])
  })

  test('whose code does not load is not missed by what is written', async () => {
    const { cable, tabs, context, address } = await world(pageNamed, 1)
    await tabs[0].close()
    await context.route('**/store/cache.ts*', (route) => route.abort())
    const page = await open(context, address)
    cable.cut()
    await write(page, 'waits')
    await page.reload()
    await seen(page, ['waits'])
    cable.mend()
    await idle(page)
    expect(await texts(page)).toEqual(['waits'])
    expect(await status(page)).toMatchObject({ durable: true, failed: [] })
  })
})

/** A page of the same site that has no client. */
async function blankPage(context: Awaited<ReturnType<typeof profile>>): Promise<Page> {
  const blank = await context.newPage()
  await blank.goto(pageNamed('blank.html'))
  return blank
}

/** How many writes are in the outbox on disk. */
const waiting = async (page: Page, name: string): Promise<number> =>
  ((await onDisk(page))[name]?.['outbox'] ?? []).flat().length

/** A page of a site that may use so many bytes of the disk, which Chromium asks for when the site first does. */
async function confined(quotaSize: number) {
  const { server, cable, tabs, address } = await world(pageNamed, 1)
  await tabs[0].close()
  const context = await profile()
  const devtools = await context.newCDPSession(await blankPage(context))
  await devtools.send('Storage.overrideQuotaForOrigin', {
    origin: new URL(address).origin,
    quotaSize,
  })
  return {
    server,
    cable,
    context,
    page: await open(context, address),
    name: `weft ${cable.url} test`,
  }
}

/** Text that no compression makes shorter by much. */
const noise = (length: number): string =>
  Array.from({ length: length / 8 }, () => Math.random().toString(36).slice(2, 10).padEnd(8)).join(
    '',
  )

/** Aborts the next transaction that takes a row out of an outbox. */
function abortOnce(): void {
  const take = IDBObjectStore.prototype.delete
  IDBObjectStore.prototype.delete = function (key) {
    IDBObjectStore.prototype.delete = take
    this.transaction.abort()
    return take.call(this, key)
  }
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase(name)
    deleting.onsuccess = () => resolve()
    deleting.onerror = () => reject(deleting.error)
  })
}

/** Deletes a database and makes another of that name, which knows nothing of it, before anybody else can. */
function replaceDatabase(name: string): Promise<void> {
  indexedDB.deleteDatabase(name)
  const opening = indexedDB.open(name, 10)
  opening.onupgradeneeded = () => {
    for (const store of ['outbox', 'pair'])
      opening.result.createObjectStore(store, { autoIncrement: true })
    opening.result.createObjectStore('counter').put(1, 'randomizer')
  }
  return new Promise((resolve, reject) => {
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      opening.result.close()
      resolve()
    }
  })
}

function spoilCache(name: string): Promise<void> {
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
