import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { pressEnter } from '../../e2e/app.ts'
import { profile } from '../../e2e/browser.ts'
import { addNote, focusedName, openNotes } from './notes.ts'

test('shows a refused edit of a deleted note after a reload, and keeps it as a new note', async () => {
  const { mine, refused } = await editDeletedNote()
  await refused.getByText('changed offline').waitFor()
  await refused.getByText('This note was deleted before your change was sent.').waitFor()
  expect(await mine.locator('.notes').innerText()).not.toContain('ghost')
  await mine.reload()
  await refused.getByText('changed offline').waitFor()

  await pressEnter(refused.getByRole('button', { name: 'Keep as a new note' }))
  await mine.getByRole('checkbox', { name: 'changed offline' }).waitFor()
  await mine.getByText('All changes are on the server.').waitFor()
  await expect.poll(() => refused.count()).toBe(0)
  await expect.poll(() => focusedName(mine)).toBe('Edit: changed offline')
})

test('retries and discards a refused edit of a deleted note', async () => {
  const { mine, refused } = await editDeletedNote()
  await refused.getByRole('button', { name: 'Retry' }).click()
  await pressEnter(refused.getByRole('button', { name: 'Discard' }))
  await mine.getByText('All changes are on the server.').waitFor()
  await mine.getByText('No notes yet.').waitFor()
  await expect.poll(() => focusedName(mine)).toBe('New note')
})

test('marks a refused note in the list', async () => {
  const page = await openNotes(
    await profile(),
    await startServer('--anonymous-writes', '--max-body=1200'),
  )
  await addNote(page, 'long '.repeat(190))
  await page.getByText('The server rejected this note: it is too large.').waitFor()
  expect(await page.getByRole('listitem').filter({ hasText: 'Discard' }).count()).toBe(1)
})

/** Edits a note offline while another browser deletes it, and reconnects. */
async function editDeletedNote() {
  const url = await startServer()
  const [myProfile, theirProfile] = [await profile(), await profile()]
  const [mine, theirs] = [await openNotes(myProfile, url), await openNotes(theirProfile, url)]
  await addNote(mine, 'a note')
  await theirs.getByRole('checkbox', { name: 'a note' }).waitFor()
  await mine.getByText('All changes are on the server.').waitFor()

  await myProfile.setOffline(true)
  await mine.getByText('Offline. You can keep writing.').waitFor()
  await mine.getByRole('button', { name: 'Edit: a note' }).click()
  await mine.getByRole('textbox', { name: 'Edit note' }).fill('changed offline')
  await mine.keyboard.press('Enter')
  await theirs.getByRole('button', { name: 'Delete: a note' }).click()
  await theirs.getByText('All changes are on the server.').waitFor()
  await myProfile.setOffline(false)
  return { mine, refused: mine.getByRole('list', { name: 'Refused changes' }) }
}
