import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type AppPage, expectSound, openApp } from './app.ts'
import { startWeft } from './weft.ts'

const address = '/products-document-management-system'

/** The smallest picture there is. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('whoever is not signed in is asked to, and comes back', async () => {
  const { url } = await startWeft()
  const app = await openApp(url + address)
  const sign = app.page.getByRole('region', { name: 'Your documents' }).getByRole('link')
  await sign.waitFor()
  await expectSound(app)
  await sign.click()
  await app.page.waitForURL(`**/login?next=${encodeURIComponent(address)}`)
})

test('files are sent, found by name, opened and removed; others are refused', async () => {
  const { url } = await startWeft()
  const app = await signedIn(url)
  const { page } = app
  await page.getByText('Nothing here yet').waitFor()
  await page.setInputFiles('#documents-files', [
    { name: 'care of madder.txt', mimeType: 'text/plain', buffer: Buffer.from('Dry them.\n') },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\n') },
    { name: 'knot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') },
    { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') },
  ])
  await page.getByText('3 files').waitFor()
  await page.getByRole('alert').getByText('Invalid File Format').waitFor()
  await expectSound(app)
  await page.getByRole('button', { name: 'Close' }).click()

  await page.getByLabel('Find by name').fill('madder')
  await page.getByText('1 of 3 files').waitFor()
  const href = await page.getByRole('link', { name: 'care of madder.txt' }).getAttribute('href')
  expect(await (await fetch(url + href)).text()).toBe('Dry them.\n')

  await page.getByRole('button', { name: 'Remove care of madder.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('button', { name: 'Remove care of madder.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect.poll(() => page.getByText('care of madder.txt').count()).toBe(0)
  expect((await fetch(url + href)).status).toBe(404)
})

test('files are dropped and pasted, and one on its way can be called back', async () => {
  const { url } = await startWeft()
  const { page } = await signedIn(url)
  await page.getByText('Nothing here yet').waitFor()
  await bring(page, 'drop', 'dropped.txt')
  await page.getByRole('link', { name: 'dropped.txt' }).waitFor()
  await bring(page, 'paste', 'pasted.txt')
  await page.getByRole('link', { name: 'pasted.txt' }).waitFor()

  await page.route('**/api/Image/UploadFile', () => {}) // never answered
  await bring(page, 'drop', 'called back.txt')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => page.getByText('called back.txt').count()).toBe(0)
})

/** The documents of somebody who has just signed in. */
async function signedIn(url: string): Promise<AppPage> {
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

/** Brings a file as a hand would. */
const bring = (page: Page, how: 'drop' | 'paste', name: string) =>
  page.evaluate(
    ([how, name]) => {
      const files = new DataTransfer()
      files.items.add(new File(['a text'], name, { type: 'text/plain' }))
      const event =
        how === 'drop'
          ? new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: files, bubbles: true })
      document.querySelector('.documents-drop')?.dispatchEvent(event)
    },
    [how, name] as const,
  )
