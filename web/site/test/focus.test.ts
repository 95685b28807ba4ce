import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { profile } from '../../e2e/browser.ts'
import { addNote, focusedName, openNotes } from './notes.ts'

test('Undo focuses the restored note', async () => {
  const page = await openWithNotes('three', 'two', 'one')
  await page.getByRole('button', { name: 'Delete: two' }).press('Enter')
  await page.getByRole('button', { name: 'Undo' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox', { name: 'two' }).waitFor()
  await expect.poll(() => focusedName(page)).toBe('Edit: two')
})

test('focuses the next note, or the input, when the Undo button disappears', async () => {
  const page = await openWithNotes('three', 'two', 'one')
  for (const [deleteButton, focusedNext] of [
    ['Delete: two', 'Edit: three'],
    ['Delete: three', 'Edit: one'],
    ['Delete: one', 'New note'],
  ] as const) {
    await page.getByRole('button', { name: deleteButton }).press('Enter')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.clock.fastForward(10_000)
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    await expect.poll(() => focusedName(page)).toBe(focusedNext)
  }
})

test('focuses the edited note after saving, unless the reader has focused another element', async () => {
  const page = await openWithNotes('two', 'one')
  await page.getByRole('button', { name: 'Edit: one' }).press('Enter')
  await page.getByRole('textbox', { name: 'Edit note' }).fill('uno')
  await page.keyboard.press('Enter')
  await expect.poll(() => focusedName(page)).toBe('Edit: uno')

  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'New note' }).click()
  await page.getByRole('button', { name: 'Edit: uno' }).waitFor()
  await page.waitForTimeout(100) // a focus that moves too late would move now
  expect(await focusedName(page)).toBe('New note')
})

test('focuses the next note when another browser deletes the focused one', async () => {
  const page = await openWithNotes('two', 'one')
  const other = await openNotes(await profile(), new URL(page.url()).origin)
  await page.getByRole('button', { name: 'Delete: one' }).focus()
  await other.getByRole('button', { name: 'Delete: one' }).click()
  await page.getByRole('checkbox', { name: 'one' }).waitFor({ state: 'detached' })
  await expect.poll(() => focusedName(page)).toBe('Edit: two')
})

/** Opens the demo with these notes, the last one on top, and waits until they are synced. */
async function openWithNotes(...texts: string[]): Promise<Page> {
  const page = await openNotes(await profile(), await startServer())
  for (const text of texts) await addNote(page, text)
  await page.getByText('All changes are on the server.').waitFor()
  return page
}
