import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AppPage,
  expectNoLayerDefects,
  expectNoPageDefects,
  expectNoViolations,
  pressEnter,
} from './app.ts'
import { openAs, password, startWithUsers } from './console-user.ts'
import type { Weft } from './weft.ts'

// Every dialog, menu and editor of the shell, Records, Ask and Operations is opened with the keyboard, has no defect at
// phone width (dark theme) and desktop width (light theme), and returns the focus. Those of the other rooms are checked in the tests of these rooms.

let weft: Weft
let token: string
const ends: (() => Promise<void>)[] = []

beforeAll(async () => {
  // No mail server listens on this port: mails stay in the queue.
  const mail = ['--mail', 'smtp://127.0.0.1:1?tls=none', '--mail-from', 'weft@example.org']
  weft = await startWithUsers(mail, (end) => ends.push(end))
  const response = await fetch(`${weft.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.org', password }),
  })
  token = ((await response.json()) as { data: { token: string } }).data.token
  await send('/api/v1/samples', JSON.stringify({ name: 'shop' }))
})

afterAll(async () => {
  for (const end of ends) await end()
})

async function send(path: string, body: BodyInit): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await fetch(weft.url + path, { method: 'POST', headers, body })
  expect(response.ok).toBe(true)
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first()

/** Opens a layer with a button, checks it, closes it with Escape, and expects the focus to return to the button. */
async function check(app: AppPage, name: string | RegExp): Promise<void> {
  const opener = button(app.page, name)
  await opener.press('Enter')
  await expectNoLayerDefects(app)
  await app.page.keyboard.press('Escape')
  await app.page.locator('dialog[open], :popover-open').waitFor({ state: 'hidden' })
  await expect.poll(() => opener.evaluate((one) => one === document.activeElement)).toBe(true)
}

/** Opens a layer with a key, checks it and closes it. */
async function checkKey(app: AppPage, key: string): Promise<void> {
  await app.page.keyboard.press(key)
  await expectNoLayerDefects(app)
  await app.page.keyboard.press('Escape')
  await app.page.locator('dialog[open]').waitFor({ state: 'hidden' })
}

test('the layers of the shell and of Records have no defects', async () => {
  const app = await openAs(
    weft,
    '/records/the_order?filter=status:is:open&sort=-total',
    'ada@example.org',
  )
  const { page } = app
  await page.locator('#cell-0-0').getByText('A-').waitFor()
  await check(app, /^AD: ada@example.org/)
  for (const key of ['?', 'u', 'Control+k', 'n']) await checkKey(app, key)
  for (const name of [
    'New type',
    'Save view',
    'Export',
    'Add a filter',
    /^Change the filter Status/,
    /^Sort Total/,
    'Group none',
    /^Columns/,
  ])
    await check(app, name)
  // Phones show no column headers, so this menu is checked at one width.
  await button(page, 'Customer, menu').press('Enter')
  await expectNoViolations(app, ':popover-open')
  await page.keyboard.press('Escape')

  await button(page, 'Save view').press('Enter')
  await page.locator('dialog[open] input:focus').waitFor()
  await page.keyboard.type('Open orders')
  await page.keyboard.press('Enter')
  await check(app, 'View Open orders, menu')
  await checkKey(app, 'u')
  await page.setViewportSize({ width: 390, height: 900 })
  await button(page, 'More rooms').press('Enter')
  await expectNoViolations(app, ':popover-open')
})

test('a dialog that was never opened leaves the focus where it is when its room is left', async () => {
  const { page } = await openAs(weft, '/operations/uploads', 'ada@example.org')
  await page.getByRole('link', { name: 'Records', exact: true }).first().press('Enter')
  await button(page, 'New type').waitFor()
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.goBack()
  await button(page, 'New type').waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Uploads' }).waitFor()
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
})

test('a dialog that was closed leaves the focus where it is when its room is left', async () => {
  const { page } = await openAs(weft, '/records', 'ada@example.org')
  await button(page, 'New type').press('Enter')
  await page.locator('dialog[open]').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.evaluate(
    "history.pushState({}, '', '/console/operations/uploads'); dispatchEvent(new PopStateEvent('popstate'))",
  )
  await button(page, 'New type').waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Uploads' }).waitFor()
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
})

const editor = 'input, select, textarea'

test('the editors of a grid have no defects', async () => {
  const app = await openAs(weft, '/records/the_order', 'ada@example.org')
  const { page } = app
  await page.locator('#cell-0-0').getByText('A-').waitFor()
  await page.getByRole('grid').focus()
  const names = ['Number', 'Customer', 'Date', 'Lines', 'Note', 'Status', 'Total']
  for (const [column, name] of names.entries()) {
    // The lines of an order are edited in its record, not in the grid.
    if (name !== 'Lines') {
      await page.keyboard.press('Enter')
      await page.locator(`#cell-0-${column} :is(${editor})`).waitFor()
      await expectNoViolations(app, '.grid')
      await page.keyboard.press('Escape')
      await page.locator('.grid:focus').waitFor()
    }
    await page.keyboard.press('ArrowRight')
  }
})

test('the editors of a record have no defects', async () => {
  const app = await openAs(weft, '/records/the_order', 'ada@example.org')
  const { page } = app
  await page.locator('#cell-0-0').getByText('A-').waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Shift+Enter')
  await page.getByRole('region', { name: 'Access' }).waitFor()
  await expectNoPageDefects(app)
  const fields = page.getByRole('button', { name: /, edit$|^(Change|Choose|Add) / })
  for (let i = 0; i < (await fields.count()); i++) {
    await fields.nth(i).press('Enter')
    await page.locator(`dd :is(${editor})`).waitFor()
    await expectNoPageDefects(app, '.body')
    await page.keyboard.press('Escape')
    await page.locator(`dd :is(${editor})`).waitFor({ state: 'detached' })
    // The field has the focus again.
    await expect
      .poll(() => fields.nth(i).evaluate((one) => one === document.activeElement))
      .toBe(true)
  }
  await button(page, 'Concepts and connections').press('Enter')
  await page.locator('.raw').waitFor()
  await expectNoPageDefects(app, '.body')
})

test('the menus of Ask have no defects', async () => {
  const query = {
    type: 'the_order',
    selectors: ['the_order_date'],
    freeschemaQueries: [
      { typeConnection: 'the_order_customer', name: 'customer' },
      { typeConnection: 'the_order_status', aggregate: 'group' },
    ],
    filters: [
      { name: 'a', type: 'the_status', search: 'open' },
      { name: 'b', type: 'the_total', logicoperator: '>', search: '10' },
    ],
    filterLogic: 'a AND b',
    orderBy: [{ field: 'the_total' }],
  }
  const path = `/ask?${new URLSearchParams({ query: JSON.stringify(query) })}`
  const app = await openAs(weft, path, 'ada@example.org')
  const { page } = app
  await page.locator('.result-body').waitFor()
  for (const name of [
    /^Find: Orders/,
    /^Order and pages/,
    /^Group: all of/,
    /^Condition: Status/,
    'Add a condition',
    'Add a condition by names',
    /^Combination as text/,
    'Add a field',
    'Follow a link',
    /^Settings of /,
    /^Sorted by Total/,
    'Sort by',
    'History',
    'Saved 0 questions',
    'Save',
  ])
    await check(app, name)

  await button(page, 'Add a condition').press('Enter')
  await page
    .locator(':popover-open')
    .getByRole('button', { name: /^Total/ })
    .press('Enter')
  await page.locator(':popover-open').getByLabel('Value').waitFor()
  await expectNoLayerDefects(app)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+s')
  await page.locator('dialog[open] input:focus').waitFor()
  await page.keyboard.type('Open orders')
  await page.keyboard.press('Enter')
  await check(app, 'Saved 1 question')
})

test('the dialogs of Operations have no defects, and delete by keyboard alone', async () => {
  const form = new FormData()
  form.append('file', new Blob(['%PDF-1.4\n%%EOF'], { type: 'application/pdf' }), 'bill.pdf')
  await send('/api/Image/UploadFile', form)
  await send('/api/auth/password/forgot', JSON.stringify({ email: 'bob@example.org' }))
  const app = await openAs(weft, '/operations/uploads', 'ada@example.org')
  const { page } = app
  await check(app, 'Delete bill.pdf')

  await page.goto(`${weft.url}/console/operations/mail`)
  await check(app, /^Delete /)
  await removeByName(app, 'Delete the e-mail')
  await page.getByText('No mail').waitFor()

  await page.goto(`${weft.url}/console/operations/backups`)
  await pressEnter(button(page, 'Create a backup'))
  await check(app, /^Delete /)
  await removeByName(app, 'Delete the backup')
  await page.getByText('No backups yet').waitFor()
})

/** Deletes the first row of a list: types its name in the dialog, and presses Enter. */
async function removeByName({ page }: AppPage, label: string): Promise<void> {
  const opener = button(page, /^Delete /)
  const name = ((await opener.getAttribute('aria-label')) ?? '').replace(/^Delete /, '')
  await opener.press('Enter')
  await page.locator('dialog[open] input:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(`Type ${name} to continue.`).waitFor()
  await page.keyboard.type(name)
  await page.keyboard.press('Tab')
  expect(await button(page, label).evaluate((one) => one === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await page.locator('dialog[open]').waitFor({ state: 'hidden' })
  // The button that opened the dialog is gone, and the focus is not at the start of the page.
  await expect.poll(() => page.evaluate('document.activeElement !== document.body')).toBe(true)
}

/** Stores a name and then a city of the first customer in another window. A page that shows the city has received both. */
async function storeElsewhere(name: string, city: string): Promise<void> {
  const { page } = await openAs(weft, '/records/the_customer', 'ada@example.org')
  await page.locator('#cell-0-0').getByText(/./).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await page.locator('.notice').getByText(`to ${name}`).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type(city)
  await page.keyboard.press('Enter')
  await page.locator('.notice').getByText(`to ${city}`).waitFor()
  await page.getByText('All changes are on the server').waitFor()
  await page.close()
}

test('the conflict of a cell that was changed elsewhere meanwhile is resolved by keyboard alone', async () => {
  const app = await openAs(weft, '/records/the_customer', 'ada@example.org')
  const { page } = app
  const cell = page.locator('#cell-0-0')
  for (const keep of ['mine', 'theirs'] as const) {
    await cell.getByText(/./).waitFor()
    await page.getByRole('grid').focus()
    await page.keyboard.press('F2')
    await page.locator('#cell-0-0 input').press('Control+a')
    await page.keyboard.type(`Typed, ${keep}`)
    await storeElsewhere(`Stored, ${keep}`, `Near ${keep}`)
    await page.getByText(`Near ${keep}`).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').getByText(`It is now “Stored, ${keep}”.`).waitFor()
    await expectNoViolations(app, '.grid')
    if (keep === 'theirs') await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('.grid:focus').waitFor()
    await cell.getByText(keep === 'mine' ? 'Typed, mine' : 'Stored, theirs').waitFor()
    await page.getByText('All changes are on the server').waitFor()
  }
})

test('the conflict of a field that was changed elsewhere meanwhile is resolved by keyboard alone', async () => {
  const app = await openAs(weft, '/records/the_customer', 'ada@example.org')
  const { page } = app
  await page.locator('#cell-0-0').getByText(/./).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Shift+Enter')
  for (const keep of ['mine', 'theirs'] as const) {
    await page.getByRole('button', { name: /^Name: .*, edit$/ }).press('Enter')
    await page.locator(`dd :is(${editor})`).press('Control+a')
    await page.keyboard.type(`Written, ${keep}`)
    await storeElsewhere(`Kept, ${keep}`, `Far ${keep}`)
    await page.getByText(`Far ${keep}`).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').getByText(`It is now “Kept, ${keep}”.`).waitFor()
    await expectNoPageDefects(app)
    if (keep === 'theirs') await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const kept = keep === 'mine' ? 'Written, mine' : 'Kept, theirs'
    const field = page.getByRole('button', { name: `Name: ${kept}, edit` })
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true)
    await page.getByText('All changes are on the server').waitFor()
  }
})
