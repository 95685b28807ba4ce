import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import {
  ask,
  bulk,
  count,
  idle,
  look,
  open,
  quick,
  ready,
  reason,
  script,
  served,
  state,
  sync,
  updated,
  write,
} from './served.ts'

describe('a service worker', { timeout: 60_000 }, () => {
  test('is registered by the first visit, found by the second, and makes the requests of both', async () => {
    const { page, relay, made } = await served()
    expect(await ready(page)).toBe('worker')
    await ask(page, 1)
    expect(relay.posts).toContain(bulk)
    expect(made).not.toContain(bulk)

    await page.reload()
    expect(await ready(page)).toBe('worker')
    await ask(page, 1)
    expect(made).not.toContain(bulk)
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
  })

  test('knows who the page is, and what the application tells it', async () => {
    const { page, context, relay } = await served({ options: { flags: { isTest: true } } })
    await ready(page)
    const [worker] = context.serviceWorkers()
    const said = () => worker?.evaluate('served.said') as Promise<unknown>
    const base = relay.url
    const application = 'served'
    await expect
      .poll(said)
      .toMatchObject({ application, base, flags: { isTest: true }, token: undefined })
    await page.evaluate(() => window.client.setToken('another'))
    await expect.poll(said).toMatchObject({ token: 'another' })
  })

  test('carries the writes of the outbox, each once', async () => {
    const { page, relay, made } = await served()
    await ready(page)
    await write(page, 'through the worker')
    await idle(page)
    expect(made).not.toContain(sync)
    expect(relay.posts).toContain(sync)
    expect(await count(relay.url)).toBe(1)
  })

  test('that the application registers itself is waited for in manual mode', async () => {
    const { page, relay, made } = await served({ options: { mode: 'manual', times: quick } })
    expect(await state(page)).toBe('starting')
    await page.evaluate(() => navigator.serviceWorker.register('./serviceWorker.bundle.js'))
    expect(await ready(page)).toBe('worker')
    await ask(page, 1)
    expect(relay.posts).toContain(bulk)
    expect(made).not.toContain(bulk)
  })

  test('that nobody registers leaves everything to the page, which says why', async () => {
    const { page, made } = await served({ options: { mode: 'manual', times: { ready: 300 } } })
    expect(await ready(page)).toBe('local')
    expect(await reason(page)).toBe('Service worker not ready')
    await ask(page, 1)
    expect(made).toContain(bulk)
  })

  test('whose script is not there leaves everything to the page, which says why', async () => {
    const { page, made } = await served({ options: { script: './none.js' } })
    expect(await ready(page)).toBe('local')
    expect(await reason(page)).toBe('Not Completed Initialization')
    await ask(page, 1)
    expect(made).toContain(bulk)
  })

  test('that never answers leaves everything to the page', async () => {
    const { page, app, relay } = await served({
      options: { times: { ...quick, activation: 2_000 } },
      worker: silent,
    })
    expect(await ready(page)).toBe('local')
    expect(await reason(page)).toBe('Not Completed Initialization')
    await write(page, 'without it')
    await idle(page)
    expect(await count(relay.url)).toBe(1)
    // The next version speaks, and is listened to at once.
    app.files.set('/serviceWorker.bundle.js', await script({ version: '2' }))
    await updated(page, '2')
    await expect.poll(() => state(page)).toBe('worker')
  })

  test('where browsers have none is not missed', async () => {
    const { page, made } = await served({
      before: () => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'),
    })
    expect(await ready(page)).toBe('local')
    await ask(page, 1)
    expect(made).toContain(bulk)
  })

  test('that is killed while it asks is woken, and the answer comes to who asked first', async () => {
    const { page, relay, cdp, made } = await served({ options: { times: quick } })
    await ready(page)
    const release = relay.hold()
    const answer = ask(page, 1)
    await expect.poll(() => relay.posts.filter((path) => path === bulk).length).toBe(1)
    await cdp.send('ServiceWorker.stopAllWorkers')
    await expect.poll(() => relay.posts.filter((path) => path === bulk).length).toBe(2)
    release()
    expect(await answer).toMatchObject([{ id: 1 }])
    expect(made).not.toContain(bulk)
  })

  test('that is killed while it writes makes nothing twice', async () => {
    const { page, relay, cdp } = await served({ options: { times: quick } })
    await ready(page)
    const release = relay.hold()
    await write(page, 'once')
    await expect.poll(() => relay.posts.filter((path) => path === sync).length).toBe(1)
    await cdp.send('ServiceWorker.stopAllWorkers')
    await expect.poll(() => relay.posts.filter((path) => path === sync).length).toBe(2)
    release()
    await idle(page)
    expect(await count(relay.url)).toBe(1)
  })

  test('that is killed between two requests is woken for the second', async () => {
    const { page, cdp, made } = await served({ options: { times: { ...quick, awake: 0 } } })
    await ready(page)
    await ask(page, 1)
    await cdp.send('ServiceWorker.stopAllWorkers')
    await ask(page, 2)
    expect(made).not.toContain(bulk)
  })

  test('that is killed again and again leaves the request to the page', async () => {
    const { page, relay, cdp, made } = await served({ options: { times: quick } })
    await ready(page)
    const release = relay.hold()
    const answer = ask(page, 1)
    for (const times of [1, 2]) {
      await expect.poll(() => relay.posts.filter((path) => path === bulk).length).toBe(times)
      await cdp.send('ServiceWorker.stopAllWorkers')
    }
    await expect.poll(() => made).toContain(bulk)
    release()
    expect(await answer).toMatchObject([{ id: 1 }])
  })

  test('that works for long on a request is left to it', async () => {
    const { page, relay } = await served({ options: { times: quick } })
    await ready(page)
    const release = relay.hold()
    const answer = ask(page, 1)
    await expect.poll(() => relay.posts).toContain(bulk)
    await new Promise((later) => setTimeout(later, 5 * quick.check))
    release()
    expect(await answer).toMatchObject([{ id: 1 }])
    expect(relay.posts.filter((path) => path === bulk)).toHaveLength(1)
  })

  test('that is too late is not waited for, and the page says so', async () => {
    const { page, relay, made } = await served({ options: { times: { answer: 500 } } })
    await ready(page)
    const release = relay.hold()
    const answer = ask(page, 1)
    await expect.poll(() => made).toContain(bulk)
    release()
    expect(await answer).toMatchObject([{ id: 1 }])
    expect(await reason(page)).toBe('No response from service worker after timeout')
  })

  test('of a new version takes over while requests are open, and they are answered', async () => {
    const { page, app, relay, made } = await served({ options: { times: quick } })
    await ready(page)
    const release = relay.hold()
    const answer = ask(page, 1)
    await expect.poll(() => relay.posts).toContain(bulk)
    app.files.set('/serviceWorker.bundle.js', await script({ version: '2' }))
    await look(page)
    release()
    expect(await answer).toMatchObject([{ id: 1 }])
    await updated(page, '2')
    await ask(page, 2)
    expect(made).not.toContain(bulk)
  })

  test('of another protocol is not talked to, and the next one is', async () => {
    const current = await script()
    const other = current.replaceAll('welcome: 1', 'welcome: 2')
    expect(other).not.toBe(current)
    const { page, app, made } = await served({ options: { times: quick }, worker: other })
    expect(await ready(page)).toBe('local')
    expect(await reason(page)).toContain('another version')
    await ask(page, 1)
    expect(made).toContain(bulk)
    app.files.set('/serviceWorker.bundle.js', current)
    await page.reload()
    await expect.poll(() => state(page)).toBe('worker')
  })

  test('answers two tabs, each what it asked', async () => {
    const { page, context, relay, address } = await served({ options: { times: quick } })
    await ready(page)
    const other = await open(context, address)
    expect(await ready(other)).toBe('worker')
    const id = await page.evaluate(() => window.client.create('the_note', { text: 'one' }).synced)
    const found = await Promise.all([ask(page, id), ask(other, 1), ask(other, id)])
    expect(found).toMatchObject([[{ id }], [{ id: 1 }], [{ id }]])
    expect(await count(relay.url)).toBe(1)
  })

  test('answers as the server does, with what it asks to wait', async () => {
    const { page, relay, made } = await served()
    await ready(page)
    relay.refuse(bulk, 429, 1)
    const answer = await page.evaluate(async (url) => {
      const { status, headers } = await window.request(url, { method: 'POST', body: '[]' })
      return [status, headers.get('Retry-After')]
    }, relay.url + bulk)
    expect(answer).toEqual([429, '7'])
    expect(made).not.toContain(bulk)
  })

  test('is not asked to do what may not be done twice', async () => {
    const { page, relay, made } = await served()
    await ready(page)
    const path = '/api/auth/login'
    await page.evaluate(
      (path) => window.handle.post(path, { email: 'a', password: 'b' }).catch(() => {}),
      path,
    )
    expect(made).toContain(path)
    expect(relay.posts.filter((post) => post === path)).toHaveLength(1)
  })

  test('tells a refusal in words that say nothing of what was sent', async () => {
    const { page, relay } = await served()
    await ready(page)
    relay.refuse(bulk, 401, 1)
    expect(await refused(page)).toBe('unauthorized: Unauthorized')
    relay.refuse(bulk, 500, 1)
    expect(await refused(page)).toContain('Internal Server Error')
  })
})

/** A worker that is there and says nothing. */
const silent = 'self.addEventListener("message", () => {})'

const refused = (page: Page) =>
  page.evaluate(() =>
    window.handle.post('/api/get_concept_bulk', ['secret']).then(
      () => 'not refused',
      (e) => `${e.kind}: ${e.message}`,
    ),
  )
