import { expect, test } from 'vitest'
import { expectNoPageDefects, openApp } from './app.ts'
import { startWeft } from './weft.ts'

test('runs an example, shows its plan and stores the query in the address', async () => {
  const { url } = await startWeft()
  const app = await openApp(`${url}/products-schema`)
  const { page } = app
  await page.getByRole('textbox', { name: 'Query, as JSON' }).focus()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('cell', { name: '/products-schema' }).waitFor()
  await page
    .locator('.schema-sum')
    .getByText(/^\d+ of \d+ records/)
    .waitFor()
  await page.getByRole('region', { name: 'Query plan' }).getByText('the_page_slug').waitFor()
  await expectNoPageDefects(app)
  await page.getByRole('radio', { name: 'Ids' }).check()
  expect(await page.locator('.schema-ids').innerText()).toMatch(/^\d+, \d+/)

  await page.getByRole('combobox').selectOption('Pages whose address contains “/product”')
  await page.getByRole('button', { name: 'Run' }).click()
  await expect.poll(() => page.url()).toContain('filterLogic')
  const other = await openApp(page.url())
  await other.page.getByRole('button', { name: 'Run' }).click()
  await other.page.getByRole('cell', { name: '/products-concept-editor' }).waitFor()
})

test('typing over a selection of several lines does not violate the Content-Security-Policy', async () => {
  const { url } = await startWeft()
  const { page, consoleErrors } = await openApp(`${url}/products-schema`)
  const editor = page.getByRole('textbox', { name: 'Query, as JSON' })
  await editor.focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('{"ty')
  await expect.poll(() => editor.innerText()).toMatch(/^\{"ty/)
  expect(consoleErrors).toEqual([])
})

test('keeps every key when the user types faster than the page renders', async () => {
  const { url } = await startWeft()
  const { page } = await openApp(`${url}/products-schema`)
  const editor = page.getByRole('textbox', { name: 'Query, as JSON' })
  await editor.focus()
  await page.keyboard.press('Control+A')
  const text = 'abcdefghijklmnopqrstuvwxyz'.repeat(4)
  await page.evaluate(async (text) => {
    for (const character of text) {
      document.execCommand('insertText', false, character)
      await new Promise((resolve) => setTimeout(resolve))
    }
  }, text)
  await expect.poll(() => editor.innerText()).toBe(text)
})

test('shows errors and marks their position in the editor', async () => {
  const { url } = await startWeft()
  const wrong = {
    type: 'the_page',
    filters: [{ name: 'a', search: 'x' }],
    filterLogic: 'a AND (b OR )',
  }
  const search = new URLSearchParams({ query: JSON.stringify(wrong) })
  const { page } = await openApp(`${url}/products-schema?${search}`)
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('the logic at character 13').waitFor()
  expect(await page.locator('.cm-lintRange-error').innerText()).toBe(')')

  await page
    .getByRole('textbox', { name: 'Query, as JSON' })
    .fill('{"type": "the_page", "inpage": "x"}')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('want a whole number').waitFor()
  const marked = page.locator('.cm-lintRange-error').first()
  await expect.poll(() => marked.innerText()).toBe('"inpage"')

  await page.getByRole('textbox', { name: 'Query, as JSON' }).fill('{"type": ')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('The query is not valid JSON').waitFor()
})
