import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { adminOf } from './admin.ts'
import { expectNoLayerDefects, expectNoPageDefects, openApp, pressEnter } from './app.ts'
import { startWeft } from './weft.ts'

test('draws a hub, walks it, edits it and saves it, by keyboard alone', async () => {
  const { url, ids, token } = await shop(400)
  const app = await openConsole(url, `/graph/${ids.pen}`)
  const { page } = app
  await page.getByText('52 nodes, 51 links').first().waitFor()
  await page.getByText('50 shown, 350 more').waitFor()
  await page.keyboard.press('l')
  const list = page.getByRole('list', { name: 'The drawing as a list' })
  await expect.poll(() => list.locator('> li').count()).toBe(52)

  await press(page, 'Choose more of Line › Product')
  await page.getByRole('searchbox', { name: 'Find among them' }).waitFor()
  await page.keyboard.type('quantity 7.')
  await page.getByText('1 match.').waitFor()
  await expectNoLayerDefects(app)
  await press(page, 'Draw these 1')
  await page.keyboard.press('Escape')
  await expect.poll(() => list.locator('> li').count()).toBe(53)
  await page.keyboard.press('Control+z')
  await expect.poll(() => list.locator('> li').count()).toBe(52)

  await press(page, 'Hide Line › Product')
  await expect.poll(() => list.locator('> li').count()).toBe(2)
  await press(page, 'Show Line › Product')
  await expect.poll(() => list.locator('> li').count()).toBe(52)
  await press(page, 'Hide Line › Product')
  await expectNoPageDefects(app)
  await page.keyboard.press('l')
  await page.getByRole('group', { name: 'Drawing of 2 records' }).waitFor()
  await expectNoPageDefects(app)

  await page.keyboard.press('F2')
  await expectNoLayerDefects(app)
  await page.getByRole('textbox', { name: 'Title' }).fill('Fountain pen')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Fountain pen' }).waitFor()
  expect(await labelOf(url, token, ids.pen)).toBe('Fountain pen')
  await page.keyboard.press('Control+z')
  await page.getByRole('heading', { level: 1, name: 'Pen', exact: true }).waitFor()
  expect(await labelOf(url, token, ids.pen)).toBe('Pen')

  for (const key of ['p', '/']) {
    await page.keyboard.press(key)
    await expectNoLayerDefects(app)
    await page.keyboard.press('Escape')
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Control+s')
  await expectNoLayerDefects(app)
  await page.getByRole('textbox', { name: 'Name' }).fill('Pens')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/console/graph/d/Pens')
  await page.getByRole('heading', { level: 1, name: 'Pens' }).waitFor()
  await page.reload()
  await page.getByText('2 nodes, 1 link').first().waitFor()
})

test('adds, links, merges and removes records with undo', async () => {
  const { url, ids, token } = await shop(2)
  const app = await openConsole(url, `/graph/${ids.ink}?as=list`)
  const { page } = app
  const list = page.getByRole('list', { name: 'The drawing as a list' })
  const isListed = (name: string) => list.locator('> li > button', { hasText: name }).count()
  await expect.poll(() => isListed('Ink')).toBe(1)

  await page.keyboard.press('n')
  await expectNoLayerDefects(app)
  await page.getByRole('combobox', { name: 'Type' }).selectOption('the_product')
  await page.getByRole('textbox', { name: 'Title' }).fill('Blotter')
  await page.keyboard.press('Enter')
  await expect.poll(() => isListed('Blotter')).toBe(1)
  await page.keyboard.press('Control+z')
  await expect.poll(() => isListed('Blotter')).toBe(0)

  await press(page, 'Ink')
  await page.keyboard.press('k')
  await page.getByRole('combobox', { name: 'Type' }).selectOption('the_product')
  await page.getByRole('searchbox', { name: 'Contains' }).focus()
  await page.keyboard.type('Pen')
  await page.getByRole('button', { name: 'Link to Pen' }).waitFor()
  await expectNoLayerDefects(app)
  await press(page, 'Link to Pen')
  await page.getByRole('dialog', { name: 'Link Ink to Pen' }).waitFor()
  await expectNoLayerDefects(app)
  await page.getByRole('combobox', { name: 'Link' }).press('Control+a')
  await page.keyboard.type('twin')
  await page.keyboard.press('Enter')
  await list.getByText('Twin').first().waitFor()
  expect(await isListed('Pen')).toBe(1)
  // The button that had the focus before the dialogs has it again.
  await page.locator('button:focus').getByText('Ink').waitFor()
  await page.keyboard.press('Control+z')
  await expect.poll(() => list.getByText('Twin').count()).toBe(0)

  await press(page, 'Ink')
  await page.keyboard.press('m')
  await page.getByRole('searchbox', { name: 'Contains' }).fill('Pen')
  await expectNoLayerDefects(app)
  await press(page, 'Merge with Pen')
  await page.getByRole('heading', { name: 'Merge Ink into Pen' }).waitFor()
  await page.getByText(/1 move to Pen|0 move to Pen/).waitFor()
  await expectNoLayerDefects(app)
  await page.keyboard.press('Enter')
  await expect.poll(() => labelOf(url, token, ids.ink)).toBeUndefined()
  // The page has the response to the merge, so that it can be undone.
  await page.locator('.notice').getByText('Merged Ink into Pen').waitFor()
  await page.keyboard.press('Control+z')
  await expect.poll(() => isListed('Ink')).toBe(1)

  await press(page, 'Ink')
  await page.keyboard.press('Control+Backspace')
  await expect.poll(() => isListed('Ink')).toBe(0)
  await page.keyboard.press('Control+z')
  await expect.poll(() => isListed('Ink')).toBe(1)
})

test('names a line of an order by its product and quantity, and offers no new name for it', async () => {
  const { url, token } = await shop(0)
  const headers = { Authorization: `Bearer ${token}` }
  await fetch(`${url}/api/v1/samples`, { method: 'POST', headers, body: '{"name":"shop"}' })
  const search = '/api/search-compositions?type=the_line&search=&inpage=1&page=1'
  const lines = await fetch(url + search, { headers })
  const [line] = (await lines.json()) as { id: number }[]
  const { page } = await openConsole(url, `/graph/${line?.id}?as=list`)
  await page.getByRole('heading', { level: 2, name: /^[A-Z].* × \d+$/ }).waitFor()
  await page.getByRole('button', { name: /^Delete record/ }).waitFor()
  expect(await page.getByRole('button', { name: /^Rename/ }).count()).toBe(0)
})

test('finds a path, and reports a path, record or drawing that does not exist', async () => {
  const { url, ids } = await shop(2)
  const { page } = await openConsole(url, `/graph/path/${ids.pen}/${ids.ink}?as=list`)
  const list = page.getByRole('list', { name: 'The drawing as a list' })
  await expect.poll(() => list.locator('> li').count()).toBe(3)
  await page.goto(`${url}/console/graph/path/${ids.pen}/${ids.alone}`)
  await page.getByText('No links connect these two records.').waitFor()
  await page.goto(`${url}/console/graph/99999999`)
  await page.getByText('There is no such record, or you may not see it').waitFor()
  await page.goto(`${url}/console/graph/d/Nothing`)
  await page.getByText('There is no drawing named Nothing, or you may not see it.').waitFor()
})

/** Focuses a button and presses Enter, as a user without a mouse does. */
async function press(page: Page, name: string): Promise<void> {
  await pressEnter(page.getByRole('button', { name, exact: true }).first())
}

async function openConsole(url: string, path: string) {
  const app = await openApp(`${url}/console${path}`)
  await app.page.getByLabel('E-mail').fill('ann@example.org')
  await app.page.getByLabel('Password', { exact: true }).fill('correct horse')
  await app.page.keyboard.press('Enter')
  return app
}

/** Starts a server with the products Pen and Ink of one category, a number of lines that link to Pen, and a product without links. */
async function shop(lines: number) {
  const weft = await startWeft()
  const token = await adminOf(weft)
  const concepts: object[] = []
  const connections: object[] = []
  let last = 0
  const record = (type: string, field: string, text: string) => {
    const [id, value] = [--last, --last]
    concepts.push(
      { id, categoryId: 4, typeCharacter: type, isComposition: true },
      { id: value, categoryId: 4, typeCharacter: `the_${field}`, characterValue: text },
    )
    connections.push({ id: --last, ofTheConceptId: id, toTheConceptId: value, typeId: id })
    return id
  }
  const link = (from: number, type: string, to: number) =>
    connections.push({ id: --last, ofTheConceptId: from, toTheConceptId: to, typeCharacter: type })
  const category = record('the_category', 'label', 'Writing')
  const local = {
    pen: record('the_product', 'title', 'Pen'),
    ink: record('the_product', 'title', 'Ink'),
    alone: record('the_product', 'title', 'Stone'),
  }
  link(local.pen, 'the_product_category', category)
  link(local.ink, 'the_product_category', category)
  for (let i = 0; i < lines; i++)
    link(record('the_line', 'quantity', `quantity ${i}.`), 'the_line_product', local.pen)
  const response = await fetch(`${weft.url}/api/v1/local-concepts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ concepts, connections }),
  })
  const created = (await response.json()) as { concepts: { id: number; ghostId: number }[] }
  const real = new Map(created.concepts.map(({ id, ghostId }) => [ghostId, id]))
  const ids = Object.fromEntries(
    Object.entries(local).map(([name, id]) => [name, real.get(id) ?? 0]),
  ) as Record<keyof typeof local, number>
  return { url: weft.url, token, ids }
}

/** Returns the label of a record on the server; undefined if the record does not exist. */
async function labelOf(url: string, token: string, id: number): Promise<string | undefined> {
  const response = await fetch(`${url}/api/v1/graph/node?id=${id}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  return ((await response.json()) as { node?: { label: string } }).node?.label
}
