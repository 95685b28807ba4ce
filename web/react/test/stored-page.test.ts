import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type Handler, open } from './chromium.ts'

const pages: Record<string, unknown> = {
  '/': {
    page: {
      id: 1,
      slug: '/',
      title: 'Home',
      metaTitle: 'The home page',
      metaDescription: 'where it begins',
      metaKeywords: 'home',
      type: 'fixed',
      fontSize: '20',
    },
    widget: {
      id: 10,
      name: 'home',
      html: '<h1>Home</h1><div id="place" class="added-widget-container">waits</div>',
      css: 'h1 { color: rgb(255, 0, 0) }',
      children: [],
    },
  },
  '/plain': {
    page: { id: 2, slug: '/plain', title: 'Plain', metaDescription: 'undefined' },
    widget: { id: 20, name: 'plain', html: '<h1>Plain</h1>', css: '', children: [] },
  },
  '/empty': { page: { id: 3, slug: '/empty', title: 'Empty' }, widget: null },
  '/nameless': { page: { id: 4, slug: '/nameless' }, widget: { id: 40, name: 'null' } },
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

/** Returns handlers that serve the pages above. `overrides` replaces the handlers of some slugs. */
const servePages = (overrides: Record<string, Handler> = {}): Record<string, Handler> => ({
  '/api/v1/pages': (response, url) => {
    const slug = url.searchParams.get('slug') ?? ''
    if (overrides[slug]) overrides[slug](response, url)
    else if (pages[slug]) json(response, 200, pages[slug])
    else json(response, 404, { message: `there is no page ${slug}` })
  },
})

const app = '<div id="app"></div>'

describe('a stored page', () => {
  test('shows a loading state, then the page with its title, meta tags and settings', async () => {
    let respond = () => {}
    const { page } = await open(
      'fixture-page.tsx',
      app,
      servePages({ '/': (response) => (respond = () => json(response, 200, pages['/'])) }),
    )
    await page.evaluate(() => window.pageFixture.drawPages('/'))
    await page.getByText('Loading…', { exact: true }).waitFor()
    respond()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(await page.getByText('Loading…').count()).toBe(0)
    expect(await page.title()).toBe('The home page')
    expect(await metas(page)).toEqual({ description: 'where it begins', keywords: 'home' })
    expect(await styleOf(page, '.fspage', 'fontSize')).toBe('20px')
    expect(await styleOf(page, '.fspage', 'maxWidth')).toBe('100%')
    expect(await styleOf(page, 'h1', 'color')).toBe('rgb(255, 0, 0)')
  })

  test('leaves no styles or meta tags on the next page', async () => {
    const { page } = await open('fixture-page.tsx', app, servePages())
    await page.evaluate(() => window.pageFixture.drawPages('/'))
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.evaluate(() => window.pageFixture.navigate('/plain'))
    await page.getByRole('heading', { name: 'Plain' }).waitFor()
    expect(await page.title()).toBe('Plain')
    expect(await metas(page)).toEqual({ description: '', keywords: '' })
    expect(await styleOf(page, '.fspage', 'fontSize')).toBe('16px')
    expect(await styleOf(page, 'h1', 'color')).toBe('rgb(0, 0, 0)')
    expect(await page.evaluate('document.adoptedStyleSheets.length')).toBe(1)
  })

  test.each([
    { slug: '/nowhere', text: "Invalid or Page doesn't exist" },
    { slug: '/empty', text: "Invalid or Page doesn't exist" },
    { slug: '/nameless', text: "Invalid or Widget doesn't exist" },
  ])('$slug shows "$text"', async ({ slug, text }) => {
    const { page } = await open('fixture-page.tsx', app, servePages())
    await page.evaluate((slug) => window.pageFixture.drawPages(slug), slug)
    await page.getByRole('heading', { name: text, exact: true }).waitFor()
  })

  test('that failed to load shows the error and a retry button', async () => {
    let broken = true
    const { page } = await open(
      'fixture-page.tsx',
      app,
      servePages({
        '/': (response) =>
          broken ? response.writeHead(503).end() : json(response, 200, pages['/']),
      }),
    )
    await page.evaluate(() => window.pageFixture.drawPages('/'))
    await page.getByText('Error: Service Unavailable', { exact: true }).waitFor()
    broken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })

  test('is requested once, even when shown several times', async () => {
    const { page, requests } = await open('fixture-page.tsx', app, servePages())
    await page.evaluate(() => window.pageFixture.drawPages('/'))
    for (const slug of ['/plain', '/', '/plain', '/']) {
      await page.evaluate((slug) => window.pageFixture.navigate(slug), slug)
      await page.getByRole('heading', { name: slug === '/' ? 'Home' : 'Plain' }).waitFor()
    }
    expect(requests).toHaveLength(2)
  })

  test('renders components into its placeholders', async () => {
    const { page } = await open('fixture-page.tsx', app, servePages())
    await page.evaluate(() => window.pageFixture.drawPages('/', 'slots'))
    await page.getByRole('button', { name: 'pressed 0' }).click()
    await page.getByRole('button', { name: 'pressed 1' }).waitFor()
    expect(await page.locator('#place').innerHTML()).toBe(
      '<button type="button">pressed 1</button>',
    )
  })
})

test('React hydrates a server-rendered page: it keeps the elements and sends no request', async () => {
  const html = '<h1>Home</h1><div id="place" class="added-widget-container">waits</div>'
  const serverHtml = `<style data-weft>@scope ([data-widget="10"]) { h1 { color: rgb(255, 0, 0) } }</style>
    <div id="app">
      <div class="fspage"> <div data-widget="10">${html}</div> </div>
    </div>
    <script type="application/json" id="weft-page">${JSON.stringify(pages['/'])}</script>`
  const { page, requests } = await open('fixture-page.tsx', serverHtml, servePages())
  await page.evaluate(() => {
    const heading = document.querySelector('h1')
    const removed: Node[] = []
    const watch = new MutationObserver((records) => {
      for (const { removedNodes } of records) removed.push(...removedNodes)
    })
    watch.observe(document.body, { childList: true, subtree: true })
    Object.assign(window, { heading, removed })
  })
  await page.evaluate(() => window.pageFixture.drawPages('/', 'slots'))
  await page.getByRole('button', { name: 'pressed 0' }).waitFor()

  expect(await page.evaluate("document.querySelector('h1') === heading")).toBe(true)
  // A detached element would be painted again and count as a later largest contentful paint.
  expect(await page.evaluate('removed.some((node) => node.contains(heading))')).toBe(false)
  expect(await page.evaluate('removed.length')).toBeGreaterThan(0)
  expect(await page.evaluate('pageFixture.hydrationErrors')).toEqual([])
  expect(await page.title()).toBe('The home page')
  expect(requests).toEqual([])
  expect(await page.locator('style[data-weft]').count()).toBe(0)
  expect(await styleOf(page, 'h1', 'color')).toBe('rgb(255, 0, 0)')

  await page.evaluate(() => window.pageFixture.navigate('/plain'))
  await page.getByRole('heading', { name: 'Plain' }).waitFor()
  expect(await styleOf(page, 'h1', 'color')).toBe('rgb(0, 0, 0)')
  await page.evaluate(() => window.pageFixture.navigate('/'))
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await styleOf(page, 'h1', 'color')).toBe('rgb(255, 0, 0)')
})

type Page = Awaited<ReturnType<typeof open>>['page']

const styleOf = (page: Page, selector: string, property: 'color' | 'fontSize' | 'maxWidth') =>
  page.evaluate(
    ([selector, property]) =>
      getComputedStyle(document.querySelector(selector) as Element)[property],
    [selector, property] as const,
  )

const metas = (page: Page) =>
  page.evaluate(() =>
    Object.fromEntries(
      Array.from(document.querySelectorAll('meta[name]'), (meta) => [
        meta.getAttribute('name'),
        meta.getAttribute('content'),
      ]),
    ),
  )
