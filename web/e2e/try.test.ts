import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer } from '../client/test/server.ts'
import { profile } from './browser.ts'
import { startWeft } from './weft.ts'

/** The address of a server with the sample words. No test writes to it. */
let withWords = ''
let end: () => Promise<void>
beforeAll(async () => {
  const weft = await startWeft((cleanUp) => {
    end = cleanUp
  })
  await weft.kill()
  await weft.start(['--sample-words'])
  withWords = weft.url
})
afterAll(() => end())

test('answers a question in plain English and shows its query', async () => {
  const page = await openTryBox(withWords)
  await ask(page, 'What is a dog?')
  await page.getByRole('heading', { level: 2, name: 'dog', exact: true }).waitFor()
  await page.getByText('a member of the genus Canis').first().waitFor()
  await page.getByText('Understood as: what a word means, for “dog”.').waitFor()
  await page.getByText('words of WordNet, so a word or a relation may be missing').waitFor()
  await page.getByText(`curl -s ${new URL(page.url()).origin}/api/freeschema-query`).waitFor()
  await page.getByText('Query for this question').click()
  const query = JSON.parse(
    await page.getByRole('region', { name: 'Query', exact: true }).innerText(),
  )
  expect(query).toMatchObject({ type: 'the_word', filters: [{ search: 'dog' }] })
  const editorLink = page.getByRole('link', { name: 'Open in the query editor' })
  const address = new URL((await editorLink.getAttribute('href')) ?? '', page.url())
  expect(address.pathname).toBe('/products-schema')
  expect(JSON.parse(address.searchParams.get('query') ?? '')).toEqual(query)

  await ask(page, 'Are dogs mammals?')
  await page.getByRole('heading', { name: /^Yes: / }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 2, name: 'dog', exact: true }).waitFor()
  expect(await page.getByLabel('Your question').inputValue()).toBe('What is a dog?')
})

test('explains which part of a question was not understood, and offers examples', async () => {
  const page = await openTryBox(withWords)
  await ask(page, 'words that start quickly')
  await page.getByText('“words that start” was understood').waitFor()
  await ask(page, 'what is a blorf')
  await page.getByText('the word “blorf” was not found').waitFor()
  await page.getByRole('link', { name: 'Kinds of dog', exact: true }).click()
  await page.getByRole('heading', { name: /direct kinds of “dog”/ }).waitFor()
})

test('every offered example question has a result in the sample words', async () => {
  const page = await openTryBox(withWords)
  const offers = page.locator('#try-box').getByRole('link')
  await offers.first().waitFor()
  const questions = await offers.allTextContents()
  expect(questions.length).toBeGreaterThan(12)
  for (const question of questions) {
    await ask(page, question)
    await page.getByText('Query for this question').waitFor()
    const heading = await page.getByRole('heading', { level: 2 }).first().textContent()
    expect(heading, question).not.toMatch(/^(No|Nothing) /)
    await page.goto(new URL('/try-ai', page.url()).href)
  }
})

test('explains how to import words when the server has none', async () => {
  const page = await openTryBox(await startServer())
  await page.getByRole('heading', { name: 'This server has no words yet' }).waitFor()
})

async function openTryBox(url: string): Promise<Page> {
  const page = await (await profile()).newPage()
  await page.goto(`${url}/try-ai`)
  return page
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Your question').fill(question)
  await page.keyboard.press('Enter')
}
