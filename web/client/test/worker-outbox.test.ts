import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { count, idle, open, ready, type Served, script, served, sync, write } from './served.ts'
import { tokenOf } from './server.ts'

describe('what was written in a tab that is gone', { timeout: 60_000 }, () => {
  test('is sent by the worker when the browser says that there is a network, once', async () => {
    const world = await served()
    const { page, relay, address, context } = world
    await ready(page)
    relay.cut()
    await write(page, 'last words')
    const wake = await waker(world)
    await page.close()
    relay.mend()
    await wake()
    await expect.poll(() => count(relay.url)).toBe(1)
    await wake()

    const later = await open(context, address)
    await idle(later)
    expect(await texts(relay.url)).toEqual(['last words'])
    expect(await count(relay.url)).toBe(1)
  })

  test('is shown, once sent, at the next visit, also without a server', async () => {
    const world = await served()
    const { page, relay, address, context } = world
    await ready(page)
    await write(page, 'before')
    await idle(page)
    relay.cut()
    await write(page, 'last words')
    const wake = await waker(world)
    await page.close()
    relay.mend()
    await wake()
    await expect.poll(() => count(relay.url)).toBe(2)
    relay.cut()
    const later = await open(context, address)
    expect(await later.evaluate(() => window.client.sync.get().pending)).toBe(0)
    const found = () => later.evaluate(() => window.client.find('the_text', 'last words')?.value)
    await expect.poll(found).toBe('last words')
  })

  test('is sent in order, and what builds on it knows it by its real id', async () => {
    const world = await served()
    const { page, relay, context, address } = world
    await ready(page)
    const note = await page.evaluate(() => {
      const { id, synced } = window.client.create('the_note', { text: 'first' })
      return synced.then(() => id)
    })
    relay.cut()
    await page.evaluate(async (note) => {
      const { saved, id } = window.client.create('the_note', { text: 'second' })
      await saved
      await window.client.update(note, { text: 'first, changed' }).saved
      await window.client.update(id, { text: 'second, changed' }).saved
    }, note)
    const wake = await waker(world)
    await page.close()
    relay.mend()
    await wake()
    await expect.poll(() => texts(relay.url)).toEqual(['second, changed', 'first, changed'])
    await idle(await open(context, address))
    expect(await texts(relay.url)).toEqual(['second, changed', 'first, changed'])
  })

  test('is sent as the tab goes, where browsers tell nothing of networks', async () => {
    const without = 'delete ServiceWorkerRegistration.prototype.sync;\n'
    const { page, relay, context } = await served({
      worker: without + (await script()),
      before: () => Reflect.deleteProperty(ServiceWorkerRegistration.prototype, 'sync'),
    })
    await ready(page)
    relay.cut()
    await write(page, 'in passing')
    const blank = await context.newPage()
    relay.mend()
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => count(relay.url)).toBe(1)
    expect(context.pages()).toEqual([blank])
  })

  test('is sent once when its answer gets lost, and the next visit sends it again', async () => {
    const world = await served()
    const { page, relay, address, context } = world
    await ready(page)
    relay.cut()
    await write(page, 'twice sent')
    const wake = await waker(world)
    await page.close()
    relay.mend()
    const release = relay.hold()
    const before = relay.posts.length
    await wake()
    await expect.poll(() => relay.posts.slice(before)).toContain(sync)
    relay.cut()
    release()
    relay.mend()
    const later = await open(context, address)
    await idle(later)
    expect(await count(relay.url)).toBe(1)
  })

  test('is left to a tab that is open, and shown as sent in it', async () => {
    const world = await served()
    const { page, relay, address, context } = world
    await ready(page)
    const other = await open(context, address)
    relay.cut()
    await write(page, 'one')
    await write(other, 'two')
    const wake = await waker(world)
    await page.close()
    relay.mend()
    await wake()
    await idle(other)
    expect(await count(relay.url)).toBe(2)
  })

  test('and refused is shown refused at the next visit', async () => {
    const world = await served({ flags: ['--anonymous-writes', '--max-body', '4000'] })
    const { page, relay, address, context } = world
    await ready(page)
    relay.cut()
    await write(page, 'x'.repeat(5_000))
    await write(page, 'short')
    const wake = await waker(world)
    await page.close()
    relay.mend()
    await wake()
    await expect.poll(() => count(relay.url)).toBe(1)
    const later = await open(context, address)
    const failed = () => later.evaluate(() => window.client.sync.get().failed)
    expect(await failed()).toMatchObject([{ state: 'failed' }])
  })

  test('and refused because a record is gone says so in words for people', async () => {
    const world = await served()
    const { page, relay, address, context } = world
    await ready(page)
    const note = await page.evaluate(
      () => window.client.create('the_note', { text: 'goes' }).synced,
    )
    const elsewhere = createClient({ url: relay.url, storage: 'memory' })
    onTestFinished(() => elsewhere.close())
    await elsewhere.remove(note).synced
    relay.cut()
    await page.evaluate((note) => window.client.update(note, { text: 'changed' }).saved, note)
    const wake = await waker(world)
    await page.close()
    const sent = () => relay.posts.filter((path) => path === sync).length
    const before = sent()
    relay.mend()
    await wake()
    await expect.poll(sent).toBe(before + 1)
    const later = await open(context, address)
    const errors = () =>
      later.evaluate(() => window.client.sync.get().failed.map(({ error }) => error?.message))
    const gone = 'the record is not there any more: it was removed elsewhere'
    await expect.poll(errors).toEqual([gone])
    expect(sent()).toBe(before + 1)
  })
})

describe('what somebody wrote who is signed in', { timeout: 60_000 }, () => {
  test('is sent as theirs while the worker lives', async () => {
    const { relay, wake, token } = await annWrites()
    await wake()
    await expect.poll(() => count(relay.url, token)).toBe(1)
  })

  test('waits for the next visit when the browser has ended the worker since', async () => {
    const { relay, wake, token, context, address } = await annWrites({ ended: true })
    await wake()
    await new Promise((later) => setTimeout(later, 2_000))
    expect(await count(relay.url, token)).toBe(0)
    await idle(await open(context, address))
    expect(await count(relay.url, token)).toBe(1)
  })

  test('is sent all the same where the application has the token kept', async () => {
    const { relay, wake, token } = await annWrites({ ended: true, keepToken: true })
    await wake()
    await expect.poll(() => count(relay.url, token)).toBe(1)
  })

  test('and kept tokens are forgotten with who signs out', async () => {
    const { page, token } = await ann({ keepToken: true })
    await expect.poll(() => onDisk(page)).toContain(token)
    await page.evaluate(() => window.client.setToken(undefined))
    await expect.poll(() => onDisk(page)).not.toContain(token)
  })

  test('is not written down where the application did not ask for that', async () => {
    const { page, token } = await ann({})
    await page.evaluate(() => window.client.ready)
    expect(await onDisk(page)).not.toContain(token)
  })

  test('is sent with a new token that a page gets when the server does not know the old one', async () => {
    const { page, relay, wake, token } = await annWrites({ tab: 'renews', refusals: 1 })
    await wake()
    await expect.poll(() => count(relay.url, token)).toBe(1)
    expect(await page.evaluate(() => window.renewals)).toBe(1)
  })

  test('is sent with the new token of a page although another has none, sooner', async () => {
    const { relay, wake, token } = await annWrites({ tab: 'renews', refusals: 1, others: 1 })
    await wake()
    await expect.poll(() => count(relay.url, token)).toBe(1)
  })

  test.each([
    ['fails to get one', { tab: 'fails' }],
    ['is gone', { tab: 'stays', others: 1 }],
  ] as const)('does not wait for the token of a page that %s', async (_, tabs) => {
    const { context, page, relay, wake } = await annWrites({ ...tabs, refusals: 100 })
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

  test('stays where it is when no page gets one', async () => {
    const { page, relay, wake, context, address, token } = await annWrites({
      tab: 'stays',
      refusals: 100,
    })
    await wake()
    await expect.poll(() => page.evaluate(() => window.renewals)).toBeGreaterThan(0)
    expect(await count(relay.url, token)).toBe(0)
    relay.refuse(sync, 401, 0)
    await idle(await open(context, address))
    expect(await count(relay.url, token)).toBe(1)
  })
})

/** Ann, signed in. */
async function ann(worker: { keepToken?: boolean }, tab: Tab = 'goes') {
  const world = await served({ worker: await script(worker), flags: ['--anonymous-writes'] })
  const token = await tokenOf(world.relay.url, 'ann')
  const renewed = await tokenOf(world.relay.url, 'ann')
  expect(renewed).not.toBe(token)
  const more = tab === 'renews' ? `&renewed=${renewed}` : tab === 'fails' ? '&fails' : ''
  const address = `${world.address}&token=${token}${more}`
  await world.page.goto(address)
  await ready(world.page)
  return { ...world, address, token }
}

/** What becomes of a tab: where it stays its client is gone, and it gets a new token when asked, none, or an error. */
type Tab = 'goes' | 'stays' | 'renews' | 'fails'

interface Writing {
  readonly tab?: Tab
  readonly keepToken?: boolean
  /** More tabs of hers that stay. */
  readonly others?: number
  /** How often her token is refused. */
  readonly refusals?: number
  /** The browser ends the worker before there is a network again. */
  readonly ended?: boolean
}

/** Ann has written something in a tunnel, and is out of it. */
async function annWrites({
  tab = 'goes',
  others = 0,
  refusals = 0,
  ended,
  ...worker
}: Writing = {}) {
  const world = await ann(worker, tab)
  const { page, relay, context, address } = world
  for (let i = 0; i < others; i++) {
    const other = await open(context, address.replace(/&renewed=[^&]*/, ''))
    await ready(other)
    await other.evaluate(() => window.client.close())
  }
  relay.cut()
  await write(page, 'of ann')
  const wake = await waker(world)
  relay.refuse(sync, 401, refusals)
  if (tab === 'goes') await page.close()
  else await page.evaluate(() => window.client.close())
  const cdp = await context.newCDPSession(await context.newPage())
  await cdp.send('ServiceWorker.enable')
  if (ended) await cdp.send('ServiceWorker.stopAllWorkers')
  relay.mend()
  return { ...world, wake }
}

/** Tells the worker, as a browser would, that there is a network: from a page that has nothing to do with it. */
async function waker({ app, context, page }: Served): Promise<() => Promise<void>> {
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
  new Promise((found, failed) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const { registrationId } of registrations) found(registrationId)
    })
    cdp.send('ServiceWorker.enable').catch(failed)
  })

/** The texts of all notes, as the server has them. */
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

/** All that is on disk, as JSON. */
const onDisk = (page: Page) =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((end) => {
        request.onsuccess = () => end(request.result)
      })
    const all: unknown[] = []
    for (const { name = '' } of await indexedDB.databases()) {
      const db = await done(indexedDB.open(name))
      for (const store of db.objectStoreNames)
        all.push(await done(db.transaction(store).objectStore(store).getAll()))
      db.close()
    }
    return JSON.stringify(all)
  })
