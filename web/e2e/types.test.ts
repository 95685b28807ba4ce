import { test } from 'vitest'
import { expectNoPageDefects, openApp } from './app.ts'
import { startWeft } from './weft.ts'

test('shows the tree of types from the root, and the instances of a selected type', async () => {
  const { url } = await startWeft()
  const app = await openApp(`${url}/products-base-ontology`)
  const { page } = app
  const tree = page.getByRole('navigation', { name: 'Types' })
  await tree.getByRole('button', { name: 'root 5' }).waitFor()
  await tree.getByRole('button', { name: /^the_page_slug \d/ }).click()
  await page.getByText('of type “slug”.').waitFor()
  await tree.getByRole('button', { name: /^the_page \d/ }).click()
  await page.getByText(/^\d+ instances\. The newest/).waitFor()
  await expectNoPageDefects(app)
  await page.getByRole('textbox').last().fill('missing_type')
  await page.keyboard.press('Enter')
  await page.getByText('This store has no type named “the_missing_type”.').waitFor()
})
