import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startWeft } from '../../e2e/weft.ts'
import { openEntries } from './entries.ts'

test('a transaction is continued by its id after a reload, and is then sent whole', async () => {
  const { page, weft } = await world()
  const id = await write(page, 'trip', 'one')
  await page.reload()
  await ready(page)
  expect(await text(page, id)).toBe('one')
  expect(await status(page)).toEqual({ pending: 0, held: 1 })
  await write(page, 'trip', 'two')
  expect(await weft.count('the_note')).toBe(0)
  await commit(page, 'trip')
  await expect.poll(() => weft.count('the_note')).toBe(2)
  await expect.poll(() => status(page)).toEqual({ pending: 0, held: 0 })
  await page.reload()
  await ready(page)
  expect(await text(page, id)).toBe('one')
  expect(await status(page)).toEqual({ pending: 0, held: 0 })
})

test('a transaction of a page that is gone is rolled back by its id', async () => {
  const { page, weft, context } = await world()
  const id = await write(page, 'trip', 'one')
  await page.close()
  const next = await openEntries(context, weft.url)
  expect(await text(next, id)).toBe('one')
  await next.evaluate(() => window.transaction.begin(window.weft, 'trip').rollback())
  expect(await status(next)).toEqual({ pending: 0, held: 0 })
  expect(await text(next, id)).toBeUndefined()
  await next.reload()
  await ready(next)
  expect(await text(next, id)).toBeUndefined()
  expect(await weft.count('the_note')).toBe(0)
})

test('a commit that the server did not hear survives the page, as one request', async () => {
  const { page, weft, context } = await world()
  await write(page, 'trip', 'one')
  await write(page, 'trip', 'two')
  await weft.kill()
  await commit(page, 'trip')
  expect(await status(page)).toEqual({ pending: 2, held: 0 })
  await page.close()
  const next = await openEntries(context, weft.url)
  expect(await status(next)).toEqual({ pending: 2, held: 0 })
  const bodies = requests(next)
  await weft.start()
  await expect.poll(() => weft.count('the_note')).toBe(2)
  await expect.poll(() => status(next)).toEqual({ pending: 0, held: 0 })
  const whole = bodies.filter((body) => body.includes('one') && body.includes('two'))
  expect(whole.length).toBeGreaterThan(0)
  expect(whole.length).toBe(bodies.length)
})

test('what a transaction makes and removes is gone for good, also from what was seen', async () => {
  const { page, weft } = await world()
  const [kept, gone] = await page.evaluate(async () => {
    const tx = window.transaction.begin(window.weft)
    const kept = tx.create('the_note', { text: 'old', list: ['a', 'b'] })
    const gone = tx.create('the_note', { text: 'gone' })
    tx.update(kept.id, { text: 'new', list: ['c'] })
    tx.remove(gone.id)
    const write = await tx.commit()
    await write.synced
    return Promise.all([kept.synced, gone.id])
  })
  const record = () => page.evaluate((id) => window.weft.record(id), kept)
  expect(await record()).toEqual({ text: 'new', list: ['c'] })
  await expect.poll(() => weft.count('the_note')).toBe(1)
  await weft.kill()
  await page.reload()
  await ready(page)
  expect(await record()).toEqual({ text: 'new', list: ['c'] })
  expect(await text(page, gone)).toBeUndefined()
})

test('tabs share a transaction: either sees it held, and the end of it in the other', async () => {
  const { page, weft, context } = await world()
  const other = await openEntries(context, weft.url)
  const id = await write(other, 'trip', 'from the other')
  await expect.poll(() => text(page, id)).toBe('from the other')
  expect(await status(page)).toEqual({ pending: 0, held: 1 })
  expect(await page.evaluate(() => window.weft.sync.writes().map((w) => w.held))).toEqual(['trip'])
  expect(await page.evaluate(([id]) => window.weft.pending(id), [id] as const)).toBe('pending')
  await page.evaluate(() => {
    const tx = window.transaction.begin(window.weft, 'trip')
    tx.create('the_note', { text: 'from the one' })
    Object.assign(window, { tx })
  })
  await expect.poll(() => status(other)).toEqual({ pending: 0, held: 2 })
  expect(await weft.count('the_note')).toBe(0)

  await commit(other, 'trip')
  await other.close()
  await expect.poll(() => weft.count('the_note')).toBe(2)
  await expect.poll(() => status(page)).toEqual({ pending: 0, held: 0 })
  const late = page.evaluate(() => {
    const { tx } = window as unknown as { tx: ReturnType<typeof window.transaction.begin> }
    return tx.create('the_note', { text: 'late' }).id
  })
  await expect(late).rejects.toThrow('Query Transaction Expired')
})

test('a tab hears of a roll back in another', async () => {
  const { page, weft, context } = await world()
  const other = await openEntries(context, weft.url)
  const id = await write(page, 'trip', 'one')
  await expect.poll(() => text(other, id)).toBe('one')
  await other.evaluate(() => window.transaction.begin(window.weft, 'trip').rollback())
  await expect.poll(() => text(page, id)).toBeUndefined()
  expect(await status(page)).toEqual({ pending: 0, held: 0 })
})

test('a transaction that nobody continued for 7 days is dropped, and one of 6 days is not', async () => {
  const { page } = await world()
  const ago = (days: number) => Date.now() - days * 24 * 60 * 60 * 1000
  await page.clock.setFixedTime(ago(7.1))
  const stale = await write(page, 'stale', 'stale')
  const first = await write(page, 'long', 'first')
  await page.clock.setFixedTime(ago(6.9))
  await write(page, 'long', 'second')
  await page.clock.setFixedTime(Date.now())
  await page.reload()
  await ready(page)
  await expect.poll(() => text(page, stale)).toBeUndefined()
  expect(await text(page, first)).toBe('first')
  await expect.poll(() => status(page)).toEqual({ pending: 0, held: 2 })
})

test('a clock that is wrong drops no transaction', async () => {
  const { page } = await world()
  const id = await write(page, 'open', 'kept')
  await page.clock.setFixedTime(Date.now() + 30 * 24 * 60 * 60 * 1000)
  const asked = page.waitForResponse(/health/)
  await page.reload()
  await ready(page)
  await (await asked).finished()
  // Forgetting it would take less than that.
  await page.evaluate(() => window.weft.create('the_note', { text: 'later' }).synced)
  expect(await text(page, id)).toBe('kept')
  expect(await status(page)).toEqual({ pending: 0, held: 1 })
})

async function world() {
  const weft = await startWeft()
  const context: BrowserContext = await profile()
  const page = await openEntries(context, weft.url)
  return { weft, context, page }
}

async function ready(page: Page): Promise<void> {
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
}

/** Writes a note in a transaction and waits until it is saved. */
const write = (page: Page, tx: string, text: string): Promise<number> =>
  page.evaluate(
    async ([tx, text]) => {
      const { id, saved } = window.transaction.begin(window.weft, tx).create('the_note', { text })
      await saved
      return id
    },
    [tx, text] as const,
  )

const commit = (page: Page, tx: string): Promise<void> =>
  page.evaluate(async (tx) => {
    const { saved } = await window.transaction.begin(window.weft, tx).commit()
    await saved
  }, tx)

const text = (page: Page, id: number) =>
  page.evaluate((id) => {
    const { text } = window.weft.record(id) ?? {}
    return text
  }, id)

const status = (page: Page) =>
  page.evaluate(() => {
    const { pending, held } = window.weft.sync.get()
    return { pending, held }
  })

/** The writes that a page sends from here on. */
function requests(page: Page): string[] {
  const bodies: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/local-concepts')) bodies.push(request.postData() ?? '')
  })
  return bodies
}
