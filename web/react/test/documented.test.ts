import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type Handler, open } from './chromium.ts'

const json =
  (body: object): Handler =>
  (response) =>
    response.end(JSON.stringify(body))

const body = { id: 11, root: 10, name: 'home', html: '<h1>Home</h1>', css: '', documented: true }
const pageJson = { page: { id: 1, slug: '/', title: 'Home' }, widget: body }

test('a server-rendered page with documentation gets a documentation button', async () => {
  const serverHtml = `<div id="app"><div class="fspage"><div data-widget="11">${body.html}</div></div></div>
    <script type="application/json" id="weft-page">${JSON.stringify(pageJson)}</script>`
  const { page, requests } = await open('fixture-page.tsx', serverHtml, {
    '/api/v1/config': json({ config: {} }),
    '/api/v1/widgets/documentation': json({ entries: [{ id: 1, text: 'where it begins' }] }),
  })
  await page.evaluate(() => window.pageFixture.drawPages('/'))
  const button = page.getByTitle('Documentation')
  expect(await button.getAttribute('widget-id')).toBe('10')
  expect(requests).toEqual([])
  expect(await page.evaluate('pageFixture.hydrationErrors')).toEqual([])
  await button.click()
  await page.getByRole('dialog').getByText('where it begins').waitFor()
})

test('a page without documentation has no documentation button', async () => {
  const { page } = await open('fixture-page.tsx', '<div id="app"></div>', {
    '/api/v1/pages': json({ ...pageJson, widget: { ...body, documented: false } }),
  })
  await page.evaluate(() => window.pageFixture.drawPages('/'))
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await page.getByTitle('Documentation').count()).toBe(0)
})

const placeholder = (id: string) => `<div id="${id}" class="added-widget-container"></div>`
const respondWithEntries = (response: ServerResponse, url: URL) =>
  response.end(
    JSON.stringify({ entries: [{ id: 1, text: `about ${url.searchParams.get('id')}` }] }),
  )
const documentation: Record<string, Handler> = {
  '/api/v1/config': json({ config: {} }),
  '/api/v1/widgets/documentation': respondWithEntries,
}

/** A tree of widgets with and without documentation. Widget 31 is inside a widget without documentation. */
const parent = {
  id: 11,
  root: 10,
  name: 'home',
  html: `<h1>Home</h1>${placeholder('left')}${placeholder('right')}`,
  css: '',
  documented: true,
  children: [
    {
      wrapper: 'left',
      widget: { id: 21, root: 20, name: 'left', html: '<p>Left</p>', css: '', documented: true },
    },
    {
      wrapper: 'right',
      widget: {
        id: 22,
        name: 'right',
        html: `<p>Right</p>${placeholder('inner')}`,
        css: '',
        children: [
          {
            wrapper: 'inner',
            widget: {
              id: 31,
              root: 30,
              name: 'inner',
              html: '<p>In</p>',
              css: '',
              documented: true,
            },
          },
        ],
      },
    },
    {
      wrapper: 'nowhere',
      widget: { id: 23, name: 'lost', html: '<p>Lost</p>', css: '', documented: true },
    },
  ],
}

test('every child with documentation has a button that opens the documentation of the child', async () => {
  const { page } = await open('fixture-page.tsx', '<div id="app"></div>', {
    ...documentation,
    '/api/v1/pages': json({ ...pageJson, widget: parent }),
  })
  await page.evaluate(() => window.pageFixture.drawPages('/'))
  await expect.poll(() => widgetsWithButton(page)).toEqual(['10', '20', '30'])
  for (const id of ['30', '20', '10']) {
    await page.locator(`[widget-id="${id}"]`).click()
    await page.getByRole('dialog').getByText(`about ${id}`).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
  }
  expect(await page.getByRole('button', { name: 'Documentation of inner' }).count()).toBe(1)
})

test('the children of a server-rendered page have documentation buttons', async () => {
  const html = `<h1>Home</h1><div id="left" class="added-widget-container"><div data-widget="21"><p>Left</p></div></div>`
  const [left] = parent.children
  // The server sends an outline of the tree: the main widget without its HTML, and the children that have documentation.
  const outline = { id: 11, root: 10, name: 'home', html: '', css: '', children: [left] }
  const serverHtml = `<div id="app"><div class="fspage"><div data-widget="11">${html}</div></div></div>
    <script type="application/json" id="weft-page">${JSON.stringify({ ...pageJson, widget: outline })}</script>`
  const { page } = await open('fixture-page.tsx', serverHtml, documentation)
  await page.evaluate(() => window.pageFixture.drawPages('/'))
  await expect.poll(() => widgetsWithButton(page)).toEqual(['20'])
  expect(await page.evaluate('pageFixture.hydrationErrors')).toEqual([])
})

test('the button of a child remains when the code of its parent redraws the child', async () => {
  const { page } = await open('fixture-page.tsx', '<div id="app"></div>', {
    ...documentation,
    '/api/v1/pages': json({ ...pageJson, widget: parent }),
  })
  await page.evaluate(() => window.pageFixture.drawPages('/'))
  await expect.poll(() => widgetsWithButton(page)).toEqual(['10', '20', '30'])
  // Simulates a redraw: the host of the child moves to a new placeholder.
  await page.evaluate(() => {
    const [host, right] = [
      document.querySelector('[data-widget="21"]'),
      document.querySelector('#right'),
    ]
    const place = document.createElement('div')
    if (host) place.append(host)
    document.querySelector('#left')?.replaceWith(place)
    right?.remove()
  })
  await expect.poll(() => widgetsWithButton(page)).toEqual(['10', '20'])
  await page.locator('[widget-id="20"]').click()
  await page.getByRole('dialog').getByText('about 20').waitFor()
})

/** Returns the ids of the widgets that have a documentation button, in ascending order. */
const widgetsWithButton = async (page: Page): Promise<(string | null)[]> => {
  const buttons = await page.getByTitle('Documentation').all()
  const ids = await Promise.all(buttons.map((button) => button.getAttribute('widget-id')))
  return ids.sort()
}
