import { expect, test } from 'vitest'
import { type Answer, open } from './chromium.ts'

const json =
  (body: object): Answer =>
  (answer) =>
    answer.end(JSON.stringify(body))

const body = { id: 11, root: 10, name: 'home', html: '<h1>Home</h1>', css: '', documented: true }
const about = { page: { id: 1, slug: '/', title: 'Home' }, widget: body }

test('a page with documentation has a button for it, also when the server sent the page', async () => {
  const sent = `<div id="app"><div class="fspage"><div data-widget="11">${body.html}</div></div></div>
    <script type="application/json" id="weft-page">${JSON.stringify(about)}</script>`
  const { page, asked } = await open('in-page.tsx', sent, {
    '/api/v1/config': json({ config: {} }),
    '/api/v1/widgets/documentation': json({ entries: [{ id: 1, text: 'where it begins' }] }),
  })
  await page.evaluate(() => window.inPage.drawPages('/'))
  const button = page.getByTitle('Documentation')
  expect(await button.getAttribute('widget-id')).toBe('10')
  expect(asked).toEqual([])
  expect(await page.evaluate('inPage.complaints')).toEqual([])
  await button.click()
  await page.getByRole('dialog').getByText('where it begins').waitFor()
})

test('a page without documentation has none', async () => {
  const { page } = await open('in-page.tsx', '<div id="app"></div>', {
    '/api/v1/pages': json({ ...about, widget: { ...body, documented: false } }),
  })
  await page.evaluate(() => window.inPage.drawPages('/'))
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await page.getByTitle('Documentation').count()).toBe(0)
})
