import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { open, openServedPage, ready, untilUpdated, versions, workerScript } from './served.ts'

const page = (heading: string) =>
  `<!doctype html><title>Served</title><h1>${heading}</h1><script src="/page.js"></script>`

const files = {
  '/about': page('About us'),
  '/away': page('No network'),
  '/private/letters': page('Letters'),
  '/mine/letters': page('Letters'),
  '/style.js': 'window.style = "old"',
}
const cacheOptions = { assets: ['/page.js', '/style.js'], pages: ['/about'], fallback: '/away' }

describe('a service worker without a network', () => {
  test('opens the page of the first visit, with its script and its writes', async () => {
    const { page, app, relay } = await openServedPage({
      files,
      worker: await workerScript(cacheOptions),
    })
    await ready(page)
    await expect.poll(() => cachedAddresses(page)).toContain(page.url())
    app.stop()
    relay.disconnect()
    await page.evaluate(() => window.client.create('the_note', { text: 'kept' }).saved)
    await page.reload()
    expect(await heading(page)).toBe('At home')
    await page.evaluate(() => window.client.ready)
    expect(await page.evaluate(() => window.client.find('the_text', 'kept')?.value)).toBe('kept')
  })

  test('opens a listed page that was never visited, and the fallback for a page that is not cached', async () => {
    const { page, app } = await openServedPage({ files, worker: await workerScript(cacheOptions) })
    await ready(page)
    await page.goto(`${app.url}/private/letters`)
    expect(await heading(page)).toBe('Letters')
    app.stop()
    await page.goto(`${app.url}/about?from=a-link`)
    expect(await heading(page)).toBe('About us')
    await page.goto(`${app.url}/private/letters`)
    expect(await heading(page)).toBe('No network')
    expect(await cachedAddresses(page)).not.toContain(`${app.url}/private/letters`)
  })

  test('without a fallback, lets the browser show its error', async () => {
    const { page, app } = await openServedPage({
      files,
      worker: await workerScript({ pages: ['/about'] }),
    })
    await ready(page)
    app.stop()
    await expect(page.goto(`${app.url}/nowhere`)).rejects.toThrow('ERR_FAILED')
  })

  test('prefers the server’s page, but uses the cache after the network timeout', async () => {
    const worker = await workerScript({ ...cacheOptions, networkTimeout: 300 })
    const { page, app } = await openServedPage({ files, worker })
    await ready(page)
    app.files.set('/about', files['/about'].replace('us', 'them'))
    await page.goto(`${app.url}/about`)
    expect(await heading(page)).toBe('About them')
    let respond!: (text: string) => void
    const delayed = new Promise<string>((resolve) => {
      respond = resolve
    })
    app.files.set('/about', delayed)
    await page.goto(`${app.url}/about`)
    expect(await heading(page)).toBe('About them')
    respond(files['/about'].replace('us', 'everybody'))
    await expect.poll(() => cachedText(page, '/about')).toContain('About everybody')
  })

  test('does not cache private pages, or pages with a secret in the URL', async () => {
    const { page, app } = await openServedPage({ files, worker: await workerScript(cacheOptions) })
    await ready(page)
    const addresses = ['/mine/letters', '/about?reset_token=1234', '/about?from=a-link']
    for (const address of addresses) await page.goto(app.url + address)
    const visited = (all: string[]) => all.filter((url) => addresses.some((a) => url.endsWith(a)))
    await expect
      .poll(async () => visited(await cachedAddresses(page)))
      .toEqual([`${app.url}/about?from=a-link`])
    app.stop()
    await page.goto(`${app.url}/mine/letters`)
    expect(await heading(page)).toBe('No network')
  })

  test('caches the most recently visited pages, and all files of the version', async () => {
    const { page, app } = await openServedPage({ files, worker: await workerScript(cacheOptions) })
    await ready(page)
    await page.goto(`${app.url}/about`)
    await page.evaluate(async () => {
      for (let i = 0; i < 60; i++) {
        const frame = document.createElement('iframe')
        frame.src = `/about?page=${i}`
        await new Promise((loaded) => {
          frame.onload = loaded
          document.body.append(frame)
        })
        frame.remove()
      }
    })
    const pages = async () => (await cachedAddresses(page)).filter((url) => url.includes('page='))
    await expect.poll(async () => (await pages()).length).toBe(50)
    expect((await pages()).at(-1)).toBe(`${app.url}/about?page=59`)
    expect(await cachedAddresses(page)).toEqual(
      expect.arrayContaining(['/about', '/away', '/style.js'].map((path) => app.url + path)),
    )
  })

  test('returns a file that does not fit on the disk', async () => {
    const options = { ...cacheOptions, assets: ['/late.js'] }
    const { page, app, cdp } = await openServedPage({ files, worker: await workerScript(options) })
    await ready(page)
    app.files.set('/late.js', `window.late = "${'x'.repeat(100_000)}"`)
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: app.url, quotaSize: 1_000 })
    expect(await page.evaluate(async () => (await fetch('/late.js')).status)).toBe(200)
    expect(await cachedAddresses(page)).not.toContain(`${app.url}/late.js`)
  })

  test('serves the files of its version, and deletes those of other versions', async () => {
    const { page, app } = await openServedPage({ files, worker: await workerScript(cacheOptions) })
    await ready(page)
    app.files.set('/style.js', 'window.style = "new"')
    expect(await style(page)).toBe('old')
    const next = { ...cacheOptions, version: '2' }
    app.files.set('/serviceWorker.bundle.js', await workerScript(next))
    await untilUpdated(page, '2')
    expect(await style(page)).toBe('new')
    app.stop()
    expect(await style(page)).toBe('new')
  })

  test('reads the list of assets from a URL', async () => {
    const list = { ...files, '/files.json': JSON.stringify(['/style.js']) }
    const { page, app } = await openServedPage({
      files: list,
      worker: await workerScript({ assets: '/files.json' }),
    })
    await ready(page)
    app.stop()
    expect(await style(page)).toBe('old')
  })

  test('without `takeOver`, waits until the pages of the previous version are closed', async () => {
    const { page, app, context, address } = await openServedPage({
      files,
      worker: await workerScript(cacheOptions),
    })
    await ready(page)
    const next = { ...cacheOptions, version: '2', takeOver: false }
    app.files.set('/serviceWorker.bundle.js', await workerScript(next))
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))
    await expect.poll(() => versions(page)).toEqual(['1', '2'])
    expect(await style(page)).toBe('old')
    const blank = await context.newPage()
    await page.close()
    await blank.goto('about:blank')
    await expect
      .poll(async () => {
        const later = await open(context, address)
        const found = await versions(later)
        await later.close()
        return found
      })
      .toEqual(['2'])
  })
})

const heading = (page: Page) => page.locator('h1').textContent()

/** Returns the cached URLs. */
const cachedAddresses = (page: Page) =>
  page.evaluate(async () => {
    const all = (await caches.keys()).map(async (name) => (await caches.open(name)).keys())
    return (await Promise.all(all)).flat().map(({ url }) => url)
  })

/** Returns the cached text for a URL. */
const cachedText = (page: Page, address: string) =>
  page.evaluate(async (address) => (await caches.match(address))?.text(), address)

/** Loads the script `/style.js` and returns the value that it sets. */
const style = (page: Page) =>
  page.evaluate(async () => {
    const script = document.createElement('script')
    script.src = '/style.js'
    await new Promise((resolve) => {
      script.onload = resolve
      document.head.append(script)
    })
    return (window as Window & { style?: string }).style
  })
