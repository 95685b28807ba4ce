import { expect, onTestFinished, test } from 'vitest'
import { adminOf } from './admin.ts'
import { expectNoPageDefects, openApp, pressEnter } from './app.ts'
import { profile } from './browser.ts'
import { startWeft } from './weft.ts'

test('edits a widget with a live preview, saves, compares, publishes and rolls back, by keyboard alone', async () => {
  const { url } = await startSite()
  const visitor = await (await profile()).newPage()
  await visitor.goto(`${url}/about?live`)
  const app = await openConsole(url, '/content/about')
  const { page } = app
  await page.getByText('The widget has no code: HTML and CSS only.').waitFor()
  const preview = page.frameLocator('iframe')
  await preview.getByRole('heading', { level: 1, name: 'About Weft' }).waitFor()

  const editor = page.getByRole('textbox', { name: 'widget.html of About' })
  await editor.focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('<p>Woven today.</p>')
  await preview.getByText('Woven today.').waitFor()
  expect(await visitor.getByText('Woven today.').count()).toBe(0)
  await page.reload()
  await preview.getByText('Woven today.').waitFor()

  await pressEnter(page.getByRole('button', { name: 'Save version' }))
  await page
    .getByRole('combobox', { name: 'Version' })
    .getByText(/^Version 1, /)
    .waitFor({ state: 'attached' })
  await pressEnter(page.getByRole('button', { name: 'Publish', exact: true }))
  await visitor.getByText('Woven today.').waitFor()

  await pressEnter(page.getByRole('button', { name: /^Versions/ }))
  await page.getByRole('heading', { name: 'From version 0 to version 1' }).waitFor()
  await page
    .getByRole('textbox', { name: 'Differences in widget.html' })
    .getByText('Woven today.')
    .waitFor()
  await expectNoPageDefects(app)

  await pressEnter(page.getByRole('button', { name: 'Publish version 0' }))
  await visitor.getByText('Woven today.').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+z')
  await visitor.getByText('Woven today.').waitFor()
})

test('keeps edits when another version was saved in the meantime', async () => {
  const { url, token } = await startSite()
  const { page } = await openConsole(url, '/content/about?file=widget.css')
  await page.getByRole('textbox', { name: 'widget.css of About' }).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('h1 { color: red }')
  await page.getByRole('button', { name: 'Save version' }).waitFor()
  await saveElsewhere(url, token)
  await page.getByText('Version 1 was saved while you were editing version 0.').waitFor()
  await pressEnter(page.getByRole('button', { name: 'Keep mine' }))
  await page
    .getByRole('combobox', { name: 'Version' })
    .getByText(/^Version 2, /)
    .waitFor({ state: 'attached' })
})

test('lists pages and widgets, and edits the settings of a page with undo', async () => {
  const { url } = await startSite()
  const app = await openConsole(url, '/content')
  const { page } = app
  await page.getByRole('link', { name: 'About', exact: true }).first().waitFor()
  await expectNoPageDefects(app)
  await page.goto(`${url}/console/content/pages/about`)
  const title = page.getByRole('textbox', { name: 'Title', exact: true })
  await title.fill('About us')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'About us' }).waitFor()
  // The form keeps the focus after saving.
  expect(await title.evaluate((field) => field === document.activeElement)).toBe(true)
  await expectNoPageDefects(app)
  await page.getByRole('link', { name: '/about' }).focus()
  await page.keyboard.press('Control+z')
  await page.getByRole('heading', { level: 1, name: 'About', exact: true }).waitFor()
  await page.goto(`${url}/console/content/nothing`)
  await page.getByText('There is no widget "nothing".').waitFor()
})

async function startSite() {
  const weft = await startWeft()
  return { url: weft.url, token: await adminOf(weft) }
}

async function openConsole(url: string, path: string) {
  const app = await openApp(`${url}/console${path}`)
  await app.page.getByLabel('E-mail').fill('ann@example.org')
  await app.page.getByLabel('Password', { exact: true }).fill('correct horse')
  await app.page.keyboard.press('Enter')
  onTestFinished(() => app.page.close())
  return app
}

/** Saves a version of the page About, as another tab does. */
async function saveElsewhere(url: string, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const read = await fetch(`${url}/api/v1/content/widget?name=about`)
  const { files } = (await read.json()) as { files: Record<string, string> }
  files['widget.html'] += '<p>Meanwhile.</p>'
  const body = JSON.stringify({ name: 'about', base: 0, files })
  const saved = await fetch(`${url}/api/v1/content/widget`, { method: 'POST', headers, body })
  expect(saved.status).toBe(200)
}
