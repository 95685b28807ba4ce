import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { profile } from '../../e2e/browser.ts'
import { focused, openNotes, write } from './notes.ts'

test('Undo gives the focus to the note it brought back', async () => {
  const page = await notes('three', 'two', 'one')
  await page.getByRole('button', { name: 'Delete: two' }).press('Enter')
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox', { name: 'two' }).waitFor()
  await expect.poll(() => focused(page)).toBe('Edit: two')
})

test('when Undo leaves, the focus goes to the neighbour of what was deleted, or to the input', async () => {
  const page = await notes('three', 'two', 'one')
  for (const [gone, next] of [
    ['Delete: two', 'Edit: three'],
    ['Delete: three', 'Edit: one'],
    ['Delete: one', 'New note'],
  ] as const) {
    await page.getByRole('button', { name: gone }).press('Enter')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.clock.fastForward(10_000)
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe(next)
  }
})

test('an edit ends at its note, unless the reader has gone elsewhere', async () => {
  const page = await notes('two', 'one')
  await page.getByRole('button', { name: 'Edit: one' }).press('Enter')
  await page.getByRole('textbox', { name: 'Edit note' }).fill('uno')
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('Edit: uno')

  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'New note' }).click()
  await page.getByRole('button', { name: 'Edit: uno' }).waitFor()
  await page.waitForTimeout(100)
  expect(await focused(page)).toBe('New note')
})

test('a note that somebody else deletes leaves the focus to its neighbour', async () => {
  const page = await notes('two', 'one')
  const other = await openNotes(await profile(), new URL(page.url()).origin)
  await page.getByRole('button', { name: 'Delete: one' }).focus()
  await other.getByRole('button', { name: 'Delete: one' }).click()
  await page.getByRole('checkbox', { name: 'one' }).waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('Edit: two')
})

/** A browser with these notes, the last on top, and all of them on the server. */
async function notes(...texts: string[]): Promise<Page> {
  const page = await openNotes(await profile(), await startServer())
  for (const text of texts) await write(page, text)
  await page.getByText('Everything is on the server.').waitFor()
  return page
}
