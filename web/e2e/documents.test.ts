import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type AppPage, expectNoPageDefects, openApp } from './app.ts'
import { startWeft } from './weft.ts'

const address = '/products-document-management-system'

/** A PNG of one pixel. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('asks guests to sign in, with a link that leads back', async () => {
  const { url } = await startWeft()
  const app = await openApp(url + address)
  const signInLink = app.page.getByRole('region', { name: 'Your documents' }).getByRole('link')
  await signInLink.waitFor()
  await expectNoPageDefects(app)
  await signInLink.click()
  await app.page.waitForURL(`**/login?next=${encodeURIComponent(address)}`)
})

test('uploads, finds, opens and deletes files, and shows why a file is rejected', async () => {
  const { url } = await startWeft()
  const app = await openSignedIn(url)
  const { page } = app
  await page.getByText('No documents yet').waitFor()
  await page.setInputFiles('#documents-files', [
    { name: 'care of madder.txt', mimeType: 'text/plain', buffer: Buffer.from('Dry them.\n') },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\n') },
    { name: 'knot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') },
    { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') },
  ])
  await page.getByText('3 files').waitFor()
  await page.getByRole('alert').getByText('Invalid File Format').waitFor()
  await expectNoPageDefects(app)
  await page.getByRole('button', { name: 'Dismiss' }).click()

  await page.getByLabel('Find by name').fill('madder')
  await page.getByText('1 of 3 files').waitFor()
  const href = await page.getByRole('link', { name: 'care of madder.txt' }).getAttribute('href')
  expect(await (await fetch(url + href)).text()).toBe('Dry them.\n')

  await page.getByRole('button', { name: 'Delete care of madder.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Delete care of madder.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => page.getByText('care of madder.txt').count()).toBe(0)
  await expect.poll(async () => (await fetch(url + href)).status).toBe(404)
})

test('uploads dropped and pasted files, and cancels an upload', async () => {
  const { url } = await startWeft()
  const { page } = await openSignedIn(url)
  await page.getByText('No documents yet').waitFor()
  await addFile(page, 'drop', 'dropped.txt')
  await page.getByRole('link', { name: 'dropped.txt' }).waitFor()
  await addFile(page, 'paste', 'pasted.txt')
  await page.getByRole('link', { name: 'pasted.txt' }).waitFor()

  await page.route('**/api/Image/UploadFile', () => {}) // the server never responds
  await addFile(page, 'drop', 'cancelled.txt')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => page.getByText('cancelled.txt').count()).toBe(0)
})

/** Creates an account, signs in and opens the documents page. */
async function openSignedIn(url: string): Promise<AppPage> {
  const body = JSON.stringify({ email: 'ann@example.org', password: 'correct horse' })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${url}/api/auth/signup`, { method: 'POST', headers, body })
  const app = await openApp(`${url}/login?next=${encodeURIComponent(address)}`)
  await app.page.getByLabel('E-mail').fill('ann@example.org')
  await app.page.getByLabel('Password', { exact: true }).fill('correct horse')
  await app.page.getByRole('button', { name: 'Sign in' }).click()
  await app.page.waitForURL(`**${address}`)
  return app
}

/** Dispatches a drop or paste event with a text file. */
const addFile = (page: Page, kind: 'drop' | 'paste', name: string) =>
  page.evaluate(
    ([kind, name]) => {
      const files = new DataTransfer()
      files.items.add(new File(['a text'], name, { type: 'text/plain' }))
      const event =
        kind === 'drop'
          ? new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: files, bubbles: true })
      document.querySelector('.documents-drop')?.dispatchEvent(event)
    },
    [kind, name] as const,
  )
