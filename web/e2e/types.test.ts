import { test } from 'vitest'
import { expectSound, openApp } from './app.ts'
import { startWeft } from './weft.ts'

test('the tree of types goes up to the root, and a type tells of its instances', async () => {
  const { url } = await startWeft()
  const app = await openApp(`${url}/products-base-ontology`)
  const { page } = app
  const tree = page.getByRole('navigation', { name: 'Types' })
  await tree.getByRole('button', { name: 'root 5' }).waitFor()
  await tree.getByRole('button', { name: /^the_page_slug \d/ }).click()
  await page.getByText('Its own type is the word “slug”.').waitFor()
  await tree.getByRole('button', { name: /^the_page \d/ }).click()
  await page.getByText(/^\d+ instances\. The newest/).waitFor()
  await expectSound(app)
  await page.getByRole('textbox').last().fill('nobody_made_this')
  await page.keyboard.press('Enter')
  await page.getByText('This store has no type named “the_nobody_made_this”.').waitFor()
})
