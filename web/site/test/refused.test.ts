import { expect, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { profile } from '../../e2e/browser.ts'
import { focused, openNotes, write } from './notes.ts'

test('an edit of a note that was deleted meanwhile is shown, over reloads, and can be kept', async () => {
  const { mine, refused } = await edited()
  await refused.getByText('changed offline').waitFor()
  await refused.getByText('Somebody deleted this note before your change arrived.').waitFor()
  expect(await mine.locator('.notes').innerText()).not.toContain('ghost')
  await mine.reload()
  await refused.getByText('changed offline').waitFor()

  await refused.getByRole('button', { name: 'Keep as a new note' }).press('Enter')
  await mine.getByRole('checkbox', { name: 'changed offline' }).waitFor()
  await mine.getByText('Everything is on the server.').waitFor()
  expect(await refused.count()).toBe(0)
  expect(await focused(mine)).toBe('Edit: changed offline')
})

test('an edit of a note that was deleted meanwhile can be sent again, and forgotten', async () => {
  const { mine, refused } = await edited()
  await refused.getByRole('button', { name: 'Retry' }).click()
  await refused.getByRole('button', { name: 'Discard' }).press('Enter')
  await mine.getByText('Everything is on the server.').waitFor()
  await mine.getByText('No notes yet.').waitFor()
  expect(await focused(mine)).toBe('New note')
})

test('a note that the server refused says so in the list', async () => {
  const page = await openNotes(
    await profile(),
    await startServer('--anonymous-writes', '--max-body=1200'),
  )
  await write(page, 'long '.repeat(190))
  await page.getByText('The server did not take this note: it is too large.').waitFor()
  expect(await page.getByRole('listitem').filter({ hasText: 'Discard' }).count()).toBe(1)
})

/** A browser that came back with an edit of a note that was deleted by another one. */
async function edited() {
  const url = await startServer()
  const [here, there] = [await profile(), await profile()]
  const [mine, theirs] = [await openNotes(here, url), await openNotes(there, url)]
  await write(mine, 'a note')
  await theirs.getByRole('checkbox', { name: 'a note' }).waitFor()
  await mine.getByText('Everything is on the server.').waitFor()

  await here.setOffline(true)
  await mine.getByText('Offline.').waitFor()
  await mine.getByRole('button', { name: 'Edit: a note' }).click()
  await mine.getByRole('textbox', { name: 'Edit note' }).fill('changed offline')
  await mine.keyboard.press('Enter')
  await theirs.getByRole('button', { name: 'Delete: a note' }).click()
  await theirs.getByText('Everything is on the server.').waitFor()
  await here.setOffline(false)
  return { mine, refused: mine.getByRole('list', { name: 'Refused changes' }) }
}
