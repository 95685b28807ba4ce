import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServer } from '../client/test/server.ts'
import { profile } from './browser.ts'

test('a question in plain English is answered, with the query that it became', async () => {
  const page = await tryBox('--sample-words')
  await ask(page, 'What is a dog?')
  await page.getByRole('heading', { level: 2, name: 'dog', exact: true }).waitFor()
  await page.getByText('a member of the genus Canis').first().waitFor()
  await page.getByText('The query it became').click()
  const query = JSON.parse(await page.getByRole('region', { name: 'The query' }).innerText())
  expect(query).toMatchObject({ type: 'the_word', filters: [{ search: 'dog' }] })
  const open = page.getByRole('link', { name: 'Open it among the schemas' })
  const address = new URL((await open.getAttribute('href')) ?? '', page.url())
  expect(address.pathname).toBe('/products-schema')
  expect(JSON.parse(address.searchParams.get('query') ?? '')).toEqual(query)

  await ask(page, 'Are dogs mammals?')
  await page.getByRole('heading', { name: /^Yes: / }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 2, name: 'dog', exact: true }).waitFor()
  expect(await page.getByLabel('Your question').inputValue()).toBe('What is a dog?')
})

test('what was not understood is said, and what can be asked is offered', async () => {
  const page = await tryBox('--sample-words')
  await ask(page, 'words that start quickly')
  await page.getByText('“words that start” was understood').waitFor()
  await ask(page, 'what is a blorf')
  await page.getByText('no word here is spelled “blorf”').waitFor()
  await page.getByRole('link', { name: 'Kinds of dog', exact: true }).click()
  await page.getByRole('heading', { name: /kinds right below “dog”/ }).waitFor()
})

test('whatever is offered finds something among the sample words', async () => {
  const page = await tryBox('--sample-words')
  const offers = page.locator('#try-box').getByRole('link')
  await offers.first().waitFor()
  const questions = await offers.allTextContents()
  expect(questions.length).toBeGreaterThan(12)
  for (const question of questions) {
    await ask(page, question)
    await page.getByText('The query it became').waitFor()
    const said = await page.getByRole('heading', { level: 2 }).first().textContent()
    expect(said, question).not.toMatch(/^(No|Nothing) /)
    await page.goto(new URL('/try-ai', page.url()).href)
  }
})

test('a server without words says how they come in', async () => {
  const page = await tryBox('--anonymous-writes')
  await page.getByRole('heading', { name: 'There are no words here to ask about' }).waitFor()
})

async function tryBox(...flags: string[]): Promise<Page> {
  const url = await startServer(...flags)
  const page = await (await profile()).newPage()
  await page.goto(`${url}/try-ai`)
  return page
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Your question').fill(question)
  await page.keyboard.press('Enter')
}
