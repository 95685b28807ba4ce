import { expect, test } from 'vitest'
import { open } from './chromium.ts'

const html = `<form action="/find"><label for="q">Find</label><input id="q" name="q" required>
  <button>Search</button></form><form novalidate action="/find"><button>Any</button></form>`

test('forms of a stored page are validated by the rules of their fields', async () => {
  const { page } = await open('fixture-page.tsx', '<div id="app"></div>', {
    '/api/v1/pages': (response) =>
      response.end(
        JSON.stringify({
          page: { id: 1, slug: '/', title: 'Home' },
          widget: { id: 10, name: 'home', html, css: '', children: [] },
        }),
      ),
    '/find': (response) => response.end('<!doctype html>found'),
  })
  await page.evaluate(() => window.pageFixture.drawPages('/'))
  await page.getByLabel('Find').waitFor()
  await expect.poll(() => page.evaluate('document.forms[0].noValidate')).toBe(true)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('The field q is required.').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('q')
  await page.getByLabel('Find').fill('cloth')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.waitForURL('**/find?q=cloth')
})
