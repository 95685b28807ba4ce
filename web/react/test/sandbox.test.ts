import { request } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { type Answer, open } from './chromium.ts'
import { type Given, pagePolicy, storing } from './stored.ts'

const sandboxed = (id: number, code: Given['code'], more: Partial<Given> = {}): Given => ({
  id,
  trust: 'sandbox',
  html: '<p>first paint</p>',
  ...more,
  code: { html: '<p>drawn</p>', ...code },
})

async function show(given: Given, props?: unknown) {
  const server = await storing(given)
  const { page } = await open('in-code.tsx', pagePolicy, server.paths)
  await page.evaluate(([id, props]) => window.inCode.draw({ id, props, version: 'latest' }), [
    given.id,
    props,
  ] as const)
  return { page, server }
}

/** The document inside the frame. */
const inside = (page: Page) => page.frameLocator('iframe')
const notices = (page: Page) => page.evaluate(() => window.inCode.notices)
const failures = (page: Page) => page.evaluate(() => window.inCode.failures)
const told = async (page: Page, length: number) => {
  await page.waitForFunction((length) => window.inCode.notices.length >= length, length)
  return notices(page)
}

describe('a widget in a frame', () => {
  test('shows the first paint until it has drawn itself, and takes the height it needs', async () => {
    const { page } = await show(
      sandboxed(1, {
        html: '<p style="height: 321px; margin: 0">drawn</p>',
        beforeRender: 'while (!this.data.go) await new Promise((done) => setTimeout(done, 5))',
      }),
      { go: false },
    )
    await page.getByText('first paint').waitFor()
    await page.evaluate(() => window.inCode.draw({ id: 1, version: 'latest', props: { go: true } }))
    await inside(page).getByText('drawn').waitFor()
    await page.getByText('first paint').waitFor({ state: 'detached' })
    await expect
      .poll(() => page.evaluate("document.querySelector('iframe').offsetHeight"))
      .toBe(321)
    expect(await page.locator('iframe').getAttribute('title')).toBe('widget 1')
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')
  })

  test('is no higher than a page can bear', async () => {
    const { page } = await show(sandboxed(1, { html: '<p style="height: 900000px">high</p>' }))
    await expect
      .poll(() => page.evaluate("document.querySelector('iframe').offsetHeight"))
      .toBe(10_000)
  })

  test('runs its hooks in order, with its functions, its props and its children', async () => {
    const child: Given = {
      id: 2,
      trust: 'trusted',
      code: { html: '<b>child</b>', afterRender: `this.parentWidget.said.push('child')` },
    }
    const { page } = await show(
      sandboxed(
        1,
        {
          html: '<div id="a" class="added-widget-container"></div><div id="b" class="added-widget-container"></div>',
          functions: [{ name: 'said', code: 'this.said = [this.data.name]' }],
          beforeRender: `await null; this.said.push('before')`,
          afterRender: `this.said.push('after')`,
          js: `this.notify(this.said)`,
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
    expect(await told(page, 1)).toEqual([['weft', 'before', 'child', 'after']])
    expect(await inside(page).locator('#a b').textContent()).toBe('child')
    expect(await inside(page).locator('#b i').textContent()).toBe('static')
    expect(await page.locator('iframe').count()).toBe(1)
  })

  test('is given other props as they change', async () => {
    const { page } = await show(sandboxed(1, { update: 'this.notify(this.data)' }), { n: 1 })
    await inside(page).getByText('drawn').waitFor()
    await page.evaluate(() => window.inCode.draw({ id: 1, version: 'latest', props: { n: 2 } }))
    expect(await told(page, 1)).toEqual([{ n: 2 }])
  })

  test('looks as the page does, in light and dark', async () => {
    const { page } = await show(sandboxed(1, { html: '<p>text</p>' }))
    await inside(page).getByText('text').waitFor()
    const scheme = () =>
      inside(page)
        .locator('html')
        .evaluate((html) => getComputedStyle(html).colorScheme)
    expect(await scheme()).toBe('light')
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'))
    await expect.poll(scheme).toBe('dark')
  })

  test('says what failed in its own place, and to the page', async () => {
    const { page } = await show(
      sandboxed(1, { beforeRender: 'throw new Error("torn")', afterRender: 'const = 1' }),
    )
    await inside(page).getByText('Error: torn').waitFor()
    await inside(page).getByText("Error: Unexpected token '='").waitFor()
    expect(await failures(page)).toEqual([
      'beforeRender: torn',
      "afterRender: Unexpected token '='",
    ])
  })

  test('is kept, with what happened in it, when a trusted parent is drawn anew', async () => {
    const child = sandboxed(2, { html: '<input id="field">' })
    const { page } = await show({
      id: 1,
      trust: 'trusted',
      html: '<div id="a" class="added-widget-container"></div>',
      code: { functions: [{ name: 'again', code: 'globalThis.again = () => this.render()' }] },
      children: [{ wrapper: 'a', widget: child }],
    })
    await inside(page).locator('#field').fill('typed')
    await page.evaluate('again()')
    expect(await inside(page).locator('#field').inputValue()).toBe('typed')
  })

  test('leaves with the page that shows it', async () => {
    const { page } = await show(sandboxed(1, {}))
    await inside(page).getByText('drawn').waitFor()
    await page.evaluate(() => window.inCode.undraw())
    expect(await page.locator('iframe').count()).toBe(0)
    expect(page.frames()).toHaveLength(1)
  })
})

describe('what a frame may ask', () => {
  test('is answered as nobody in particular, as plain data', async () => {
    const url = await startServer()
    const server = await storing(
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
    const { page } = await open('in-code.tsx', pagePolicy, {
      ...server.paths,
      ...forwarding(url),
    })
    await page.evaluate(async () => {
      await window.inCode.write('the_probe', { text: 'open' })
      window.inCode.draw({ id: 1 })
    })
    expect(await told(page, 1)).toEqual([['the', 1, 'open', { text: 'open' }]])
  })

  test.each([
    ['create', `tsccs.create('the_probe', {})`, 'tsccs.create is not a function'],
    ['no id', `await tsccs.get('1')`, '1 is not an id'],
    ['a text as query', `await tsccs.query('all')`, 'query takes an object'],
    [
      'too much at a time',
      `await Promise.all(Array.from({ length: 40 }, (_, i) => tsccs.get(1_000_000 + i)))`,
      'more than 16 questions at a time',
    ],
  ])('is not: %s', async (_, code, says) => {
    const { page } = await show(sandboxed(1, { js: code }))
    await inside(page).getByText(`Error: ${says}`).waitFor()
  })

  test.each([
    ['floods the page', `for (let i = 0; i < 5000; i++) this.notify(i)`, 'sends too many messages'],
    ['sends too much', `this.notify('x'.repeat(100_000))`, 'sends what makes no sense'],
  ])('a widget that %s is taken out', async (_, code, says) => {
    const { page } = await show(sandboxed(1, { js: code }))
    await page.getByText(`Error: the widget ${says}`).waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
  })

  test('a widget whose link is followed stays, and says so', async () => {
    const { page } = await show(sandboxed(1, { html: '<a href="/words">words</a>' }))
    await inside(page).getByRole('link', { name: 'words' }).click()
    await page.waitForFunction(() => window.inCode.failures.length > 0)
    expect(await failures(page)).toEqual(['link: a widget in a frame does not lead to /words'])
    expect(await inside(page).getByRole('link', { name: 'words' }).count()).toBe(1)
  })

  test('a widget that leaves its frame is taken out', async () => {
    const { page } = await show(sandboxed(1, { js: `location.href = '/api/v1/widgets/frame?x'` }))
    await page.getByText('Error: the widget left its frame').waitFor()
  })
})

test('a widget that hangs does not freeze the page, is taken out, and can be started again', async () => {
  const { page } = await show(
    sandboxed(1, { functions: [{ name: 'x', code: `if (this.data.hang) for (;;);` }] }),
    { hang: true },
  )
  await page.locator('iframe').waitFor({ state: 'attached' })
  // The page answers all the while: each of these would otherwise wait for the loop.
  let frames = 0
  while ((await page.getByRole('alert').count()) === 0) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
    frames++
  }
  expect(frames).toBeGreaterThan(60)
  await page.getByText('Error: the widget did not answer for 5 seconds').waitFor()
  expect(await page.locator('iframe').count()).toBe(0)
  await page.evaluate(() => window.inCode.draw({ id: 1, version: 'latest', props: {} }))
  await page.getByRole('button', { name: 'Start again' }).click()
  await inside(page).getByText('drawn').waitFor()
})

/** Lets the page ask a real server through its own origin. */
const forwarding = (to: string): Record<string, Answer> =>
  Object.fromEntries(
    ['freeschema-query', 'get_concept_bulk', 'get_connection_bulk', 'v1/local-concepts']
      .concat('get_all_connections_of_composition_bulk')
      .map((path) => [`/api/${path}`, forward(to)]),
  )

const forward =
  (to: string): Answer =>
  (answer, { pathname }) => {
    const { method, headers } = answer.req
    const there = request(to + pathname, { method, headers }, (back) => {
      answer.writeHead(back.statusCode ?? 502, back.headers)
      back.pipe(answer)
    })
    answer.req.pipe(there)
  }
