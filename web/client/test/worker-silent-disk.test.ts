import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { look, ready, script, served } from './served.ts'

/** Browsers have disks that say nothing for minutes: full, worn, or used by a page that sleeps. No page waits for one. */
describe('when the disk does not answer', { timeout: 60_000 }, () => {
  test('pages open while a worker takes over', async () => {
    const { page, app, context, address } = await served({ worker: await script() })
    await ready(page)
    await page.evaluate(holdSettings)
    app.files.set('/serviceWorker.bundle.js', await script({ version: '2' }))
    await look(page)
    await expect.poll(() => newest(page)).toMatch(/^activat/)
    const other = await context.newPage()
    await other.goto(address, { timeout: 8_000 })
    expect(await newest(other)).toBe('activated')
  })

  test('pages and their files come from the network', async () => {
    const worker = await script({ assets: ['/style.js'], patience: 300 })
    const { page, app } = await served({ worker: `${silenced}\n${worker}`, files })
    await ready(page)
    await page.evaluate(() => fetch('/silence'))
    app.files.set('/style.js', 'window.style = "new"')
    expect(await page.evaluate(async () => (await fetch('/style.js')).text())).toContain('new')
    await page.goto(`${app.url}/about`, { timeout: 8_000 })
    expect(await page.locator('h1').textContent()).toBe('About us')
  })
})

const files = { '/style.js': 'window.style = "old"', '/about': '<h1>About us</h1>' }

/** A worker whose caches answer nothing any more as soon as somebody asks for that. */
const silenced = `
const { open } = caches
let silent = false
caches.open = (name) => (silent ? new Promise(() => {}) : open.call(caches, name))
addEventListener('fetch', ({ request }) => { silent ||= request.url.endsWith('/silence') })`

/** The state of the worker that is to be, or is. */
const newest = (page: Page) =>
  page.evaluate(async () => {
    const { installing, waiting, active } = await navigator.serviceWorker.ready
    return (installing ?? waiting ?? active)?.state
  })

/** Runs in a page, which never lets go of the client's settings as long as it lives. */
async function holdSettings(): Promise<void> {
  const [{ name = '' } = {}] = (await indexedDB.databases()).filter(
    (d) => !/ cache$/.test(d.name ?? ''),
  )
  const opening = indexedDB.open(name)
  await new Promise((done) => {
    opening.onsuccess = done
  })
  const counter = opening.result.transaction('counter', 'readwrite').objectStore('counter')
  const hold = () => {
    counter.get(0).onsuccess = hold
  }
  hold()
}
