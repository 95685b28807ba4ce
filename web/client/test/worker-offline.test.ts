import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { open, ready, script, served, updated, versions } from './served.ts'

const page = (heading: string) =>
  `<!doctype html><title>Served</title><h1>${heading}</h1><script src="/page.js"></script>`

const files = {
  '/about': page('About us'),
  '/away': page('No network'),
  '/private/letters': page('Letters'),
  '/mine/letters': page('Letters'),
  '/style.js': 'window.style = "old"',
}
const kept = { assets: ['/page.js', '/style.js'], pages: ['/about'], fallback: '/away' }

describe('without a network', { timeout: 60_000 }, () => {
  test('the page of a first visit opens, with its script and what was written there', async () => {
    const { page, app, relay } = await served({ files, worker: await script(kept) })
    await ready(page)
    await expect.poll(() => keptAddresses(page)).toContain(page.url())
    app.stop()
    relay.cut()
    await page.evaluate(() => window.client.create('the_note', { text: 'kept' }).saved)
    await page.reload()
    expect(await heading(page)).toBe('At home')
    await page.evaluate(() => window.client.ready)
    expect(await page.evaluate(() => window.client.find('the_text', 'kept')?.value)).toBe('kept')
  })

  test('a page opens that nobody visited, and another one in the place of what is not kept', async () => {
    const { page, app } = await served({ files, worker: await script(kept) })
    await ready(page)
    await page.goto(`${app.url}/private/letters`)
    expect(await heading(page)).toBe('Letters')
    app.stop()
    await page.goto(`${app.url}/about?from=a-link`)
    expect(await heading(page)).toBe('About us')
    await page.goto(`${app.url}/private/letters`)
    expect(await heading(page)).toBe('No network')
    expect(await keptAddresses(page)).not.toContain(`${app.url}/private/letters`)
  })

  test('without a page for that the browser says what is wrong', async () => {
    const { page, app } = await served({ files, worker: await script({ pages: ['/about'] }) })
    await ready(page)
    app.stop()
    await expect(page.goto(`${app.url}/nowhere`)).rejects.toThrow('ERR_FAILED')
  })

  test('a page is as the server has it now, but is not waited for as long as one likes', async () => {
    const worker = await script({ ...kept, patience: 300 })
    const { page, app } = await served({ files, worker })
    await ready(page)
    app.files.set('/about', files['/about'].replace('us', 'them'))
    await page.goto(`${app.url}/about`)
    expect(await heading(page)).toBe('About them')
    let answer!: (text: string) => void
    const late = new Promise<string>((come) => {
      answer = come
    })
    app.files.set('/about', late)
    await page.goto(`${app.url}/about`)
    expect(await heading(page)).toBe('About them')
    answer(files['/about'].replace('us', 'everybody'))
    await expect.poll(() => keptText(page, '/about')).toContain('About everybody')
  })

  test('pages that are not the same for all, or whose address is a secret, are not kept', async () => {
    const { page, app } = await served({ files, worker: await script(kept) })
    await ready(page)
    const addresses = ['/mine/letters', '/about?reset_token=1234', '/about?from=a-link']
    for (const address of addresses) await page.goto(app.url + address)
    const visited = (all: string[]) => all.filter((url) => addresses.some((a) => url.endsWith(a)))
    await expect
      .poll(async () => visited(await keptAddresses(page)))
      .toEqual([`${app.url}/about?from=a-link`])
    app.stop()
    await page.goto(`${app.url}/mine/letters`)
    expect(await heading(page)).toBe('No network')
  })

  test('of the pages that were visited the last are kept, and all that belongs to the version', async () => {
    const { page, app } = await served({ files, worker: await script(kept) })
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
    const pages = async () => (await keptAddresses(page)).filter((url) => url.includes('page='))
    await expect.poll(async () => (await pages()).length).toBe(50)
    expect((await pages()).at(-1)).toBe(`${app.url}/about?page=59`)
    expect(await keptAddresses(page)).toEqual(
      expect.arrayContaining(['/about', '/away', '/style.js'].map((path) => app.url + path)),
    )
  })

  test('what has no room on the disk is shown all the same', async () => {
    const late = { ...kept, assets: ['/late.js'] }
    const { page, app, cdp } = await served({ files, worker: await script(late) })
    await ready(page)
    app.files.set('/late.js', `window.late = "${'x'.repeat(100_000)}"`)
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: app.url, quotaSize: 1_000 })
    expect(await page.evaluate(async () => (await fetch('/late.js')).status)).toBe(200)
    expect(await keptAddresses(page)).not.toContain(`${app.url}/late.js`)
  })

  test('files are those of the version, and another version drops them', async () => {
    const { page, app } = await served({ files, worker: await script(kept) })
    await ready(page)
    app.files.set('/style.js', 'window.style = "new"')
    expect(await style(page)).toBe('old')
    const next = { ...kept, version: '2' }
    app.files.set('/serviceWorker.bundle.js', await script(next))
    await updated(page, '2')
    expect(await style(page)).toBe('new')
    app.stop()
    expect(await style(page)).toBe('new')
  })

  test('a list of files is read from where the build wrote it', async () => {
    const list = { ...files, '/files.json': JSON.stringify(['/style.js']) }
    const { page, app } = await served({
      files: list,
      worker: await script({ assets: '/files.json' }),
    })
    await ready(page)
    app.stop()
    expect(await style(page)).toBe('old')
  })

  test('a version that is not to take over waits for the pages of the one before', async () => {
    const { page, app, context, address } = await served({ files, worker: await script(kept) })
    await ready(page)
    const next = { ...kept, version: '2', takeOver: false }
    app.files.set('/serviceWorker.bundle.js', await script(next))
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))
    await expect.poll(() => versions(page)).toEqual(['1', '2'])
    expect(await style(page)).toBe('old')
    const blank = await context.newPage()
    await page.close()
    await blank.goto('about:blank')
    await expect
      .poll(async () => {
        const later = await open(context, address)
        const kept = await versions(later)
        await later.close()
        return kept
      })
      .toEqual(['2'])
  })
})

const heading = (page: Page) => page.locator('h1').textContent()

/** Addresses of what is kept. */
const keptAddresses = (page: Page) =>
  page.evaluate(async () => {
    const all = (await caches.keys()).map(async (name) => (await caches.open(name)).keys())
    return (await Promise.all(all)).flat().map(({ url }) => url)
  })

/** What is kept at an address. */
const keptText = (page: Page, address: string) =>
  page.evaluate(async (address) => (await caches.match(address))?.text(), address)

/** What a file loaded by now says. */
const style = (page: Page) =>
  page.evaluate(async () => {
    const script = document.createElement('script')
    script.src = '/style.js'
    await new Promise((done) => {
      script.onload = done
      document.head.append(script)
    })
    return (window as Window & { style?: string }).style
  })
