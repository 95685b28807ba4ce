import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { adminOf } from './admin.ts'
import { type AppPage, expectNoPageDefects, openApp, pressEnter } from './app.ts'
import { startWeft } from './weft.ts'

/** Starts a server with the sample shop, and signs its admin in to the console by keyboard. */
async function openConsole(path: string): Promise<AppPage & { readonly token: string }> {
  const weft = await startWeft()
  const token = await adminOf(weft, [])
  const headers = { Authorization: `Bearer ${token}` }
  const body = JSON.stringify({ name: 'shop' })
  const response = await fetch(`${weft.url}/api/v1/samples`, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  const app = await openApp(`${weft.url}/console${path}`)
  await app.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(app.page)
  return { ...app, token }
}

/** Opens the grid of a type and waits for a cell: the grid may show the number of records before the records. */
async function openGrid(path: string): Promise<AppPage & { readonly token: string }> {
  const app = await openConsole(path)
  await untilFilled(app.page, 0, 0)
  return app
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail').focus()
  await page.keyboard.type('ann@example.org')
  await page.keyboard.press('Tab')
  await page.keyboard.type('correct horse')
  await page.keyboard.press('Enter')
  await page.getByRole('contentinfo').waitFor()
}

/** Returns the text of a cell by its row and column, counted from 0. */
const cell = (page: Page, row: number, column: number) =>
  page.locator(`#cell-${row}-${column}`).innerText()

/** Waits until a cell is not empty, and returns its text. */
async function untilFilled(page: Page, row: number, column: number): Promise<string> {
  await expect.poll(() => cell(page, row, column)).not.toBe('')
  return cell(page, row, column)
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

const notice = (page: Page) => page.locator('.notice').innerText()

test('guests see sign-in, and a wrong password is refused in words', async () => {
  const weft = await startWeft()
  const app = await openApp(`${weft.url}/console`)
  await app.page.getByLabel('E-mail').fill('ann@example.org')
  await app.page.getByLabel('Password').fill('wrong horse')
  await app.page.keyboard.press('Enter')
  await expect.poll(() => app.page.getByRole('alert').innerText()).toMatch(/password/)
  await expectNoPageDefects(app)
})

test('edits, undoes, copies and pastes in the grid with the keyboard alone', async () => {
  const { page, consoleErrors } = await openGrid('/records/the_order')
  await expect.poll(() => cell(page, 0, 0)).toBe('A-1120')
  await page.getByRole('grid').focus()
  await press(page, 'End')
  const total = await untilFilled(page, 0, 6)
  await page.keyboard.type('99.5')
  await press(page, 'Enter')
  await expect.poll(() => cell(page, 0, 6)).toBe('99.5')
  await expect.poll(() => notice(page)).toBe(`Total changed from ${total} to 99.5`)
  await press(page, 'Control+z')
  await expect.poll(() => cell(page, 0, 6)).toBe(total)
  await press(page, 'Control+Shift+z')
  await expect.poll(() => cell(page, 0, 6)).toBe('99.5')

  await press(page, 'Home', 'ArrowUp', 'Shift+ArrowDown', 'Control+c')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('A-1120\nA-1119')
  await page.evaluate(() => navigator.clipboard.writeText('ring twice\n"two\nlines"'))
  await press(page, 'ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight')
  const notes = [await cell(page, 0, 4), await cell(page, 1, 4)]
  await press(page, 'Control+v')
  await expect.poll(() => cell(page, 0, 4)).toBe('ring twice')
  await expect.poll(() => cell(page, 1, 4)).toMatch(/^two\s+lines$/)
  await press(page, 'Control+z')
  await expect.poll(async () => [await cell(page, 0, 4), await cell(page, 1, 4)]).toEqual(notes)
  await page.getByText('All changes are on the server').waitFor()
  expect(consoleErrors).toEqual([])
})

test('a paste past the last row is one change, which one Undo reverts', async () => {
  const { page } = await openGrid('/records/the_product?sort=-name')
  await page.getByText('31 products').waitFor()
  await page.getByRole('grid').focus()
  await press(page, 'Control+ArrowDown')
  const last = await untilFilled(page, 30, 0)
  await page.evaluate(() => navigator.clipboard.writeText('AA third\nAA second\nAA first'))
  await press(page, 'Control+v')
  await page.getByText('33 products').waitFor()
  await expect.poll(() => notice(page)).toBe('3 × 1 cells pasted')
  await expect.poll(() => cell(page, 30, 0)).toBe('AA third')
  await press(page, 'Control+z')
  await page.getByText('31 products').waitFor()
  await expect.poll(() => cell(page, 30, 0)).toBe(last)
  await press(page, 'Control+Shift+z')
  await page.getByText('33 products').waitFor()
  await expect.poll(() => cell(page, 30, 0)).toBe('AA third')
  await press(page, 'Control+z')
  await page.getByText('31 products').waitFor()
  await page.getByText('All changes are on the server').waitFor()
  await press(page, 'Control+z')
  await expect.poll(() => notice(page)).toBe('There is nothing to undo.')
})

test('keys that follow Enter belong to the next cell, also while the first is being saved', async () => {
  const { page } = await openGrid('/records/the_product')
  await untilFilled(page, 2, 0)
  await page.getByRole('grid').focus()
  for (const text of ['First text', 'Second text', 'Third text']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  for (const [row, text] of ['First text', 'Second text', 'Third text'].entries())
    await expect.poll(() => cell(page, row, 0)).toBe(text)
})

test('a user whose cell was changed in another browser while typing chooses which text to keep', async () => {
  const { page, consoleErrors } = await openGrid('/records/the_product')
  const other = await openApp(page.url())
  await signIn(other.page)
  for (const { page: one } of [{ page }, other]) {
    await untilFilled(one, 1, 0)
    await one.getByRole('grid').focus()
  }
  /** Types a value. Before saving it, waits until this page has the value that the other page stored in the same cell. */
  const typeAgainst = async (theirs: string) => {
    await page.keyboard.type('Mine')
    for (const [row, text] of [theirs, `After ${theirs}`].entries()) {
      await other.page.keyboard.type(text)
      await press(other.page, 'Enter')
      await expect.poll(() => cell(other.page, row, 0)).toBe(text)
    }
    await expect.poll(() => cell(page, 1, 0)).toBe(`After ${theirs}`)
    await press(page, 'Enter')
    const choice = page.getByRole('alertdialog', { name: /was changed while you were typing/ })
    await choice.getByText(`It is now “${theirs}”.`).waitFor()
    await choice.locator(':focus').waitFor()
  }
  await typeAgainst('Theirs')
  await press(page, 'Tab', 'Enter')
  await expect.poll(() => cell(page, 0, 0)).toBe('Theirs')

  await press(other.page, 'ArrowUp', 'ArrowUp')
  await typeAgainst('Second')
  await press(page, 'Enter')
  await expect.poll(() => cell(page, 0, 0)).toBe('Mine')
  await expect.poll(() => cell(other.page, 0, 0)).toBe('Mine')
  await press(page, 'Control+z')
  await expect.poll(() => cell(other.page, 0, 0)).toBe('Second')

  await page.keyboard.type('Mine')
  await press(page, 'Escape')
  await expect.poll(() => cell(page, 0, 0)).toBe('Second')

  await press(page, 'Space')
  const panel = page.getByRole('complementary')
  await pressEnter(panel.getByRole('button', { name: 'Name: Second, edit' }))
  await press(page, 'Control+a')
  await page.keyboard.type('Mine')
  await press(other.page, 'ArrowUp', 'ArrowUp')
  await other.page.keyboard.type('Third')
  await press(other.page, 'Enter')
  await expect.poll(() => cell(page, 0, 0)).toBe('Third')
  await press(page, 'Enter')
  await panel.getByText('It is now “Third”.').waitFor()
  await panel.locator('[role=alertdialog] :focus').waitFor()
  await press(page, 'Tab', 'Enter')
  await panel.getByRole('button', { name: 'Name: Third, edit' }).waitFor()
  expect(consoleErrors).toEqual([])
})

test('keeps invalid text in the editor of a cell, and says why', async () => {
  const { page } = await openGrid('/records/the_order')
  await expect.poll(() => cell(page, 0, 0)).toBe('A-1120')
  await page.getByRole('grid').focus()
  await press(page, 'End')
  await page.keyboard.type('many')
  await press(page, 'Enter')
  const editor = page.getByRole('grid').getByLabel('Total', { exact: true })
  await expect.poll(() => editor.getAttribute('aria-invalid')).toBe('true')
  expect(await editor.inputValue()).toBe('many')
  await expect.poll(() => notice(page)).toBe('Total must be a number; “many” is not one.')
  await press(page, 'Escape')
  await expect.poll(() => cell(page, 0, 6)).not.toBe('many')
})

test('links a record by its name, and deletes and restores records', async () => {
  const { page } = await openGrid('/records/the_order')
  await expect.poll(() => cell(page, 0, 0)).toBe('A-1120')
  await page.getByRole('grid').focus()
  await press(page, 'ArrowRight')
  const customer = await untilFilled(page, 0, 1)
  await press(page, 'Enter')
  const search = page.locator('.link-search [role="combobox"]')
  await page.keyboard.type('zzzz')
  await page.getByText('No customer contains this text.').waitFor()
  expect(await search.getAttribute('aria-activedescendant')).toBeNull()
  // Enter waits for the matches of the whole text.
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Clara Patel')
  await page.keyboard.press('Enter')
  await expect.poll(() => cell(page, 0, 1)).toBe('Clara Patel')
  await press(page, 'Control+z')
  await expect.poll(() => cell(page, 0, 1)).toBe(customer)
  await page.getByText('120 orders').waitFor()
  await press(page, 'Control+Backspace')
  await expect.poll(() => notice(page)).toBe('1 order deleted')
  await page.getByText('119 orders').waitFor()
  await press(page, 'Control+z')
  await page.getByText('120 orders').waitFor()
})

test('the address holds filters, order and search, and a view can be saved', async () => {
  const { page } = await openGrid(
    '/records/the_order?filter=status:is:open&filter=the_order_customer:contains:Moser&sort=-total',
  )
  await page.getByText('2 orders').waitFor()
  const totals = [Number(await untilFilled(page, 0, 6)), Number(await untilFilled(page, 1, 6))]
  expect(totals[0]).toBeGreaterThan(totals[1] as number)
  await pressEnter(page.getByRole('button', { name: 'Save view' }))
  await page.locator('dialog[open] input:focus').waitFor()
  await page.keyboard.type('Open of Moser')
  await press(page, 'Enter')
  await page.getByRole('navigation', { name: 'Views' }).getByText('Open of Moser').waitFor()
  await pressEnter(page.getByRole('button', { name: /^Remove the filter Customer/ }))
  await page.getByText('8 orders').waitFor()
  const types = page.getByRole('navigation', { name: 'Types' })
  await types.getByRole('link', { name: 'Open of Moser' }).press('Enter')
  await page.getByText('2 orders').waitFor()
})

test('opens a record beside the grid, steps with J and K, and edits it', async () => {
  const { page } = await openGrid('/records/the_customer')
  await page.getByText('60 customers').waitFor()
  await page.getByRole('grid').focus()
  await press(page, 'ArrowDown', 'Space')
  const panel = page.getByRole('complementary')
  await panel.getByText('Customer 2 of 60').waitFor()
  await press(page, 'j')
  await panel.getByText('Customer 3 of 60').waitFor()
  await press(page, 'k', 'k')
  await panel.getByText('Customer 1 of 60').waitFor()
  await panel.getByText('Links to this record').waitFor()
  await pressEnter(panel.getByRole('button', { name: /^City/ }))
  await press(page, 'Control+a')
  await page.keyboard.type('Oslo')
  await press(page, 'Enter')
  await panel.getByRole('button', { name: 'City: Oslo, edit' }).waitFor()
  await expect.poll(() => cell(page, 0, 1)).toBe('Oslo')
})

test('imports CSV with another character set, and says which rows do not fit', async () => {
  const { page } = await openConsole('/records/the_product/import')
  const csv = Buffer.from('Name;Price\nM\xfchle;12.5\nK\xf6ln;dear\nonly one\n', 'latin1')
  await page
    .getByLabel('CSV or JSON file')
    .setInputFiles({ name: 'products.csv', mimeType: 'text/csv', buffer: csv })
  await page.getByText('The file is not UTF-8.').waitFor()
  await page.getByText('Row 4 has 1 columns instead of 2.').waitFor()
  await page.getByText('Row 3: Price must be a number; “dear” is not one.').waitFor()
  await pressEnter(page.getByRole('button', { name: 'Import 1 product' }))
  await page.getByText('32 products').waitFor()
  await expect.poll(() => cell(page, 0, 0)).toBe('Mühle')
})

test('changes wait while the browser is offline, and the palette and the sheet of keys open', async () => {
  const app = await openGrid('/records/the_product')
  const { page } = app
  await page.getByText('31 products').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('grid').focus()
  await page.keyboard.type('Loom')
  await press(page, 'Enter')
  await expect.poll(() => cell(page, 0, 0)).toBe('Loom')
  await page.getByText(/1 change (kept|waiting)/).waitFor()
  await page.context().setOffline(false)
  await page.getByText('All changes are on the server').waitFor()
  await press(page, 'Control+k')
  await page.getByRole('combobox', { name: 'Search pages and actions' }).waitFor()
  await page.keyboard.type('customers')
  await press(page, 'Enter')
  await page.getByText('60 customers').waitFor()
  await press(page, '?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Undo', { exact: true }).waitFor()
  await press(page, 'Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
})

test.each(['/records', '/records/the_order', '/records/the_order/import'])(
  '%s has no defects at phone width in the dark theme and at desktop width in the light theme',
  async (path) => {
    const app = await openConsole(path)
    await app.page.getByRole('heading', { level: 1 }).waitFor()
    await expectNoPageDefects(app)
  },
)
