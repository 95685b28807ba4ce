import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startWeft } from '../../e2e/weft.ts'
import { openEntries } from './entries.ts'

test('a transaction is continued by its id after a reload, and sent as one request', async () => {
  const { page, weft } = await setUp()
  const id = await createHeldNote(page, 'trip', 'one')
  await page.reload()
  await waitUntilReady(page)
  expect(await textOf(page, id)).toBe('one')
  expect(await writeCounts(page)).toEqual({ pending: 0, held: 1 })
  await createHeldNote(page, 'trip', 'two')
  expect(await weft.count('the_note')).toBe(0)
  await commit(page, 'trip')
  await expect.poll(() => weft.count('the_note')).toBe(2)
  await expect.poll(() => writeCounts(page)).toEqual({ pending: 0, held: 0 })
  await page.reload()
  await waitUntilReady(page)
  expect(await textOf(page, id)).toBe('one')
  expect(await writeCounts(page)).toEqual({ pending: 0, held: 0 })
})

test('another page rolls back the transaction of a closed page by its id', async () => {
  const { page, weft, context } = await setUp()
  const id = await createHeldNote(page, 'trip', 'one')
  await page.close()
  const next = await openEntries(context, weft.url)
  expect(await textOf(next, id)).toBe('one')
  await next.evaluate(() => window.transaction.begin(window.weft, 'trip').rollback())
  expect(await writeCounts(next)).toEqual({ pending: 0, held: 0 })
  expect(await textOf(next, id)).toBeUndefined()
  await next.reload()
  await waitUntilReady(next)
  expect(await textOf(next, id)).toBeUndefined()
  expect(await weft.count('the_note')).toBe(0)
})

test('an unsent commit survives the page, and is sent as one request', async () => {
  const { page, weft, context } = await setUp()
  await createHeldNote(page, 'trip', 'one')
  await createHeldNote(page, 'trip', 'two')
  await weft.kill()
  await commit(page, 'trip')
  expect(await writeCounts(page)).toEqual({ pending: 2, held: 0 })
  await page.close()
  const next = await openEntries(context, weft.url)
  expect(await writeCounts(next)).toEqual({ pending: 2, held: 0 })
  const bodies = recordSyncRequests(next)
  await weft.start()
  await expect.poll(() => weft.count('the_note')).toBe(2)
  await expect.poll(() => writeCounts(next)).toEqual({ pending: 0, held: 0 })
  const withBoth = bodies.filter((body) => body.includes('one') && body.includes('two'))
  expect(withBoth.length).toBeGreaterThan(0)
  expect(withBoth.length).toBe(bodies.length)
})

test('a record that a transaction creates and removes stays removed, even in the cache', async () => {
  const { page, weft } = await setUp()
  const [keptId, removedId] = await page.evaluate(async () => {
    const tx = window.transaction.begin(window.weft)
    const kept = tx.create('the_note', { text: 'old', list: ['a', 'b'] })
    const removed = tx.create('the_note', { text: 'removed' })
    tx.update(kept.id, { text: 'new', list: ['c'] })
    tx.remove(removed.id)
    const write = await tx.commit()
    await write.synced
    return Promise.all([kept.synced, removed.id])
  })
  const record = () => page.evaluate((id) => window.weft.record(id), keptId)
  expect(await record()).toEqual({ text: 'new', list: ['c'] })
  await expect.poll(() => weft.count('the_note')).toBe(1)
  await weft.kill()
  await page.reload()
  await waitUntilReady(page)
  expect(await record()).toEqual({ text: 'new', list: ['c'] })
  expect(await textOf(page, removedId)).toBeUndefined()
})

test('two tabs list the writes of an open transaction as held until either tab ends it', async () => {
  const { page, weft, context } = await setUp()
  const other = await openEntries(context, weft.url)
  const id = await createHeldNote(other, 'trip', 'from the other')
  await expect.poll(() => textOf(page, id)).toBe('from the other')
  expect(await writeCounts(page)).toEqual({ pending: 0, held: 1 })
  expect(await page.evaluate(() => window.weft.sync.writes().map((w) => w.held))).toEqual(['trip'])
  expect(await page.evaluate(([id]) => window.weft.pending(id), [id] as const)).toBe('pending')
  await page.evaluate(() => {
    const tx = window.transaction.begin(window.weft, 'trip')
    tx.create('the_note', { text: 'from the one' })
    Object.assign(window, { tx })
  })
  await expect.poll(() => writeCounts(other)).toEqual({ pending: 0, held: 2 })
  expect(await weft.count('the_note')).toBe(0)

  await commit(other, 'trip')
  await other.close()
  await expect.poll(() => weft.count('the_note')).toBe(2)
  await expect.poll(() => writeCounts(page)).toEqual({ pending: 0, held: 0 })
  const lateWrite = page.evaluate(() => {
    const { tx } = window as unknown as { tx: ReturnType<typeof window.transaction.begin> }
    return tx.create('the_note', { text: 'late' }).id
  })
  await expect(lateWrite).rejects.toThrow('Query Transaction Expired')
})

test('a rollback in one tab reaches the other', async () => {
  const { page, weft, context } = await setUp()
  const other = await openEntries(context, weft.url)
  const id = await createHeldNote(page, 'trip', 'one')
  await expect.poll(() => textOf(other, id)).toBe('one')
  await other.evaluate(() => window.transaction.begin(window.weft, 'trip').rollback())
  await expect.poll(() => textOf(page, id)).toBeUndefined()
  expect(await writeCounts(page)).toEqual({ pending: 0, held: 0 })
})

test('a transaction without an id is rolled back when its page is reloaded or closed, and not before', async () => {
  const { page, weft, context } = await setUp()
  const earlier = await openEntries(context, weft.url)
  const first = await createDraftNote(page, 'first')
  const later = await openEntries(context, weft.url)
  for (const other of [earlier, later]) {
    await expect.poll(() => textOf(other, first)).toBe('first')
    await expect.poll(() => waitingLocks(other)).toBeGreaterThanOrEqual(2)
    expect(await textOf(other, first)).toBe('first')
  }
  // This write waits for the transaction, because it refers to a record that the transaction creates.
  await later.evaluate((id) => window.weft.update(id, { text: 'edited' }).saved, first)
  expect(await writeCounts(later)).toEqual({ pending: 1, held: 1 })
  await page.reload()
  await waitUntilReady(page)
  for (const tab of [page, earlier, later]) {
    await expect.poll(() => writeCounts(tab)).toEqual({ pending: 0, held: 0 })
    expect(await textOf(tab, first)).toBeUndefined()
  }

  const second = await createDraftNote(page, 'second')
  await expect.poll(() => textOf(earlier, second)).toBe('second')
  await page.close()
  await expect.poll(() => textOf(earlier, second)).toBeUndefined()
  expect(await weft.count('the_note')).toBe(0)
})

test('a transaction without an id that is committed survives its page', async () => {
  const { page, weft, context } = await setUp()
  const other = await openEntries(context, weft.url)
  const id = await createDraftNote(page, 'kept')
  await expect.poll(() => waitingLocks(other)).toBeGreaterThanOrEqual(1)
  await weft.kill()
  await page.evaluate(async () => {
    const { draft } = window as unknown as Draft
    await (await draft.commit()).saved
  })
  await page.close()
  await expect.poll(() => waitingLocks(other)).toBe(0)
  expect(await textOf(other, id)).toBe('kept')
  expect(await writeCounts(other)).toEqual({ pending: 1, held: 0 })
  await weft.start()
  await expect.poll(() => weft.count('the_note')).toBe(1)
})

test('a transaction is discarded 7 days after its last write, and not after 6', async () => {
  const { page } = await setUp()
  const ago = (days: number) => Date.now() - days * 24 * 60 * 60 * 1000
  await page.clock.setFixedTime(ago(7.1))
  const stale = await createHeldNote(page, 'stale', 'stale')
  const first = await createHeldNote(page, 'long', 'first')
  await page.clock.setFixedTime(ago(6.9))
  await createHeldNote(page, 'long', 'second')
  await page.clock.setFixedTime(Date.now())
  await page.reload()
  await waitUntilReady(page)
  await expect.poll(() => textOf(page, stale)).toBeUndefined()
  expect(await textOf(page, first)).toBe('first')
  await expect.poll(() => writeCounts(page)).toEqual({ pending: 0, held: 2 })
})

test('a wrong clock discards no transaction', async () => {
  const { page } = await setUp()
  const id = await createHeldNote(page, 'open', 'kept')
  await page.clock.setFixedTime(Date.now() + 30 * 24 * 60 * 60 * 1000)
  const healthCheck = page.waitForResponse(/health/)
  await page.reload()
  await waitUntilReady(page)
  await (await healthCheck).finished()
  // A defect would discard the transaction sooner than this write is synced.
  await page.evaluate(() => window.weft.create('the_note', { text: 'later' }).synced)
  expect(await textOf(page, id)).toBe('kept')
  expect(await writeCounts(page)).toEqual({ pending: 0, held: 1 })
})

async function setUp() {
  const weft = await startWeft()
  const context: BrowserContext = await profile()
  const page = await openEntries(context, weft.url)
  return { weft, context, page }
}

async function waitUntilReady(page: Page): Promise<void> {
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
}

/** Creates a note in a transaction and waits until it is saved. */
const createHeldNote = (page: Page, tx: string, text: string): Promise<number> =>
  page.evaluate(
    async ([tx, text]) => {
      const { id, saved } = window.transaction.begin(window.weft, tx).create('the_note', { text })
      await saved
      return id
    },
    [tx, text] as const,
  )

interface Draft {
  readonly draft: ReturnType<typeof window.transaction.begin>
}

/** Creates a note in a transaction without an id, which the page keeps as `draft`, and waits until it is saved. */
const createDraftNote = (page: Page, text: string): Promise<number> =>
  page.evaluate(async (text) => {
    const draft = window.transaction.begin(window.weft)
    Object.assign(window, { draft })
    const { id, saved } = draft.create('the_note', { text })
    await saved
    return id
  }, text)

/** Returns how many requests of all tabs wait for the lock of a transaction. */
const waitingLocks = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { pending = [] } = await navigator.locks.query()
    return pending.filter((lock) => lock.name?.startsWith('weft transaction')).length
  })

const commit = (page: Page, tx: string): Promise<void> =>
  page.evaluate(async (tx) => {
    const { saved } = await window.transaction.begin(window.weft, tx).commit()
    await saved
  }, tx)

/** Returns the text of a note, or undefined if the page has no such note. */
const textOf = (page: Page, id: number) =>
  page.evaluate((id) => {
    const { text } = window.weft.record(id) ?? {}
    return text
  }, id)

/** Returns the numbers of pending and held writes of a page. */
const writeCounts = (page: Page) =>
  page.evaluate(() => {
    const { pending, held } = window.weft.sync.get()
    return { pending, held }
  })

/** Records the requests with writes that a page sends from now on. */
function recordSyncRequests(page: Page): string[] {
  const bodies: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/local-concepts')) bodies.push(request.postData() ?? '')
  })
  return bodies
}
