import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectNoPageDefects, openApp } from './app.ts'
import { startWeft } from './weft.ts'

const address = '/products-english-language-ontology'

test('finds words while typing, follows related meanings, and keeps the position in the address', async () => {
  const app = await openApp(`${await startWordsServer()}${address}`)
  const { page } = app
  await page.getByText(/There are \d+ words/).waitFor()
  const field = page.getByRole('searchbox', { name: 'Look up an English word' })
  await field.fill('dog')
  await expect.poll(() => foundWords(page)).toEqual(['dog', 'Dogland', 'doglike'])
  await page.getByLabel('Anywhere in the word').check()
  await expect.poll(() => foundWords(page)).toContain('domestic dog')
  await field.press('ArrowDown')
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'dog', exact: true }).waitFor()
  await page.getByRole('link', { name: 'the animal that barks' }).waitFor()
  await page.getByText('the dog slept by the door').waitFor()
  expect(new URL(page.url()).search).toBe('?word=dog')
  await expectNoPageDefects(app)

  await page.getByRole('link', { name: 'canid, canine' }).click()
  await page.getByRole('heading', { name: 'canid', exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('sense')).toMatch(/^canid%1:/)
  await page.getByRole('navigation', { name: 'Recent words' }).getByText('dog').click()
  await page.getByRole('heading', { name: 'dog', exact: true }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'canid', exact: true }).waitFor()
})

test('draws related meanings, and adds the meanings related to a selected one', async () => {
  const { page } = await openApp(`${await startWordsServer()}${address}?word=dog`)
  await page.getByText('All 7 concepts').click()
  await page.getByRole('button', { name: 'canid, canine Meanings' }).click()
  await page.locator('.weft-graph-here').getByText('canid, canine').waitFor()
  await expect
    .poll(async () => Number(/\d+/.exec(await page.getByText(/^All \d+/).innerText())))
    .toBeGreaterThan(7)
  await page.getByRole('link', { name: 'Look up “canid”' }).click()
  await page.getByRole('heading', { name: 'canid', exact: true }).waitFor()
})

test('explains how to import words when the server has none', async () => {
  const { url } = await startWeft()
  const app = await openApp(url + address)
  await app.page.getByText('This server has no words yet').waitFor()
  await app.page.getByText('make wordnet', { exact: true }).first().waitFor()
  await expectNoPageDefects(app)
})

const foundWords = (page: Awaited<ReturnType<typeof openApp>>['page']) =>
  page.getByRole('list', { name: 'Words' }).getByRole('link').allInnerTexts()

/** Starts a server with a slice of WordNet. */
async function startWordsServer(): Promise<string> {
  const weft = await startWeft()
  await weft.kill()
  const files = join(import.meta.dirname, '../../internal/dataset/wordnet/testdata/slice')
  execFileSync(join(import.meta.dirname, '../../bin/weft'), [
    'import',
    'wordnet',
    files,
    '--data',
    weft.data,
  ])
  await weft.start()
  return weft.url
}
