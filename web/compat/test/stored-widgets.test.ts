import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, tokenOf } from '../../client/test/server.ts'
import { profile } from '../../e2e/browser.ts'
import { main as buildPackage } from '../build.ts'
import { openOn } from './session.ts'

// Tests stored widgets in Chromium with the built package.

const folder = mkdtempSync(join(tmpdir(), 'weft-widgets-'))
let origin = ''

beforeAll(async () => {
  await buildPackage([folder])
  const server = createServer(({ url = '/' }, response) => {
    const isScript = url.endsWith('.js')
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isScript ? readFileSync(join(folder, url)) : '<!doctype html><div id="app"></div>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => rmSync(folder, { recursive: true }))

type Compat = ReturnType<typeof openOn>

/** Stores a record with a link to each of its values. */
async function store(compat: Compat, type: string, fields: Record<string, string>, access = 4) {
  const record = await compat.MakeTheInstanceConcept(type, '', true, 999, access)
  for (const [field, value] of Object.entries(fields)) {
    const leaf = await compat.MakeTheInstanceConceptLocal(field, value, false, 999, access)
    await compat.CreateConnection(record, leaf, `${type}_${field}`)
  }
  return record
}

/** Stores a widget with a child, and returns its id. */
async function storeWidget(compat: Compat): Promise<number> {
  const widget = await store(compat, 'the_widget', {
    name: 'Main',
    html: '<h1>Hello</h1><div id="slot" class="added-widget-container"></div><img src=x onerror="document.title=1">',
    css: 'h1 { color: rgb(1, 2, 3) }',
    before_render: 'document.title = "run"; this.render()',
  })
  const child = await store(compat, 'the_widget', { name: 'Child', html: '<b>inside</b>' })
  const place = await store(compat, 'the_child_widget', { wrapper: 'slot' })
  await compat.CreateConnection(place, child, 'the_child_widget_info')
  await compat.CreateConnection(widget, place, 'the_widget_s_child')
  await compat.LocalSyncData.SyncDataOnline()
  return widget.id
}

/** Calls the package in a page, as a user. */
async function call(page: Page, server: string, token: string, code: string): Promise<any> {
  await page.goto(origin)
  const address = JSON.stringify([server, token])
  // The code is passed as a string, because the test runner would replace the import in a function.
  return page.evaluate(`(async () => {
    const library = await import('/index.js')
    const [server, token] = ${address}
    await library.init(server, '', token)
    const app = document.querySelector('#app')
    ${code}
  })()`)
}

test('a stored widget is shown with its children and its CSS, and untrusted code does not run', async () => {
  const server = await startServer()
  const token = await tokenOf(server, 'ann')
  const id = await storeWidget(openOn(server, token))
  const page = await (await profile()).newPage()
  const render = `const widget = await library.renderWidget(${id}, app, { a: 1 }); return widget.data`
  expect(await call(page, server, token, render)).toEqual({ a: 1 })
  const heading = page.getByRole('heading', { name: 'Hello' })
  await heading.waitFor()
  expect(await heading.evaluate((h) => getComputedStyle(h).color)).toBe('rgb(1, 2, 3)')
  await page.locator('#slot').getByText('inside').waitFor()
  expect(await page.title()).toBe('')

  const tree = `const tree = await library.getWidgetFromId(${id}); return [tree.name, tree.before_render, tree.children.map((c) => [c.name, c.wrapper])]`
  expect(await call(page, server, token, tree)).toEqual([
    'Main',
    'document.title = "run"; this.render()',
    [['Child', 'slot']],
  ])
})

/** Starts a server whose first user may write code that runs in pages. Returns its address and a token of that user. */
async function startTrusting(): Promise<[server: string, token: string]> {
  const first = await tokenOf(await startServer(), 'ann')
  const { sub } = JSON.parse(atob(first.split('.')[1] ?? '')) as { sub: string }
  const server = await startServer('--anonymous-writes', '--trusted-owners', sub)
  return [server, await tokenOf(server, 'ann')]
}

test('the code of a trusted widget has the names of the package and the members of the contract', async () => {
  const [server, token] = await startTrusting()
  const compat = openOn(server, token)
  const fields = {
    name: 'Trusted',
    html: '<p class="note">before</p>',
    type: 'the_person_name',
    before_render: `
      const note = await tsccs.CreateTheCompositionLocal({ the_note: { text: 'by code' } })
      const person = await tsccs.MakeTheInstanceConceptLocal('the_person', '', true, 999, 5)
      const name = await tsccs.MakeTheInstanceConceptLocal('the_name', 'Ann', false, 999, 5)
      await this.CreateConnectionBetweenEntityLocal(person, name, 'name')
      await tsccs.LocalSyncData.SyncDataOnline()
      const { the_note } = await tsccs.GetComposition(note.id)
      await this.setProperty('the_person_name')
      const values = this.typeValueList.map(({ text }) => text)
      const user = await this.getUserId()
      const element = this.getElement() === this.getComponent() && this.getElement() === this.element
      this.getElementByClassName('note')[0].textContent =
        JSON.stringify([the_note.text, values, user, element, typeof tsccs.renderWidget, typeof this.after_render])
    `,
  }
  const { id } = await store(compat, 'the_widget', fields, 5)
  await compat.LocalSyncData.SyncDataOnline()
  const page = await (await profile()).newPage()
  const profileItem = `localStorage.setItem('profile', JSON.stringify({ userId: 7 }))`
  await call(page, server, token, `${profileItem}; await library.renderWidget(${id}, app)`)
  await expect
    .poll(() => page.locator('#app').textContent())
    .toBe(JSON.stringify(['by code', ['Ann'], 7, true, 'function', 'function']))
})

/** Stores a widget, with a documentation text. */
async function storeDocumented(compat: Compat, name: string, html: string) {
  const widget = await store(compat, 'the_widget', { name, html })
  const documentation = await store(compat, 'the_documentation', { text: `How to use ${name}` })
  await compat.CreateConnection(widget, documentation, 'the_widget_documentation')
  return widget
}

test('every widget with documentation, including children, has a button that opens the documentation', async () => {
  const server = await startServer()
  const token = await tokenOf(server, 'ann')
  const compat = openOn(server, token)
  const slot = '<div id="slot" class="added-widget-container"></div>'
  const main = await storeDocumented(compat, 'Main', `<p>main</p>${slot}`)
  const child = await storeDocumented(compat, 'Child', '<b>inside</b>')
  const place = await store(compat, 'the_child_widget', { wrapper: 'slot' })
  await compat.CreateConnection(place, child, 'the_child_widget_info')
  await compat.CreateConnection(main, place, 'the_widget_s_child')
  await compat.LocalSyncData.SyncDataOnline()
  const page = await (await profile()).newPage()
  const buttons = page.locator('.widget-documentation-btn')

  await call(page, server, token, `await library.renderWidget(${main.id}, app, {}, false)`)
  await page.getByText('inside').waitFor()
  expect(await buttons.count()).toBe(0)
  const imported = `await library.importLatestWidget(${main.id}); await library.renderImportedWidget(${main.id}, app)`
  await call(page, server, token, imported)
  await page.getByText('inside').waitFor()
  expect(await buttons.count()).toBe(0)

  await call(page, server, token, `await library.renderWidget(${main.id}, app)`)
  await expect.poll(() => buttons.count()).toBe(2)
  for (const [button, other] of [
    ['Documentation of Child', 'Main'],
    ['Documentation', 'Child'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Documentation' })
    await dialog.getByText('How to use').waitFor()
    expect(await dialog.textContent()).not.toContain(`How to use ${other}`)
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await expect.poll(() => dialog.count()).toBe(0)
  }
})

// Only the operator and admins publish pages, so the test uses a page of the built-in site.
test('a stored page is shown with its title and its text', async () => {
  const server = await startServer()
  const { page: stored } = (await (await fetch(`${server}/api/v1/pages?slug=/about`)).json()) as {
    page: { id: number; title: string; metaTitle: string }
  }
  const page = await (await profile()).newPage()
  await call(page, server, '', `await library.renderPage(${stored.id}, app)`)
  await page.locator('#app.fspage').getByRole('heading').first().waitFor()
  expect(await page.title()).toBe(stored.metaTitle || stored.title)
  expect(stored.title).not.toBe('')
})

test('a missing widget and a missing page are shown as invalid', async () => {
  const server = await startServer()
  const page = await (await profile()).newPage()
  const text = (code: string) => call(page, server, '', `${code}; return app.textContent`)
  expect(await text('await library.renderLatestWidget(4242, app)')).toBe(
    "Invalid or Widget doesn't exist",
  )
  expect(await text('await library.renderPage(4242, app)')).toBe("Invalid or Page doesn't exist")
})
