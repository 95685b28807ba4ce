import type { Locator } from 'playwright-core'
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

  const save = page.getByRole('button', { name: 'Save version' })
  await pressEnter(save)
  await page
    .getByRole('combobox', { name: 'Version' })
    .getByText(/^Version 1, /)
    .waitFor({ state: 'attached' })
  await expectFocus(save)
  await page.keyboard.press('Tab')
  const publish = page.getByRole('button', { name: 'Publish', exact: true })
  await expectFocus(publish)
  await page.keyboard.press('Enter')
  await visitor.getByText('Woven today.').waitFor()
  await expect.poll(() => publish.getAttribute('aria-disabled')).toBe('true')
  await expectFocus(publish)

  await pressEnter(page.getByRole('button', { name: /^Versions/ }))
  await page.getByRole('heading', { name: 'From version 0 to version 1' }).waitFor()
  await page
    .getByRole('textbox', { name: 'Differences in widget.html' })
    .getByText('Woven today.')
    .waitFor()
  await expectNoPageDefects(app)

  // The button is named “Published version 0” once the version is published.
  const publishFirst = page.getByRole('button', { name: /^Publish(ed)? version 0$/ })
  await pressEnter(publishFirst)
  await visitor.getByText('Woven today.').waitFor({ state: 'detached' })
  await expect.poll(() => publishFirst.getAttribute('aria-disabled')).toBe('true')
  await expectFocus(publishFirst)
  await page.keyboard.press('Control+z')
  await visitor.getByText('Woven today.').waitFor()
})

test('keeps edits when another version was saved in the meantime, by keyboard alone', async () => {
  const { url, token } = await startSite()
  const app = await openConsole(url, '/content/about?file=widget.css')
  const { page } = app
  await page.getByRole('textbox', { name: 'widget.css of About' }).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('h1 { color: red }')
  const save = page.getByRole('button', { name: 'Save version' })
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe(null)
  await saveElsewhere(url, token, 0)
  await page.getByText('Version 1 was saved while you were editing version 0.').waitFor()
  await expectNoPageDefects(app)
  await pressEnter(page.getByRole('button', { name: 'Keep mine' }))
  await page
    .getByRole('combobox', { name: 'Version' })
    .getByText(/^Version 2, /)
    .waitFor({ state: 'attached' })
  await expectFocus(save)

  const editor = page.getByRole('textbox', { name: 'widget.css of About' })
  await editor.focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('h2 { color: blue }')
  await expect.poll(() => editor.innerText()).toContain('h2 { color: blue }') // outside an editor, the key u opens the list of changes
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe(null)
  await saveElsewhere(url, token, 2)
  await page.getByText('Version 3 was saved while you were editing version 2.').waitFor()
  await pressEnter(page.getByRole('button', { name: 'Keep theirs' }))
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
  await expectFocus(save)
  expect(await editor.innerText()).not.toContain('blue')
})

test('sends one request however often the key that saves is pressed, and keeps what is typed meanwhile', async () => {
  const { url } = await startSite()
  const { page } = await openConsole(url, '/content/about?file=widget.css')
  let sent = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/api\/v1\/content\/widget$/, async (route) => {
    sent++
    await held
    await route.continue()
  })
  const save = page.getByRole('button', { name: 'Save version' })
  await page.getByRole('textbox', { name: 'widget.css of About' }).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('h1 { color: red }')
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe(null)
  await page.keyboard.press('Control+s')
  await expect.poll(() => sent).toBe(1)
  await page.keyboard.press('Control+s')
  await page.keyboard.type(' h2 { color: blue }')
  await save.focus()
  await page.keyboard.press('Control+s')
  release()
  await page
    .getByRole('combobox', { name: 'Version' })
    .getByText(/^Version 1, /)
    .waitFor({ state: 'attached' })
  expect(sent).toBe(1)
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe(null)
  const editor = page.getByRole('textbox', { name: 'widget.css of About' })
  expect(await editor.innerText()).toContain('h1 { color: red } h2 { color: blue }')
})

test('keeps the editor and its text if a version cannot be saved without a network', async () => {
  const { url } = await startSite()
  const { page } = await openConsole(url, '/content/about?file=widget.css')
  const editor = page.getByRole('textbox', { name: 'widget.css of About' })
  await editor.focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('h1 { color: red }')
  const save = page.getByRole('button', { name: 'Save version' })
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe(null)
  await page.context().setOffline(true)
  await page.keyboard.press('Control+s')
  await page.getByText('Your edits are kept.').waitFor()
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe(null)
  expect(await editor.innerText()).toContain('h1 { color: red }')
  await page.getByRole('link', { name: 'About', exact: true }).first().waitFor()
  await page.context().setOffline(false)
  await page.keyboard.press('Control+s')
  await page
    .getByRole('combobox', { name: 'Version' })
    .getByText(/^Version 1, /)
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

/** Expects a control to have the keyboard focus. */
async function expectFocus(control: Locator): Promise<void> {
  await expect.poll(() => control.evaluate((one) => one === document.activeElement)).toBe(true)
}

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

/** Saves a version of the widget About that is based on version `base`, as another tab does. */
async function saveElsewhere(url: string, token: string, base: number): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const read = await fetch(`${url}/api/v1/content/widget?name=about`)
  const { files } = (await read.json()) as { files: Record<string, string> }
  files['widget.html'] += '<p>Meanwhile.</p>'
  const body = JSON.stringify({ name: 'about', base, files })
  const saved = await fetch(`${url}/api/v1/content/widget`, { method: 'POST', headers, body })
  expect(saved.status).toBe(200)
}
