import { request } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { type Handler, open } from './chromium.ts'
import { pagePolicy, serveWidgets, type WidgetFixture } from './stored.ts'

const sandboxed = (
  id: number,
  code: WidgetFixture['code'],
  rest: Partial<WidgetFixture> = {},
): WidgetFixture => ({
  id,
  trust: 'sandbox',
  html: '<p>static</p>',
  ...rest,
  code: { html: '<p>drawn</p>', ...code },
})

async function show(widget: WidgetFixture, props?: unknown) {
  const server = await serveWidgets(widget)
  const { page } = await open('fixture-code.tsx', pagePolicy, server.paths)
  await page.evaluate(([id, props]) => window.codeFixture.draw({ id, props, version: 'latest' }), [
    widget.id,
    props,
  ] as const)
  return { page, server }
}

/** Returns a locator for the document in the frame. */
const inFrame = (page: Page) => page.frameLocator('iframe')
const notices = (page: Page) => page.evaluate(() => window.codeFixture.notices)
const failures = (page: Page) => page.evaluate(() => window.codeFixture.failures)
const waitForNotices = async (page: Page, length: number) => {
  await page.waitForFunction((length) => window.codeFixture.notices.length >= length, length)
  return notices(page)
}

describe('a widget in a frame', () => {
  test('shows the static HTML until it is ready, and gets the height of its content', async () => {
    const { page } = await show(
      sandboxed(1, {
        html: '<p style="height: 321px; margin: 0">drawn</p>',
        beforeRender: 'while (!this.data.go) await new Promise((done) => setTimeout(done, 5))',
      }),
      { go: false },
    )
    await page.getByText('static').waitFor()
    await page.evaluate(() =>
      window.codeFixture.draw({ id: 1, version: 'latest', props: { go: true } }),
    )
    await inFrame(page).getByText('drawn').waitFor()
    await page.getByText('static').waitFor({ state: 'detached' })
    await expect
      .poll(() => page.evaluate("document.querySelector('iframe').offsetHeight"))
      .toBe(321)
    expect(await page.locator('iframe').getAttribute('title')).toBe('widget 1')
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')
  })

  test('is at most 10,000 pixels high', async () => {
    const { page } = await show(sandboxed(1, { html: '<p style="height: 900000px">high</p>' }))
    await expect
      .poll(() => page.evaluate("document.querySelector('iframe').offsetHeight"))
      .toBe(10_000)
  })

  test('runs its hooks in order, with its functions, its props and its children', async () => {
    const child: WidgetFixture = {
      id: 2,
      trust: 'trusted',
      code: { html: '<b>child</b>', afterRender: `this.parentWidget.calls.push('child')` },
    }
    const { page } = await show(
      sandboxed(
        1,
        {
          html: '<div id="a" class="added-widget-container"></div><div id="b" class="added-widget-container"></div>',
          functions: [{ name: 'calls', code: 'this.calls = [this.data.name]' }],
          beforeRender: `await null; this.calls.push('before')`,
          afterRender: `this.calls.push('after')`,
          js: `this.notify(this.calls)`,
        },
        {
          children: [
            { wrapper: 'a', widget: child },
            { wrapper: 'b', widget: { id: 3, html: '<i>static</i>' } },
          ],
          html: '<div id="a" class="added-widget-container"></div><div id="b" class="added-widget-container"></div>',
        },
      ),
      { name: 'weft' },
    )
    expect(await waitForNotices(page, 1)).toEqual([['weft', 'before', 'child', 'after']])
    expect(await inFrame(page).locator('#a b').textContent()).toBe('child')
    expect(await inFrame(page).locator('#b i').textContent()).toBe('static')
    expect(await page.locator('iframe').count()).toBe(1)
  })

  test('has documentation buttons for the children in it, next to the frame', async () => {
    const html = '<div id="a" class="added-widget-container"></div>'
    const child: WidgetFixture = { id: 2, name: 'child', html: '<b>child</b>', documented: true }
    const { page } = await show(
      sandboxed(1, { html }, { html, children: [{ wrapper: 'a', widget: child }] }),
    )
    await inFrame(page).getByText('child').waitFor()
    const button = page.getByRole('button', { name: 'Documentation of child' })
    await button.waitFor()
    expect(await button.getAttribute('widget-id')).toBe('2')
    expect(await page.locator('iframe').count()).toBe(1)
  })

  test('receives new props', async () => {
    const { page } = await show(sandboxed(1, { update: 'this.notify(this.data)' }), { n: 1 })
    await inFrame(page).getByText('drawn').waitFor()
    await page.evaluate(() =>
      window.codeFixture.draw({ id: 1, version: 'latest', props: { n: 2 } }),
    )
    expect(await waitForNotices(page, 1)).toEqual([{ n: 2 }])
  })

  test('uses the color scheme of the page', async () => {
    const { page } = await show(sandboxed(1, { html: '<p>text</p>' }))
    await inFrame(page).getByText('text').waitFor()
    const scheme = () =>
      inFrame(page)
        .locator('html')
        .evaluate((html) => getComputedStyle(html).colorScheme)
    expect(await scheme()).toBe('light')
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'))
    await expect.poll(scheme).toBe('dark')
  })

  test('shows errors in its own place and reports them to the page', async () => {
    const { page } = await show(
      sandboxed(1, { beforeRender: 'throw new Error("torn")', afterRender: 'const = 1' }),
    )
    await inFrame(page).getByText('Error: torn').waitFor()
    await inFrame(page).getByText("Error: Unexpected token '='").waitFor()
    await expect
      .poll(() => failures(page))
      .toEqual(['beforeRender: torn', "afterRender: Unexpected token '='"])
  })

  test('keeps its state when a trusted parent is drawn again', async () => {
    const child = sandboxed(2, { html: '<input id="field">' })
    const { page } = await show({
      id: 1,
      trust: 'trusted',
      html: '<div id="a" class="added-widget-container"></div>',
      code: { functions: [{ name: 'redraw', code: 'globalThis.redraw = () => this.render()' }] },
      children: [{ wrapper: 'a', widget: child }],
    })
    await inFrame(page).locator('#field').fill('typed')
    await page.evaluate('redraw()')
    expect(await inFrame(page).locator('#field').inputValue()).toBe('typed')
  })

  test('is removed when the component unmounts', async () => {
    const { page } = await show(sandboxed(1, {}))
    await inFrame(page).getByText('drawn').waitFor()
    await page.evaluate(() => window.codeFixture.unmount())
    expect(await page.locator('iframe').count()).toBe(0)
    expect(page.frames()).toHaveLength(1)
  })
})

describe('the bridge', () => {
  test('answers calls as a guest, with plain data', async () => {
    const url = await startServer()
    const server = await serveWidgets(
      sandboxed(1, {
        js: `
          const concept = await tsccs.get(1)
          const found = await tsccs.query({ type: 'the_probe', selectors: ['self'] })
          const value = await tsccs.find('the_text', 'open')
          const record = await tsccs.record(found[0].id)
          this.notify([concept.value, found.length, value?.value, record])
        `,
      }),
    )
    const { page } = await open('fixture-code.tsx', pagePolicy, {
      ...server.paths,
      ...forwarding(url),
    })
    await page.evaluate(async () => {
      await window.codeFixture.write('the_probe', { text: 'open' })
      window.codeFixture.draw({ id: 1 })
    })
    expect(await waitForNotices(page, 1)).toEqual([['the', 1, 'open', { text: 'open' }]])
  })

  test.each([
    ['writes', `tsccs.create('the_probe', {})`, 'tsccs.create is not a function'],
    ['a malformed id', `await tsccs.get('1')`, '1 is not an id'],
    ['a query that is a string', `await tsccs.query('all')`, 'query takes an object'],
    [
      'too many calls at the same time',
      `await Promise.all(Array.from({ length: 40 }, (_, i) => tsccs.get(1_000_000 + i)))`,
      'more than 16 calls at the same time',
    ],
  ])('refuses %s', async (_, code, message) => {
    const { page } = await show(sandboxed(1, { js: code }))
    await inFrame(page).getByText(`Error: ${message}`).waitFor()
  })

  test.each([
    ['floods the page', `for (let i = 0; i < 5000; i++) this.notify(i)`, 'sends too many messages'],
    [
      'sends a message that is too long',
      `this.notify('x'.repeat(100_000))`,
      'sent a malformed message',
    ],
  ])('removes a widget that %s', async (_, code, message) => {
    const { page } = await show(sandboxed(1, { js: code }))
    await page.getByText(`Error: the widget ${message}`).waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
  })

  test('reports a click on a link instead of following it', async () => {
    const { page } = await show(sandboxed(1, { html: '<a href="/words">words</a>' }))
    await inFrame(page).getByRole('link', { name: 'words' }).click()
    await page.waitForFunction(() => window.codeFixture.failures.length > 0)
    expect(await failures(page)).toEqual([
      'link: a widget in a frame cannot follow the link to /words',
    ])
    expect(await inFrame(page).getByRole('link', { name: 'words' }).count()).toBe(1)
  })

  test('removes a widget that navigates its frame', async () => {
    const { page } = await show(sandboxed(1, { js: `location.href = '/api/v1/widgets/frame?x'` }))
    await page.getByText('Error: the widget left its frame').waitFor()
  })
})

test('a widget in an endless loop does not block the page, is removed, and can be started again', async () => {
  const { page } = await show(
    sandboxed(1, { functions: [{ name: 'x', code: `if (this.data.hang) for (;;);` }] }),
    { hang: true },
  )
  await page.locator('iframe').waitFor({ state: 'attached' })
  // If the loop blocked the page, the first of these frames would not be drawn before the widget is removed.
  let frames = 0
  while ((await page.getByRole('alert').count()) === 0) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
    frames++
  }
  expect(frames).toBeGreaterThan(5)
  await page.getByText('Error: the widget did not respond for 5 seconds').waitFor()
  expect(await page.locator('iframe').count()).toBe(0)
  await page.evaluate(() => window.codeFixture.draw({ id: 1, version: 'latest', props: {} }))
  await page.getByRole('button', { name: 'Start again' }).click()
  await inFrame(page).getByText('drawn').waitFor()
})

test('a frame that does not load is removed and reported, and can be started again', async () => {
  const server = await serveWidgets(sandboxed(1, {}))
  let isHanging = true
  const { page } = await open('fixture-code.tsx', pagePolicy, {
    ...server.paths,
    '/api/v1/widgets/frame': (response, url) => {
      if (!isHanging) server.paths['/api/v1/widgets/frame']?.(response, url)
    },
  })
  await page.evaluate(() => {
    // Makes intervals fifty times as fast, so that timeouts in seconds are short.
    const start = window.setInterval.bind(window)
    window.setInterval = ((run: () => void, ms: number) => start(run, ms / 50)) as typeof start
    Object.assign(window, { restoreTime: () => Object.assign(window, { setInterval: start }) })
    window.codeFixture.draw({ id: 1, props: {}, version: 'latest' })
  })
  await page.getByText('Error: the frame did not load within 30 seconds').waitFor()
  expect(await failures(page)).toEqual(['frame: the frame did not load within 30 seconds'])
  expect(await page.locator('iframe').count()).toBe(0)
  isHanging = false
  // Restores the real time, so that the next frame has 30 seconds to load.
  await page.evaluate('restoreTime(); undefined')
  await page.getByRole('button', { name: 'Start again' }).click()
  await inFrame(page).getByText('drawn').waitFor()
})

/** Forwards API requests of the page to a real server. */
const forwarding = (serverUrl: string): Record<string, Handler> =>
  Object.fromEntries(
    ['freeschema-query', 'get_concept_bulk', 'get_connection_bulk', 'v1/local-concepts']
      .concat('get_all_connections_of_composition_bulk')
      .map((path) => [`/api/${path}`, forward(serverUrl)]),
  )

const forward =
  (serverUrl: string): Handler =>
  (response, { pathname }) => {
    const { method, headers } = response.req
    const forwarded = request(serverUrl + pathname, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    response.req.pipe(forwarded)
  }
