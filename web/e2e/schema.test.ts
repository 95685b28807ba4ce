import { expect, test } from 'vitest'
import { expectSound, openApp } from './app.ts'
import { startWeft } from './weft.ts'

test('an example is run, explained and shared by its address', async () => {
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
  await page.getByRole('region', { name: 'How it was found' }).getByText('the_page_slug').waitFor()
  await expectSound(app)
  await page.getByRole('radio', { name: 'Ids' }).check()
  expect(await page.locator('.schema-ids').innerText()).toMatch(/^\d+, \d+/)

  await page.getByRole('combobox').selectOption('Pages whose address begins with “product”')
  await page.getByRole('button', { name: 'Run' }).click()
  await expect.poll(() => page.url()).toContain('filterLogic')
  const other = await openApp(page.url())
  await other.page.getByRole('button', { name: 'Run' }).click()
  await other.page.getByRole('cell', { name: '/products-concept-editor' }).waitFor()
})

test('what is wrong is said, and marked where it is', async () => {
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
  expect(await page.locator('.cm-lintRange-error').first().innerText()).toBe('"inpage"')

  await page.getByRole('textbox', { name: 'Query, as JSON' }).fill('{"type": ')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('This is not JSON yet').waitFor()
})
