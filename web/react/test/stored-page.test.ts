import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type Answer, open } from './chromium.ts'

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

const json = (answer: ServerResponse, status: number, body: unknown) =>
  answer.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

/** The pages above, with whatever a test says instead. */
const serving = (instead: Record<string, Answer> = {}): Record<string, Answer> => ({
  '/api/v1/pages': (answer, url) => {
    const slug = url.searchParams.get('slug') ?? ''
    if (instead[slug]) instead[slug](answer, url)
    else if (pages[slug]) json(answer, 200, pages[slug])
    else json(answer, 404, { message: `there is no page ${slug}` })
  },
})

const app = '<div id="app"></div>'

describe('a stored page', () => {
  test('waits, then shows, with its title, meta tags and settings', async () => {
    let send = () => {}
    const { page } = await open(
      'in-page.tsx',
      app,
      serving({ '/': (answer) => (send = () => json(answer, 200, pages['/'])) }),
    )
    await page.evaluate(() => window.inPage.drawPages('/'))
    await page.getByText('Please Wait...', { exact: true }).waitFor()
    send()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(await page.getByText('Please Wait...').count()).toBe(0)
    expect(await page.title()).toBe('The home page')
    expect(await metas(page)).toEqual({ description: 'where it begins', keywords: 'home' })
    expect(await styleOf(page, '.fspage', 'fontSize')).toBe('20px')
    expect(await styleOf(page, '.fspage', 'maxWidth')).toBe('100%')
    expect(await styleOf(page, 'h1', 'color')).toBe('rgb(255, 0, 0)')
  })

  test('leaves nothing of itself to the next page', async () => {
    const { page } = await open('in-page.tsx', app, serving())
    await page.evaluate(() => window.inPage.drawPages('/'))
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.evaluate(() => window.inPage.moveTo('/plain'))
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
  ])('$slug says "$text"', async ({ slug, text }) => {
    const { page } = await open('in-page.tsx', app, serving())
    await page.evaluate((slug) => window.inPage.drawPages(slug), slug)
    await page.getByRole('heading', { name: text, exact: true }).waitFor()
  })

  test('that failed says why, and can be asked for again', async () => {
    let broken = true
    const { page } = await open(
      'in-page.tsx',
      app,
      serving({
        '/': (answer) => (broken ? answer.writeHead(503).end() : json(answer, 200, pages['/'])),
      }),
    )
    await page.evaluate(() => window.inPage.drawPages('/'))
    await page.getByText('Error: Service Unavailable', { exact: true }).waitFor()
    broken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })

  test('is asked for once, however often it is shown', async () => {
    const { page, asked } = await open('in-page.tsx', app, serving())
    await page.evaluate(() => window.inPage.drawPages('/'))
    for (const slug of ['/plain', '/', '/plain', '/']) {
      await page.evaluate((slug) => window.inPage.moveTo(slug), slug)
      await page.getByRole('heading', { name: slug === '/' ? 'Home' : 'Plain' }).waitFor()
    }
    expect(asked).toHaveLength(2)
  })

  test('gives its placeholders to components', async () => {
    const { page } = await open('in-page.tsx', app, serving())
    await page.evaluate(() => window.inPage.drawPages('/', 'slots'))
    await page.getByRole('button', { name: 'pressed 0' }).click()
    await page.getByRole('button', { name: 'pressed 1' }).waitFor()
    expect(await page.locator('#place').innerHTML()).toBe(
      '<button type="button">pressed 1</button>',
    )
  })
})

test('React takes over what the server sent: the same elements, and no question asked', async () => {
  const html = '<h1>Home</h1><div id="place" class="added-widget-container">waits</div>'
  const sent = `<style data-weft>@scope ([data-widget="10"]) { h1 { color: rgb(255, 0, 0) } }</style>
    <div id="app">
      <div class="fspage"> <div data-widget="10">${html}</div> </div>
    </div>
    <script type="application/json" id="weft-page">${JSON.stringify(pages['/'])}</script>`
  const { page, asked } = await open('in-page.tsx', sent, serving())
  await page.evaluate(() => {
    const heading = document.querySelector('h1')
    const taken: Node[] = []
    const watch = new MutationObserver((records) => {
      for (const { removedNodes } of records) taken.push(...removedNodes)
    })
    watch.observe(document.body, { childList: true, subtree: true })
    Object.assign(window, { heading, taken })
  })
  await page.evaluate(() => window.inPage.drawPages('/', 'slots'))
  await page.getByRole('button', { name: 'pressed 0' }).waitFor()

  expect(await page.evaluate("document.querySelector('h1') === heading")).toBe(true)
  // What is taken out and put back is painted again, and counts as the largest paint a second later.
  expect(await page.evaluate('taken.some((node) => node.contains(heading))')).toBe(false)
  expect(await page.evaluate('taken.length')).toBeGreaterThan(0)
  expect(await page.evaluate('inPage.complaints')).toEqual([])
  expect(await page.title()).toBe('The home page')
  expect(asked).toEqual([])
  expect(await page.locator('style[data-weft]').count()).toBe(0)
  expect(await styleOf(page, 'h1', 'color')).toBe('rgb(255, 0, 0)')

  await page.evaluate(() => window.inPage.moveTo('/plain'))
  await page.getByRole('heading', { name: 'Plain' }).waitFor()
  expect(await styleOf(page, 'h1', 'color')).toBe('rgb(0, 0, 0)')
  await page.evaluate(() => window.inPage.moveTo('/'))
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
