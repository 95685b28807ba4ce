import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { countNotes } from './count-notes.ts'
import {
  bulk,
  checkForUpdate,
  open,
  openServedPage,
  ready,
  reason,
  requestConcepts,
  shortTimeouts,
  state,
  sync,
  untilIdle,
  untilUpdated,
  workerScript,
  writeNote,
} from './served.ts'

describe('a service worker', () => {
  test('is registered by the first visit, found by the second, and sends the requests of both', async () => {
    const { page, relay, pagePosts } = await openServedPage()
    expect(await ready(page)).toBe('worker')
    await requestConcepts(page, 1)
    expect(relay.posts).toContain(bulk)
    expect(pagePosts).not.toContain(bulk)

    await page.reload()
    expect(await ready(page)).toBe('worker')
    await requestConcepts(page, 1)
    expect(pagePosts).not.toContain(bulk)
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
  })

  test('receives the identity of the page and the flags of the application', async () => {
    const { page, context, relay } = await openServedPage({ options: { flags: { isTest: true } } })
    await ready(page)
    const [worker] = context.serviceWorkers()
    const greeting = () => worker?.evaluate('served.greeting') as Promise<unknown>
    const base = relay.url
    const application = 'served'
    await expect
      .poll(greeting)
      .toMatchObject({ application, base, flags: { isTest: true }, token: undefined })
    await page.evaluate(() => window.client.setToken('another'))
    await expect.poll(greeting).toMatchObject({ token: 'another' })
  })

  test('sends each write of the outbox once', async () => {
    const { page, relay, pagePosts } = await openServedPage()
    await ready(page)
    await writeNote(page, 'through the worker')
    await untilIdle(page)
    expect(pagePosts).not.toContain(sync)
    expect(relay.posts).toContain(sync)
    expect(await countNotes(relay.url)).toBe(1)
  })

  test('in manual mode, is awaited until the application registers it', async () => {
    const { page, relay, pagePosts } = await openServedPage({
      options: { mode: 'manual', timeouts: shortTimeouts },
    })
    expect(await state(page)).toBe('starting')
    await page.evaluate(() => navigator.serviceWorker.register('./serviceWorker.bundle.js'))
    expect(await ready(page)).toBe('worker')
    await requestConcepts(page, 1)
    expect(relay.posts).toContain(bulk)
    expect(pagePosts).not.toContain(bulk)
  })

  test('in manual mode without a registration, leaves all requests to the page, with a reason', async () => {
    const { page, pagePosts } = await openServedPage({
      options: { mode: 'manual', timeouts: { readyTimeout: 300 } },
    })
    expect(await ready(page)).toBe('local')
    expect(await reason(page)).toBe('Service worker not ready')
    await requestConcepts(page, 1)
    expect(pagePosts).toContain(bulk)
  })

  test('with a missing script, leaves all requests to the page, with a reason', async () => {
    const { page, pagePosts } = await openServedPage({ options: { script: './none.js' } })
    expect(await ready(page)).toBe('local')
    expect(await reason(page)).toBe('Not Completed Initialization')
    await requestConcepts(page, 1)
    expect(pagePosts).toContain(bulk)
  })

  test('that never responds leaves all requests to the page', async () => {
    const { page, app, relay } = await openServedPage({
      options: { timeouts: { ...shortTimeouts, activationTimeout: 2_000 } },
      worker: silent,
    })
    expect(await ready(page)).toBe('local')
    expect(await reason(page)).toBe('Not Completed Initialization')
    await writeNote(page, 'without it')
    await untilIdle(page)
    expect(await countNotes(relay.url)).toBe(1)
    // The next version responds and is used immediately.
    app.files.set('/serviceWorker.bundle.js', await workerScript({ version: '2' }))
    await untilUpdated(page, '2')
    await expect.poll(() => state(page)).toBe('worker')
  })

  test('is optional in browsers without service workers', async () => {
    const { page, pagePosts } = await openServedPage({
      before: () => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'),
    })
    expect(await ready(page)).toBe('local')
    await requestConcepts(page, 1)
    expect(pagePosts).toContain(bulk)
  })

  test('that is killed during a read is restarted, and the first caller gets the response', async () => {
    const { page, relay, cdp, pagePosts } = await openServedPage({
      options: { timeouts: shortTimeouts },
    })
    await ready(page)
    const release = relay.hold()
    const response = requestConcepts(page, 1)
    await expect.poll(() => relay.posts.filter((path) => path === bulk).length).toBe(1)
    await cdp.send('ServiceWorker.stopAllWorkers')
    await expect.poll(() => relay.posts.filter((path) => path === bulk).length).toBe(2)
    release()
    expect(await response).toMatchObject([{ id: 1 }])
    expect(pagePosts).not.toContain(bulk)
  })

  test('that is killed during a write does not repeat the effect of the write', async () => {
    const { page, relay, cdp } = await openServedPage({ options: { timeouts: shortTimeouts } })
    await ready(page)
    const release = relay.hold()
    await writeNote(page, 'once')
    await expect.poll(() => relay.posts.filter((path) => path === sync).length).toBe(1)
    await cdp.send('ServiceWorker.stopAllWorkers')
    await expect.poll(() => relay.posts.filter((path) => path === sync).length).toBe(2)
    release()
    await untilIdle(page)
    expect(await countNotes(relay.url)).toBe(1)
  })

  test('that is killed between two requests is restarted for the second', async () => {
    const { page, cdp, pagePosts } = await openServedPage({
      options: { timeouts: { ...shortTimeouts, sleepAfter: 0 } },
    })
    await ready(page)
    await requestConcepts(page, 1)
    await cdp.send('ServiceWorker.stopAllWorkers')
    await requestConcepts(page, 2)
    expect(pagePosts).not.toContain(bulk)
  })

  test('that is killed repeatedly leaves the request to the page', async () => {
    const { page, relay, cdp, pagePosts } = await openServedPage({
      options: { timeouts: shortTimeouts },
    })
    await ready(page)
    const release = relay.hold()
    const response = requestConcepts(page, 1)
    for (const times of [1, 2]) {
      await expect.poll(() => relay.posts.filter((path) => path === bulk).length).toBe(times)
      await cdp.send('ServiceWorker.stopAllWorkers')
    }
    await expect.poll(() => pagePosts).toContain(bulk)
    release()
    expect(await response).toMatchObject([{ id: 1 }])
  })

  test('that responds slowly keeps the request', async () => {
    const { page, relay } = await openServedPage({ options: { timeouts: shortTimeouts } })
    await ready(page)
    const release = relay.hold()
    const response = requestConcepts(page, 1)
    await expect.poll(() => relay.posts).toContain(bulk)
    await new Promise((resolve) => setTimeout(resolve, 5 * shortTimeouts.checkInterval))
    release()
    expect(await response).toMatchObject([{ id: 1 }])
    expect(relay.posts.filter((path) => path === bulk)).toHaveLength(1)
  })

  test('that exceeds the response timeout leaves the request to the page, with a reason', async () => {
    const { page, relay, pagePosts } = await openServedPage({
      options: { timeouts: { responseTimeout: 500 } },
    })
    await ready(page)
    const release = relay.hold()
    const response = requestConcepts(page, 1)
    await expect.poll(() => pagePosts).toContain(bulk)
    release()
    expect(await response).toMatchObject([{ id: 1 }])
    expect(await reason(page)).toBe('No response from service worker after timeout')
  })

  test('of a new version takes over open requests and responds to them', async () => {
    const { page, app, relay, pagePosts } = await openServedPage({
      options: { timeouts: shortTimeouts },
    })
    await ready(page)
    const release = relay.hold()
    const response = requestConcepts(page, 1)
    await expect.poll(() => relay.posts).toContain(bulk)
    app.files.set('/serviceWorker.bundle.js', await workerScript({ version: '2' }))
    await checkForUpdate(page)
    release()
    expect(await response).toMatchObject([{ id: 1 }])
    await untilUpdated(page, '2')
    await requestConcepts(page, 2)
    expect(pagePosts).not.toContain(bulk)
  })

  test('of another protocol version is not used, but a later worker is', async () => {
    const current = await workerScript()
    const other = current.replaceAll('welcome: 1', 'welcome: 2')
    expect(other).not.toBe(current)
    const { page, app, pagePosts } = await openServedPage({
      options: { timeouts: shortTimeouts },
      worker: other,
    })
    expect(await ready(page)).toBe('local')
    expect(await reason(page)).toContain('another version')
    await requestConcepts(page, 1)
    expect(pagePosts).toContain(bulk)
    app.files.set('/serviceWorker.bundle.js', current)
    await page.reload()
    await expect.poll(() => state(page)).toBe('worker')
  })

  test('of another protocol version is replaced by a worker that waits when the page opens', async () => {
    const current = await workerScript({ takeOver: false })
    const other = current.replaceAll('welcome: 1', 'welcome: 2')
    const { page, app, context, address } = await openServedPage({
      options: { timeouts: shortTimeouts },
      worker: other,
    })
    expect(await ready(page)).toBe('local')
    app.files.set('/serviceWorker.bundle.js', current)
    await checkForUpdate(page)
    const waiting = () =>
      page.evaluate(async () => (await navigator.serviceWorker.ready).waiting?.state)
    await expect.poll(waiting).toBe('installed')
    const later = await open(context, address)
    expect(await ready(later)).toBe('local')
    await context.serviceWorkers().at(-1)?.evaluate('skipWaiting()')
    await expect.poll(() => state(later)).toBe('worker')
  })

  test('responds to two tabs separately', async () => {
    const { page, context, relay, address } = await openServedPage({
      options: { timeouts: shortTimeouts },
    })
    await ready(page)
    const other = await open(context, address)
    expect(await ready(other)).toBe('worker')
    const id = await page.evaluate(() => window.client.create('the_note', { text: 'one' }).synced)
    const found = await Promise.all([
      requestConcepts(page, id),
      requestConcepts(other, 1),
      requestConcepts(other, id),
    ])
    expect(found).toMatchObject([[{ id }], [{ id: 1 }], [{ id }]])
    expect(await countNotes(relay.url)).toBe(1)
  })

  test('passes on the status and the Retry-After header of the server', async () => {
    const { page, relay, pagePosts } = await openServedPage()
    await ready(page)
    relay.refuse(bulk, 429, 1)
    const response = await page.evaluate(async (url) => {
      const { status, headers } = await window.request(url, { method: 'POST', body: '[]' })
      return [status, headers.get('Retry-After')]
    }, relay.url + bulk)
    expect(response).toEqual([429, '7'])
    expect(pagePosts).not.toContain(bulk)
  })

  test('receives no requests that are not idempotent', async () => {
    const { page, relay, pagePosts } = await openServedPage()
    await ready(page)
    const path = '/api/auth/login'
    await page.evaluate(
      (path) => window.handle.post(path, { email: 'a', password: 'b' }).catch(() => {}),
      path,
    )
    expect(pagePosts).toContain(path)
    expect(relay.posts.filter((post) => post === path)).toHaveLength(1)
  })

  test('reports errors that do not contain data of the request', async () => {
    const { page, relay } = await openServedPage()
    await ready(page)
    relay.refuse(bulk, 401, 1)
    expect(await postError(page)).toBe('unauthorized: Unauthorized')
    relay.refuse(bulk, 500, 1)
    expect(await postError(page)).toContain('Internal Server Error')
  })
})

/** A worker that never responds. */
const silent = 'self.addEventListener("message", () => {})'

/** Posts an invalid request and returns its error. */
const postError = (page: Page) =>
  page.evaluate(() =>
    window.handle.post('/api/get_concept_bulk', ['secret']).then(
      () => 'not refused',
      (e) => `${e.kind}: ${e.message}`,
    ),
  )
