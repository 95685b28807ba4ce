import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiUsers } from './api-users.ts'
import { openApp } from './app.ts'
import { openAs, password, signIn, startWithUsers } from './console-user.ts'
import { Requests } from './requests.ts'
import type { Weft } from './weft.ts'

// The console shows each user only the screens and controls that the API accepts from this user. The tests use the console
// and expect that the server refuses none of its requests with 401 or 403.

const [ada, bob, cid] = ['ada@example.org', 'bob@example.org', 'cid@example.org'] as const
let weft: Weft
/** The id of a public record of Bob. */
let notebook: number
let api: ApiUsers
const ends: (() => Promise<void>)[] = []

beforeAll(async () => {
  weft = await startWithUsers([], (end) => ends.push(end))
  api = new ApiUsers(weft)
  await api.signIn(ada)
  await api.send(ada, '/api/admin/users', { email: cid, admin: false, password })
  await api.send(ada, '/api/v1/samples', { name: 'shop', access: 'public' })
  await api.signIn(bob, cid)
  notebook = await api.createRecord(bob, 'the_notebook', 'Notebook of Bob', 5)
})

afterAll(async () => {
  for (const end of ends) await end()
})

/** The maximum number of entries that are opened in the list at the left of a room. */
const maxEntries = 40

/** Opens every room, the entries of its list, and screens that no list links to. Returns the names of the rooms. */
async function visitAll(page: Page, requests: Requests): Promise<readonly string[]> {
  const rooms = page.getByRole('navigation', { name: 'Rooms' }).first().getByRole('link')
  const names = await rooms.allInnerTexts()
  for (const name of names) {
    await rooms.getByText(name, { exact: true }).press('Enter')
    await page.getByRole('main').waitFor()
    await requests.settled()
    const entries = page.locator('nav.side a.item:visible')
    const count = name === 'Content' ? 3 : Math.min(maxEntries, await entries.count())
    for (let i = 0; i < count; i++) {
      await entries.nth(i).press('Enter')
      await requests.settled()
    }
  }
  const query = { type: 'the_notebook', selectors: ['self'], inpage: 10 }
  const question = new URLSearchParams({ query: JSON.stringify(query) })
  for (const path of [
    `/records/the_notebook?open=${notebook}`,
    `/records/the_notebook/${notebook}`,
    '/records/the_notebook/import',
    `/graph/${notebook}`,
    ...['table', 'tree', 'graph', 'chart', 'json', 'plan'].map((as) => `/ask?${question}&as=${as}`),
    '/schema/the_notebook',
    '/schema?show=types',
    '/content/about?file=versions',
    '/content/pages/about',
    '/people/users',
    '/operations/backups',
    '/api/code?type=the_notebook',
  ]) {
    await page.goto(`${weft.url}/console${path}`)
    await page.getByRole('main').waitFor()
    await requests.settled()
  }
  return names
}

const ownRooms = ['Records', 'Graph', 'Ask', 'Schema', 'Content', 'People', 'API']

test.each([
  [bob, ownRooms],
  [ada, ownRooms.toSpliced(6, 0, 'Operations')],
])('the rooms shown to %s send no request that is refused', async (email, rooms) => {
  const { page } = await openAs(weft, '/records', email)
  const requests = new Requests(page)
  expect(await visitAll(page, requests)).toEqual(rooms)
  expect(requests.refused).toEqual([])
})

test('guests see sign-in at every address, and no request of the page is refused', async () => {
  for (const path of ['', '/records/the_notebook', '/operations', '/people/users']) {
    const { page } = await openApp(`${weft.url}/console${path}`)
    const requests = new Requests(page)
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await requests.settled()
    expect(requests.refused).toEqual([])
  }
})

test('a user who signs in after another one sees no private type of that user', async () => {
  const draft = { categoryId: 4, accessId: 4 }
  const concepts = [{ ...draft, id: -1, typeCharacter: 'the_diary', isComposition: true }]
  await api.send(ada, '/api/v1/local-concepts', { concepts, connections: [] })
  const { page } = await openAs(weft, '/records', ada)
  const diaries = page.getByRole('link', { name: /diar/i })
  await diaries.first().waitFor()
  // Another tab signs out.
  await page.evaluate(() => {
    localStorage.clear()
    window.dispatchEvent(new StorageEvent('storage'))
  })
  await signIn(page, cid)
  await page
    .getByRole('link', { name: /notebook/i })
    .first()
    .waitFor()
  await expect.poll(() => diaries.count()).toBe(0)
})

const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}

test('the public record of another user is shown without controls that change it', async () => {
  const { page } = await openAs(weft, '/records/the_notebook', cid)
  const requests = new Requests(page)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const cell = page.locator('#cell-0-0')
  await expect.poll(() => cell.getAttribute('aria-readonly')).toBe('true')
  await page.evaluate(() => navigator.clipboard.writeText('Pasted'))
  for (const keys of ['x', 'F2', 'Delete', 'Control+v', 'Control+d', 'Control+Backspace']) {
    await page.reload()
    await expect.poll(() => cell.getAttribute('aria-readonly')).toBe('true')
    await page.getByRole('grid').focus()
    await press(page, keys)
    await page
      .locator('.notice')
      .getByText('You can see this notebook but not change it. It belongs to another user.')
      .waitFor()
    expect(await cell.innerText()).toBe('Notebook of Bob')
  }

  await press(page, 'Shift+Enter')
  await page.getByText('You can see this record but not change it.').waitFor()
  const controls = page.getByRole('main').getByRole('button')
  expect(await controls.allInnerTexts()).toEqual([
    'Copy as JSON',
    'Copy code that reads this',
    'Concepts and connections',
  ])

  await page.goto(`${weft.url}/console/graph/${notebook}?as=list`)
  await page.getByRole('heading', { level: 2, name: 'Notebook of Bob' }).waitFor()
  expect(await page.getByRole('button', { name: /Rename|Merge|Delete/ }).count()).toBe(0)
  await press(page, 'F2', 'm', 'Control+Backspace')
  expect(await page.getByRole('dialog').count()).toBe(0)

  await page.goto(`${weft.url}/console/content/about`)
  await page.getByText('You can see this widget but not change it.').waitFor()
  expect(await page.getByRole('button', { name: /Save|Publish/ }).count()).toBe(0)
  expect(await page.getByRole('combobox', { name: 'Add code' }).count()).toBe(0)
  const editor = page.getByRole('textbox', { name: 'widget.html of About' })
  const html = await editor.innerText()
  await editor.press('x')
  await press(page, 'Control+s')
  expect(await editor.innerText()).toBe(html)
  await page.goto(`${weft.url}/console/content/pages/about`)
  await page.getByText('You can see this page but not change it.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Title', exact: true }).isDisabled()).toBe(true)
  await requests.settled()
  expect(requests.writes).toEqual([])
  expect(requests.refused).toEqual([])
})

test.each([bob, ada])(
  '%s changes the record of Bob, and the server accepts the change',
  async (email) => {
    const { page } = await openAs(weft, '/records/the_notebook', email)
    const requests = new Requests(page)
    const cell = page.locator('#cell-0-0')
    await expect.poll(() => cell.innerText()).toBe('Notebook of Bob')
    expect(await cell.getAttribute('aria-readonly')).toBe('false')
    await page.getByRole('grid').focus()
    await page.keyboard.type('Ledger')
    await press(page, 'Enter')
    await page.getByText('All changes are on the server').waitFor()
    await expect.poll(() => cell.innerText()).toBe('Ledger')
    await press(page, 'Control+z')
    await expect.poll(() => cell.innerText()).toBe('Notebook of Bob')
    await press(page, 'Shift+Enter')
    await page.getByRole('button', { name: 'Name: Notebook of Bob, edit' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    await page.goto(`${weft.url}/console/graph/${notebook}?as=list`)
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await requests.settled()
    expect(requests.writes.length).toBeGreaterThan(0)
    expect(requests.refused).toEqual([])
  },
)

test.each([bob, ada])('the API room offers %s no operation that is refused', async (email) => {
  const { page } = await openAs(weft, '/api', email)
  const areas = page.locator('nav.side a.item:visible')
  await expect.poll(() => areas.count()).toBeGreaterThan(10)
  const offered: (readonly [method: string, path: string])[] = []
  for (let i = 1; i < (await areas.count()); i++) {
    await areas.nth(i).press('Enter')
    await page.locator('.operation').first().waitFor()
    for (const text of await page.locator('.operation h2').allInnerTexts()) {
      const [, method = '', path = ''] = /^([A-Z]+)\s+(\S+)/.exec(text) ?? []
      // Operations of accounts are not sent: they refuse wrong passwords or end the session.
      if (!/^\/api\/auth\//i.test(path)) offered.push([method, path.replace(/\{\w+\}/g, '0')])
    }
  }
  expect(offered.length).toBeGreaterThan(80)
  const refused: string[] = []
  for (const [method, path] of offered) {
    const abort = new AbortController()
    const { status } = await fetch(weft.url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...api.authorization(email) },
      ...(method === 'POST' ? { body: '{}' } : {}),
      signal: abort.signal,
    })
    abort.abort()
    if (status === 401 || status === 403) refused.push(`${method} ${path}`)
  }
  expect(refused).toEqual([])
})
