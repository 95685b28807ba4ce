import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { countNotes } from './count-notes.ts'
import {
  open,
  openServedPage,
  ready,
  type Served,
  sync,
  untilIdle,
  workerScript,
  writeNote,
} from './served.ts'
import { tokenOf } from './server.ts'

describe('a write of a closed tab', () => {
  test('is sent once by the worker when the browser is online again', async () => {
    const setup = await openServedPage()
    const { page, relay, address, context } = setup
    await ready(page)
    relay.disconnect()
    await writeNote(page, 'last words')
    const wake = await createWaker(setup)
    await page.close()
    relay.reconnect()
    await wake()
    await expect.poll(() => countNotes(relay.url)).toBe(1)
    await wake()

    const later = await open(context, address)
    await untilIdle(later)
    expect(await texts(relay.url)).toEqual(['last words'])
    expect(await countNotes(relay.url)).toBe(1)
  })

  test('is shown at the next visit after the worker sent it, even without a server', async () => {
    const setup = await openServedPage()
    const { page, relay, address, context } = setup
    await ready(page)
    await writeNote(page, 'before')
    await untilIdle(page)
    relay.disconnect()
    await writeNote(page, 'last words')
    const wake = await createWaker(setup)
    await page.close()
    const answers = () => relay.answered.filter((path) => path === sync).length
    const before = answers()
    relay.reconnect()
    await wake()
    await expect.poll(answers).toBe(before + 1)
    expect(await countNotes(relay.url)).toBe(2)
    relay.disconnect()
    const later = await open(context, address)
    await untilIdle(later)
    const found = () => later.evaluate(() => window.client.find('the_text', 'last words')?.value)
    await expect.poll(found).toBe('last words')
  })

  test('is sent in order, and a write that depends on it refers to its real id', async () => {
    const setup = await openServedPage()
    const { page, relay, context, address } = setup
    await ready(page)
    const note = await page.evaluate(() => {
      const { id, synced } = window.client.create('the_note', { text: 'first' })
      return synced.then(() => id)
    })
    relay.disconnect()
    await page.evaluate(async (note) => {
      const { saved, id } = window.client.create('the_note', { text: 'second' })
      await saved
      await window.client.update(note, { text: 'first, changed' }).saved
      await window.client.update(id, { text: 'second, changed' }).saved
    }, note)
    const wake = await createWaker(setup)
    await page.close()
    relay.reconnect()
    await wake()
    await expect.poll(() => texts(relay.url)).toEqual(['second, changed', 'first, changed'])
    await untilIdle(await open(context, address))
    expect(await texts(relay.url)).toEqual(['second, changed', 'first, changed'])
  })

  test('is sent even if the page created it before the identity of the store was known', async () => {
    const setup = await openServedPage()
    const { page, relay, context } = setup
    let release = () => {}
    const isWritten = new Promise<void>((resolve) => {
      release = resolve
    })
    await context.route('**/api/health', (route) => isWritten.then(() => route.continue()))
    await ready(page)
    const note = await page.evaluate(
      () => window.client.create('the_note', { text: 'first' }).synced,
    )
    relay.refuse(sync, 503, 1_000)
    await page.evaluate((note) => window.client.update(note, { text: 'changed' }).saved, note)
    release()
    await expect.poll(() => page.evaluate(readStoreIdentity)).toBeTypeOf('string')
    const wake = await createWaker(setup)
    await page.close()
    relay.refuse(sync, 503, 0)
    await wake()
    await expect.poll(() => texts(relay.url)).toEqual(['changed'])
  })

  test('is sent when the tab closes, in browsers without background sync', async () => {
    const withoutSync = 'delete ServiceWorkerRegistration.prototype.sync;\n'
    const { page, relay, context } = await openServedPage({
      worker: withoutSync + (await workerScript()),
      before: () => Reflect.deleteProperty(ServiceWorkerRegistration.prototype, 'sync'),
    })
    await ready(page)
    relay.disconnect()
    await writeNote(page, 'in passing')
    const blank = await context.newPage()
    relay.reconnect()
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => countNotes(relay.url)).toBe(1)
    expect(context.pages()).toEqual([blank])
  })

  test('is created once when its response is lost and the next visit sends it again', async () => {
    const setup = await openServedPage()
    const { page, relay, address, context } = setup
    await ready(page)
    relay.disconnect()
    await writeNote(page, 'twice sent')
    const wake = await createWaker(setup)
    await page.close()
    relay.reconnect()
    const release = relay.hold()
    const before = relay.posts.length
    await wake()
    await expect.poll(() => relay.posts.slice(before)).toContain(sync)
    relay.disconnect()
    release()
    relay.reconnect()
    const later = await open(context, address)
    await untilIdle(later)
    expect(await countNotes(relay.url)).toBe(1)
  })

  test('is left to an open tab, which shows it as sent', async () => {
    const setup = await openServedPage()
    const { page, relay, address, context } = setup
    await ready(page)
    const other = await open(context, address)
    relay.disconnect()
    await writeNote(page, 'one')
    await writeNote(other, 'two')
    const wake = await createWaker(setup)
    await page.close()
    relay.reconnect()
    await wake()
    await untilIdle(other)
    expect(await countNotes(relay.url)).toBe(2)
  })

  test('is shown as failed at the next visit after a refusal', async () => {
    const setup = await openServedPage({ flags: ['--anonymous-writes', '--max-body', '4000'] })
    const { page, relay, address, context } = setup
    await ready(page)
    relay.disconnect()
    await writeNote(page, 'x'.repeat(5_000))
    await writeNote(page, 'short')
    const wake = await createWaker(setup)
    await page.close()
    relay.reconnect()
    await wake()
    await expect.poll(() => countNotes(relay.url)).toBe(1)
    const later = await open(context, address)
    const failed = () => later.evaluate(() => window.client.sync.get().failed)
    expect(await failed()).toMatchObject([{ state: 'failed' }])
  })

  test('explains to the user that its record was removed elsewhere', async () => {
    const setup = await openServedPage()
    const { page, relay, address, context } = setup
    await ready(page)
    const note = await page.evaluate(
      () => window.client.create('the_note', { text: 'removed' }).synced,
    )
    const elsewhere = createClient({ url: relay.url, storage: 'memory' })
    onTestFinished(() => elsewhere.close())
    await elsewhere.remove(note).synced
    relay.disconnect()
    await page.evaluate((note) => window.client.update(note, { text: 'changed' }).saved, note)
    const wake = await createWaker(setup)
    await page.close()
    const sent = () => relay.posts.filter((path) => path === sync).length
    const answers = () => relay.answered.filter((path) => path === sync).length
    const [before, answersBefore] = [sent(), answers()]
    relay.reconnect()
    await wake()
    await expect.poll(answers).toBe(answersBefore + 1)
    const later = await open(context, address)
    const errors = () =>
      later.evaluate(() => window.client.sync.get().failed.map(({ error }) => error?.message))
    const message = 'the record no longer exists: it was removed elsewhere'
    await expect.poll(errors).toEqual([message])
    expect(sent()).toBe(before + 1)
  })
})

describe('a write of a signed-in user, in a closed tab', () => {
  test('is sent as a write of the user while the worker runs', async () => {
    const { relay, wake, token } = await writeAsAnn()
    await wake()
    await expect.poll(() => countNotes(relay.url, token)).toBe(1)
  })

  test('waits for the next visit when the browser has ended the worker', async () => {
    const { relay, wake, token, context, address } = await writeAsAnn({ ended: true })
    await wake()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(await countNotes(relay.url, token)).toBe(0)
    await untilIdle(await open(context, address))
    expect(await countNotes(relay.url, token)).toBe(1)
  })

  test('is sent by a new worker when the application keeps the token', async () => {
    const { relay, wake, token } = await writeAsAnn({ ended: true, keepToken: true })
    await wake()
    await expect.poll(() => countNotes(relay.url, token)).toBe(1)
  })

  test('is not sent after sign-out, because the stored token is removed', async () => {
    const { page, token } = await openAsAnn({ keepToken: true })
    await expect.poll(() => diskContents(page)).toContain(token)
    await page.evaluate(() => window.client.setToken(undefined))
    await expect.poll(() => diskContents(page)).not.toContain(token)
  })

  test('stores no token on the disk without keepToken', async () => {
    const { page, token } = await openAsAnn({})
    await page.evaluate(() => window.client.ready)
    expect(await diskContents(page)).not.toContain(token)
  })

  test('is sent with a token that a page renews when the server refuses the old one', async () => {
    const { page, relay, wake, token } = await writeAsAnn({ tab: 'renews', refusals: 1 })
    await wake()
    await expect.poll(() => countNotes(relay.url, token)).toBe(1)
    expect(await page.evaluate(() => window.renewals)).toBe(1)
  })

  test('is sent with the token of one page even if a page without a token responds first', async () => {
    const { relay, wake, token } = await writeAsAnn({ tab: 'renews', refusals: 1, others: 1 })
    await wake()
    await expect.poll(() => countNotes(relay.url, token)).toBe(1)
  })

  test.each([
    ['fails to renew it', { tab: 'fails' }],
    ['has closed', { tab: 'stays open', others: 1 }],
  ] as const)('does not wait for a token from a page that %s', async (_, tabs) => {
    const { context, page, relay, wake } = await writeAsAnn({ ...tabs, refusals: 100 })
    const errors: Error[] = []
    page.on('pageerror', (error) => errors.push(error))
    for (const other of context.pages())
      if (other !== page && other.url() !== 'about:blank') await other.close()
    const before = relay.posts.length
    const sent = () => relay.posts.slice(before).filter((path) => path === sync).length
    for (const time of [1, 2, 3]) {
      await wake()
      await expect.poll(sent).toBe(time)
    }
    expect(errors).toEqual([])
  })

  test('stays in the outbox when no page renews the token', async () => {
    const { page, relay, wake, context, address, token } = await writeAsAnn({
      tab: 'stays open',
      refusals: 100,
    })
    await wake()
    await expect.poll(() => page.evaluate(() => window.renewals)).toBeGreaterThan(0)
    expect(await countNotes(relay.url, token)).toBe(0)
    relay.refuse(sync, 401, 0)
    await untilIdle(await open(context, address))
    expect(await countNotes(relay.url, token)).toBe(1)
  })
})

/** Opens a page with Ann signed in. */
async function openAsAnn(worker: { keepToken?: boolean }, tab: Tab = 'closes') {
  const setup = await openServedPage({
    worker: await workerScript(worker),
    flags: ['--anonymous-writes'],
  })
  const token = await tokenOf(setup.relay.url, 'ann')
  const renewed = await tokenOf(setup.relay.url, 'ann')
  expect(renewed).not.toBe(token)
  const parameters = tab === 'renews' ? `&renewed=${renewed}` : tab === 'fails' ? '&fails' : ''
  const address = `${setup.address}&token=${token}${parameters}`
  await setup.page.goto(address)
  await ready(setup.page)
  return { ...setup, address, token }
}

/**
 * Behaviour of the tab after it made the write. `closes`: the tab is closed. Otherwise only its client is closed, and
 * the page responds to the worker's request for a token with no token (`stays open`), with a new token (`renews`) or
 * with an error (`fails`).
 */
type Tab = 'closes' | 'stays open' | 'renews' | 'fails'

interface AnnOptions {
  readonly tab?: Tab
  readonly keepToken?: boolean
  /** Number of further tabs of the user, which stay open. */
  readonly others?: number
  /** How often the server refuses the token. */
  readonly refusals?: number
  /** Whether the browser ends the worker before it is online again. */
  readonly ended?: boolean
}

/** Creates a note as Ann while the server is unreachable, then reconnects. */
async function writeAsAnn({
  tab = 'closes',
  others = 0,
  refusals = 0,
  ended,
  ...worker
}: AnnOptions = {}) {
  const setup = await openAsAnn(worker, tab)
  const { page, relay, context, address } = setup
  for (let i = 0; i < others; i++) {
    const other = await open(context, address.replace(/&renewed=[^&]*/, ''))
    await ready(other)
    await other.evaluate(() => window.client.close())
  }
  relay.disconnect()
  await writeNote(page, 'of ann')
  const wake = await createWaker(setup)
  relay.refuse(sync, 401, refusals)
  if (tab === 'closes') await page.close()
  else await page.evaluate(() => window.client.close())
  const cdp = await context.newCDPSession(await context.newPage())
  await cdp.send('ServiceWorker.enable')
  if (ended) await cdp.send('ServiceWorker.stopAllWorkers')
  relay.reconnect()
  return { ...setup, wake }
}

/** Returns a function that fires the sync event of the worker, as a browser does when it is online again. */
async function createWaker({ app, context, page }: Served): Promise<() => Promise<void>> {
  const [found] = await page.evaluate(() => indexedDB.databases())
  const tag = found?.name?.replace(/ cache$/, '') ?? ''
  const blank = await context.newPage()
  const cdp = await context.newCDPSession(blank)
  const registrationId = await registration(cdp)
  return async () => {
    const event = { origin: app.url, registrationId, tag, lastChance: false }
    await cdp.send('ServiceWorker.dispatchSyncEvent', event)
  }
}

const registration = (cdp: CDPSession): Promise<string> =>
  new Promise((resolve, reject) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const { registrationId } of registrations) resolve(registrationId)
    })
    cdp.send('ServiceWorker.enable').catch(reject)
  })

/** Returns the identity of the server's store that the outbox database holds. Runs in a page. */
async function readStoreIdentity(): Promise<unknown> {
  const result = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const [found] = await indexedDB.databases()
  const db = await result(indexedDB.open(found?.name?.replace(/ cache$/, '') ?? ''))
  const identity = await result(db.transaction('counter').objectStore('counter').get('store'))
  db.close()
  return identity
}

/** Returns the texts of all notes on the server. */
async function texts(url: string): Promise<string[]> {
  const client = createClient({ url, storage: 'memory' })
  onTestFinished(() => client.close())
  const notes = client.query<Note>({ type: 'the_note', selectors: ['self'] })
  await notes.refresh()
  const state = notes.get()
  if (state.status !== 'ready') throw new Error(state.status)
  return state.data.map(({ data }) => data.the_note.text.data.the_text)
}

interface Note {
  readonly data: { readonly the_note: { readonly text: { readonly data: { the_text: string } } } }
}

/** Returns all contents of the disk as JSON. */
const diskContents = (page: Page) =>
  page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve) => {
        request.onsuccess = () => resolve(request.result)
      })
    const all: unknown[] = []
    for (const { name = '' } of await indexedDB.databases()) {
      const db = await settled(indexedDB.open(name))
      for (const store of db.objectStoreNames)
        all.push(await settled(db.transaction(store).objectStore(store).getAll()))
      db.close()
    }
    return JSON.stringify(all)
  })
