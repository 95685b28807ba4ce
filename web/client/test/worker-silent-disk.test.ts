import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { checkForUpdate, openServedPage, ready, workerScript } from './served.ts'

/** A disk that is full, worn out or locked by a frozen page may not respond for minutes. No page may wait for the disk. */
describe('a service worker whose disk does not respond', () => {
  test('does not delay pages while it takes over', async () => {
    const { page, app, context, address } = await openServedPage({ worker: await workerScript() })
    await ready(page)
    await page.evaluate(holdSettings)
    app.files.set('/serviceWorker.bundle.js', await workerScript({ version: '2' }))
    await checkForUpdate(page)
    await expect.poll(() => newestState(page)).toMatch(/^activat/)
    const other = await context.newPage()
    await other.goto(address)
    expect(await newestState(other)).toBe('activated')
  })

  test('serves pages and assets from the network', async () => {
    const worker = await workerScript({ assets: ['/style.js'], networkTimeout: 300 })
    const { page, app } = await openServedPage({ worker: `${silencePrefix}\n${worker}`, files })
    await ready(page)
    await page.evaluate(() => fetch('/silence'))
    app.files.set('/style.js', 'window.style = "new"')
    expect(await page.evaluate(async () => (await fetch('/style.js')).text())).toContain('new')
    await page.goto(`${app.url}/about`)
    expect(await page.locator('h1').textContent()).toBe('About us')
  })
})

const files = { '/style.js': 'window.style = "old"', '/about': '<h1>About us</h1>' }

/** A prefix of a worker script: the caches stop responding after a request for `/silence`. */
const silencePrefix = `
const { open } = caches
let silent = false
caches.open = (name) => (silent ? new Promise(() => {}) : open.call(caches, name))
addEventListener('fetch', ({ request }) => { silent ||= request.url.endsWith('/silence') })`

/** Returns the state of the installing, waiting or active worker. */
const newestState = (page: Page) =>
  page.evaluate(async () => {
    const { installing, waiting, active } = await navigator.serviceWorker.ready
    return (installing ?? waiting ?? active)?.state
  })

/**
 * Runs in a page: keeps the client's settings locked for as long as the page lives. A transaction stays open only while
 * requests follow each other without a pause. A dedicated worker makes these requests, because on the thread of the
 * page they would block everything else.
 */
async function holdSettings(): Promise<void> {
  const [{ name = '' } = {}] = (await indexedDB.databases()).filter(
    (d) => !/ cache$/.test(d.name ?? ''),
  )
  const script = `
    const opening = indexedDB.open(${JSON.stringify(name)})
    opening.onsuccess = () => {
      const counter = opening.result.transaction('counter', 'readwrite').objectStore('counter')
      const hold = () => { counter.get(0).onsuccess = hold }
      counter.get(0).onsuccess = () => { postMessage('held'); hold() }
    }`
  const worker = new Worker(URL.createObjectURL(new Blob([script])))
  await new Promise((resolve) => {
    worker.onmessage = resolve
  })
}
