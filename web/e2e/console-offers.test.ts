import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiUsers } from './api-users.ts'
import { openAs, password, startWithUsers } from './console-user.ts'
import { Requests } from './requests.ts'
import type { Weft } from './weft.ts'

// Every button, menu entry and action of the palette that a screen offers is used, and every form that it opens is sent. The
// server refuses no request with 401 or 403, and no write. The records on the screens belong to another user, Bob: one that all
// users may read, one that only he and admins may read, and one that all users share.

const [ada, bob, cid] = ['ada@example.org', 'bob@example.org', 'cid@example.org'] as const
const ends: (() => Promise<void>)[] = []
let weft: Weft
let publicId: number
let privateId: number
let sharedId: number

beforeAll(async () => {
  weft = await startWithUsers(['--anonymous-writes'], (end) => ends.push(end))
  const api = new ApiUsers(weft)
  await api.signIn(ada)
  await api.send(ada, '/api/admin/users', { email: cid, admin: false, password })
  await api.send(ada, '/api/v1/samples', { name: 'shop', access: 'public' })
  await api.signIn(bob)
  const folder = await api.createRecord(bob, 'the_folder', 'Folder of Bob', 5)
  publicId = await api.createRecord(bob, 'the_notebook', 'Notebook of Bob', 5, folder)
  privateId = await api.createRecord(bob, 'the_notebook', 'Diary of Bob', 4)
  sharedId = await api.createRecord('guest', 'the_notebook', 'Notebook of all users', 5)
})

afterAll(async () => {
  for (const end of ends) await end()
})

/** An address, an element that shows that the screen is complete, and the element whose buttons are used (default: `main`). */
type Offers = readonly [path: string, complete: string, part?: string]

const screens = (): readonly Offers[] => {
  const query = new URLSearchParams({ query: '{"type":"the_notebook","selectors":["self"]}' })
  const access = '[aria-label="Access"]'
  return [
    ['/records', 'main h1'],
    ['/records/the_notebook', '#cell-0-0'],
    [`/records/the_notebook?open=${publicId}`, access, 'aside.record'],
    [`/records/the_notebook/${publicId}`, access],
    [`/records/the_notebook/${privateId}`, 'main h1, main .state h2'],
    [`/records/the_notebook/${sharedId}`, access],
    ['/records/the_notebook/import', 'main input[type="file"]'],
    [`/graph/${publicId}?as=list`, '.graph-groups li'],
    [`/graph/${privateId}?as=list`, '.graph-list li, main .state h2'],
    [`/graph/${sharedId}?as=list`, '.graph-groups li'],
    [`/ask?${query}`, '.result-body'],
    ['/schema/the_notebook', '.type-panel table'],
    ['/content/about', '.content-bar'],
    ['/content/about?file=versions', '.content-versions li'],
    ['/content/pages/about', '.content-page'],
    ['/people/my-keys', 'main h1'],
    ['/api/code?type=the_notebook', 'main .code'],
  ]
}

/** Controls that end the session, copy, or only change the view, and actions of the palette that open a room. */
const skipped =
  /^(Sign out|End |Revoke|Copy|Download|Export|Sort |Group |.*, menu$|Switch between|Show (all keys|the changes)|Records$|Graph$|Ask$|Schema$|Content$|People$|Operations$|API$)/

interface User {
  readonly page: Page
  readonly requests: Requests
  readonly isAdmin: boolean
}

/**
 * Actions that remove the records on the screens. The test skips them for the admin, who has the right to them: the later screens
 * would be empty.
 */
const emptying = /^(Delete|Merge|Remove the sample)/

/** Uses the offers of a screen. The screen is opened again for each of them. */
class Screen {
  readonly used: string[] = []
  readonly #page: Page
  readonly #requests: Requests
  readonly #path: string
  readonly #complete: string
  readonly #part: string
  readonly #isAdmin: boolean

  constructor(app: User, [path, complete, part = 'main']: Offers) {
    this.#page = app.page
    this.#requests = app.requests
    this.#isAdmin = app.isAdmin
    this.#path = path
    this.#complete = complete
    this.#part = part
  }

  async useAll(): Promise<void> {
    await this.#open()
    for (const name of await labelsOf(this.#buttons())) {
      if (this.#isAdmin && emptying.test(name)) continue
      await this.#open()
      const opener = this.#buttons(name).first()
      // An offer that was used may have removed another one.
      if ((await opener.count()) === 0) continue
      await opener.press('Enter')
      const entries = await labelsOf(this.#entries())
      if (entries.length === 0) await this.#finish(name)
      for (const entry of entries.slice(0, maxEntries)) {
        await this.#open()
        await opener.press('Enter')
        await this.#entries(entry).first().press('Enter')
        await this.#finish(`${name} › ${entry}`)
      }
    }
    await this.#usePalette()
  }

  #buttons(name?: string): Locator {
    return this.#page.locator(`${this.#part} button:visible`).and(this.#named(name))
  }

  #entries(name?: string): Locator {
    return this.#page.locator(':popover-open button:visible').and(this.#named(name))
  }

  #named(name?: string): Locator {
    return this.#page.getByRole('button', name === undefined ? {} : { name, exact: true })
  }

  async #open(): Promise<void> {
    await this.#page.goto(`${weft.url}/console${this.#path}`)
    await this.#page.locator(this.#complete).first().waitFor({ state: 'attached' })
    await this.#requests.settled()
  }

  /** Fills in and sends the form, if one is open, and expects no refusal. */
  async #finish(name: string): Promise<void> {
    this.used.push(name)
    await this.#requests.settled()
    const fields = this.#page.locator(`dialog[open] form ${textField}:visible`)
    for (const field of await fields.all()) await field.fill('Of the test')
    if ((await fields.count()) > 0) await fields.first().press('Enter')
    await this.#requests.settled()
    const at = `${this.#path}: ${name}`
    await expect.poll(() => this.#page.getByText(/waiting to be sent/).count()).toBe(0)
    expect([at, await this.#page.locator('.sync.refused').count()]).toEqual([at, 0])
    expect([at, this.#requests.refused]).toEqual([at, []])
  }

  /** Runs every action of the palette, except those that only open a room or a type. */
  async #usePalette(): Promise<void> {
    await this.#open()
    await this.#page.keyboard.press('Control+k')
    const options = this.#page.locator('[role="listbox"] [role="option"]')
    await options.first().waitFor()
    const groups = this.#page.locator('[role="listbox"] > div')
    const labels: string[] = []
    let group = ''
    for (const one of await groups.all()) {
      const title = one.locator('.group')
      if ((await title.count()) > 0) group = await title.innerText()
      const [label = ''] = (await one.getByRole('option').innerText()).split('\n')
      if (!/^(Records|Content)$/i.test(group) && !skipped.test(label)) labels.push(label)
    }
    for (const label of labels) {
      if (this.#isAdmin && emptying.test(label)) continue
      await this.#open()
      await this.#page.keyboard.press('Control+k')
      await options.first().waitFor()
      await this.#page.keyboard.type(label)
      await this.#page.keyboard.press('Enter')
      await this.#finish(`palette › ${label}`)
    }
  }
}

const textField = 'input:is(:not([type]), [type="text"], [type="search"])'

/** The maximum number of entries that are used in a menu. */
const maxEntries = 8

/** Returns the distinct accessible names of the enabled controls, without those that `skipped` matches. */
async function labelsOf(controls: Locator): Promise<readonly string[]> {
  const names = await controls.evaluateAll((all) =>
    all
      .filter((one) => one.getAttribute('aria-disabled') !== 'true')
      .map((one) => one.getAttribute('aria-label') ?? (one as HTMLElement).innerText.trim()),
  )
  const different = new Set(names.map((name) => name.replace(/\s+/g, ' ').trim()))
  return [...different].filter((name) => name !== '' && !skipped.test(name))
}

test.each([cid, ada])('nothing that the console offers to %s is refused', async (email) => {
  const { page } = await openAs(weft, '/records', email)
  const requests = new Requests(page)
  let used = 0
  for (const one of screens()) {
    const screen = new Screen({ page, requests, isAdmin: email === ada }, one)
    await screen.useAll()
    if (process.env['OFFERS']) process.stdout.write(`${one[0]}: ${screen.used.join(', ')}\n`)
    used += screen.used.length
  }
  expect(used).toBeGreaterThan(100)
})
