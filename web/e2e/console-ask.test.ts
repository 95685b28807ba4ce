import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type AppPage, expectNoPageDefects, openApp, pressEnter } from './app.ts'
import { binary, startWeft, type Weft } from './weft.ts'

const docs = join(import.meta.dirname, '../../docs')
const guide = readFileSync(join(docs, 'query.md'), 'utf8')
/** The queries of the guide: the blocks of JSON that are followed by a block with their answer. */
const examples = [...guide.matchAll(/```json\n(\{[\s\S]*?)```\n```json\n/g)].map(
  ([, text = '']) => JSON.parse(text) as Node,
)

interface Node {
  readonly [member: string]: unknown
  readonly selectors?: readonly string[]
  readonly freeschemaQueries?: readonly Node[]
  readonly filters?: readonly Filter[]
  readonly orderBy?: readonly OrderKey[]
  readonly filterLogic?: string
}

interface Filter {
  readonly name: string
  readonly operateon?: string
  readonly type?: string
  readonly logicoperator?: string
  readonly search?: string
}

interface OrderKey {
  readonly connection?: string
  readonly field?: string
}

const password = 'correct horse'

/** Adds the records of the shop. Each session adds its own copy of them. */
async function addShop(weft: Weft, session: string): Promise<void> {
  const response = await fetch(`${weft.url}/api/v1/local-concepts`, {
    method: 'POST',
    headers: { 'X-Session-Id': session, Randomizer: '1' },
    body: readFileSync(join(docs, 'examples/shop.json')),
  })
  expect(response.ok).toBe(true)
}

/** Starts a server with an admin and the shop of the guide, whose records all users may read. */
async function startShop(): Promise<Weft> {
  const weft = await startWeft()
  await weft.kill()
  const add = ['user', 'add', 'ada@example.org', '--password-stdin', '--data', weft.data, '--admin']
  execFileSync(binary, add, { input: password })
  await weft.start()
  await addShop(weft, 'shop')
  return weft
}

async function open(weft: Weft, path: string): Promise<AppPage> {
  const app = await openApp(`${weft.url}/console${path}`)
  await app.page.getByLabel('E-mail').focus()
  await app.page.keyboard.type('ada@example.org')
  await app.page.keyboard.press('Tab')
  await app.page.keyboard.type(password)
  await app.page.keyboard.press('Enter')
  await app.page.getByRole('navigation', { name: 'Rooms' }).first().waitFor()
  return app
}

/** Builds questions with the keyboard, without typing JSON. */
class Builder {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async build(target: Node): Promise<void> {
    const { type, selectors, freeschemaQueries, filters, orderBy, filterLogic, ...members } = target
    await this.#in(this.page.getByRole('button', { name: 'Find: Choose a type' }), () =>
      this.#type('Name of the type', String(type)),
    )
    if (Object.keys(members).length > 0)
      await this.#in(this.page.getByRole('button', { name: /^Order and pages/ }), () =>
        this.#setAll(members),
      )
    for (const key of orderBy ?? []) await this.#addOrder(key)
    await this.#addBelow(target, 0)
    for (const filter of filters ?? []) await this.#addFilter(filter, target)
    await this.#combine(target)
  }

  /** Returns the question in the address, as the builder wrote it. */
  read(): unknown {
    return JSON.parse(new URL(this.page.url()).searchParams.get('query') ?? '{}')
  }

  /** Adds fields and hops below a node. `index` is the position of the node on the page. Returns the next free position. */
  async #addBelow(node: Node, index: number): Promise<number> {
    for (const selector of node.selectors ?? [])
      await this.#in(this.page.getByRole('button', { name: /^Add a field/ }).nth(index), () =>
        this.#type('Another name', selector),
      )
    let next = index + 1
    for (const hop of node.freeschemaQueries ?? []) {
      const { typeConnection, selectors, freeschemaQueries, ...members } = hop
      await this.#in(this.page.getByRole('button', { name: /^Follow a link/ }).nth(index), () =>
        this.#type('Another name', String(typeConnection)),
      )
      if (Object.keys(members).length > 0)
        await this.#in(this.page.locator('.hop > button').nth(next - 1), () =>
          this.#setAll(members),
        )
      next = await this.#addBelow(hop, next)
    }
    return next
  }

  async #addOrder(key: OrderKey): Promise<void> {
    await this.#in(this.page.getByRole('button', { name: 'Sort by' }), () =>
      this.#type('Another name', key.connection ?? key.field ?? ''),
    )
    await this.#in(this.page.getByRole('button', { name: /^Sorted by/ }).last(), () =>
      this.#setAll({ ...key }),
    )
  }

  async #addFilter(filter: Filter, target: Node): Promise<void> {
    const nodes = nodesOf(target)
    const node = nodes.findIndex(({ name }) => name === filter.operateon)
    await this.#in(
      this.page.getByRole('button', { name: 'Add a condition by names' }),
      async () => {
        if (filter.operateon !== undefined) await this.#choose('About', node)
        if (filter.type) await this.#fill('Type of the value', filter.type)
        const op = ['', '=', '!=', 'like', '>', '>=', '<', '<=', 'exists'].indexOf(
          filter.logicoperator ?? '',
        )
        if (op > 0) await this.#choose('Condition', op)
        if (filter.search !== undefined) await this.#fill('Value', filter.search)
        await this.#fill('Name in the combination', filter.name ?? '')
        await this.page.keyboard.press('Enter')
      },
    )
  }

  async #combine({ filters = [], filterLogic }: Node): Promise<void> {
    const all = filters.map(({ name }) => name).join(' AND ')
    if (filters.length === 0 || filterLogic === all) return
    if (filterLogic === all.replaceAll('AND', 'EXAND'))
      return this.#item(/^Group:/, 'One and the same record')
    if (filterLogic === `NOT ${all}`) return this.#item(/^Condition:/, 'Not')
    await this.#in(this.page.getByRole('button', { name: /^Combination as text/ }), () =>
      this.#type('Combination, with AND, OR, NOT, EXAND and parentheses', filterLogic ?? ''),
    )
  }

  async #item(menu: RegExp, item: string): Promise<void> {
    await this.#in(this.page.getByRole('button', { name: menu }), () =>
      pressEnter(this.#popover().getByRole('button', { name: item })),
    )
  }

  async #setAll(members: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [member, value] of Object.entries(members)) {
      const label = labels[member] ?? member
      if (value === true) await this.#field(label).press('Space')
      else if (member in choices)
        await this.#choose(label, (choices[member] ?? []).indexOf(String(value)))
      else await this.#type(label, String(value))
    }
  }

  /** Opens a menu, runs `work` in it, and closes it if it is still open. */
  async #in(button: Locator, work: () => Promise<void>): Promise<void> {
    await pressEnter(button)
    // A menu focuses its first control after it has opened.
    await this.page.locator('.menu:popover-open :focus').waitFor()
    await work()
    if (await this.#popover().isVisible()) await this.page.keyboard.press('Escape')
    await this.#popover().waitFor({ state: 'hidden' })
  }

  #popover(): Locator {
    return this.page.locator('.menu:popover-open')
  }

  #field(label: string): Locator {
    return this.#popover().getByLabel(label, { exact: true })
  }

  async #fill(label: string, text: string): Promise<void> {
    await this.#field(label).focus()
    await this.page.keyboard.press('Control+a')
    await this.page.keyboard.press('Delete')
    await this.page.keyboard.insertText(text)
  }

  async #type(label: string, text: string): Promise<void> {
    await this.#fill(label, text)
    await this.page.keyboard.press('Enter')
  }

  /** Chooses an option by its index, with the arrow keys. */
  async #choose(label: string, index: number): Promise<void> {
    const field = this.#field(label)
    await field.press('Home')
    for (let i = 0; i < index; i++) await field.press('ArrowDown')
  }
}

const labels: Readonly<Record<string, string>> = {
  order: 'Order',
  inpage: 'Records per page',
  page: 'Page',
  countAll: 'Count all records, even if it is slow',
  explain: 'Explain',
  warnings: 'Warn about parts without effect',
  reverse: 'In the opposite direction',
  direct: 'Only parts of the record itself',
  includeInFilter: 'Show all of them, not only those that match',
  limit: 'In pages',
  depth: 'Follow repeatedly, up to (times)',
  aggregate: 'Instead of records',
  name: 'Name',
  connection: 'Connection',
  field: 'Field',
}

const choices: Readonly<Record<string, readonly string[]>> = {
  order: ['', 'DESC', 'ASC'],
  aggregate: ['', 'count', 'group', 'distinct'],
}

const nodesOf = (node: Node): readonly Node[] => [
  node,
  ...(node.freeschemaQueries ?? []).flatMap(nodesOf),
]

test(`all ${examples.length} queries of the guide are built with the keyboard, without typing JSON, and read back`, async () => {
  const weft = await startShop()
  const { page } = await open(weft, '/ask')
  let built = 0
  for (const example of examples) {
    await page.goto(`${weft.url}/console/ask`)
    const builder = new Builder(page)
    await builder.build(example)
    expect(builder.read()).toEqual(example)
    await page.reload()
    await page.getByRole('region', { name: 'Find' }).waitFor()
    expect(builder.read()).toEqual(example)
    expect(await page.getByRole('region', { name: 'kept as written' }).count()).toBe(0)
    built++
  }
  expect(built).toBe(19)
}, 600_000)

const grouped = {
  type: 'the_order',
  inpage: 50,
  selectors: ['the_order_date'],
  freeschemaQueries: [
    { typeConnection: 'the_order_s_line', selectors: ['the_line_quantity'] },
    { typeConnection: 'the_order_status', aggregate: 'group' },
  ],
}

const addressOf = (query: object, more: Record<string, string> = {}): string =>
  `/ask?${new URLSearchParams({ query: JSON.stringify(query), ...more })}`

const formLink = (page: Page, form: string): Locator =>
  page
    .getByRole('navigation', { name: 'Form of the answer' })
    .getByRole('link', { name: form, exact: true })

test('shows the answer in every form, live, and opens the records of a group', async () => {
  const weft = await startShop()
  const app = await open(weft, addressOf(grouped))
  const { page } = app
  await page.getByRole('cell', { name: '2024-03-15' }).first().waitFor()
  await expectNoPageDefects(app)
  for (const [form, sign] of [
    ['Tree', 'the_order_s_line'],
    ['Graph', 'Records'],
    ['Chart', 'open'],
    ['JSON', '"mainCount": 4'],
    ['Plan', 'the_order_status'],
  ] as const) {
    await formLink(page, form).press('Enter')
    await page.locator('.result-body').getByText(sign).first().waitFor()
    await expectNoPageDefects(app)
  }
  await formLink(page, 'Table').press('Enter')
  await addShop(weft, 'second shop')
  // A row has two such cells: the name of the record, and its date.
  await page.getByRole('cell', { name: '2024-03-15' }).nth(2).waitFor()

  await formLink(page, 'Chart').press('Enter')
  await pressEnter(page.getByRole('button', { name: 'Pie' }))
  await page.locator('.pie svg').waitFor()
  await expectNoPageDefects(app)

  await page.getByRole('link', { name: 'Open the 4' }).first().press('Enter')
  await page.waitForURL(/operateon/)
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => page.locator('.result-body tbody tr').count()).toBe(4)
})

test('marks an error of the server at its position, and keeps a saved question', async () => {
  const weft = await startShop()
  const app = await open(
    weft,
    addressOf({
      type: 'the_order',
      filters: [{ name: 'a', search: 'x' }],
      filterLogic: 'a AND (b OR )',
    }),
  )
  const { page } = app
  await page.getByText('The question was not answered').waitFor()
  await page.locator('.query-editor .cm-lintRange-error').first().waitFor()
  await expectNoPageDefects(app)

  await page.goto(`${weft.url}/console${addressOf(grouped)}`)
  await page.getByRole('cell', { name: '2024-03-15' }).first().waitFor()
  await page.keyboard.press('Control+s')
  await page.getByLabel('Title').waitFor()
  await page.keyboard.type('Orders by status')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Saved 1 question' }).waitFor()
  await page.goto(`${weft.url}/console/ask/q/orders-by-status`)
  await page.getByRole('cell', { name: '2024-03-15' }).first().waitFor()
})

test('reads a question in words without a language model, and refuses one that it does not understand', async () => {
  const weft = await startShop()
  const { page } = await open(weft, '/ask')
  const box = page.getByRole('textbox', { name: 'Ask in words' })
  await box.focus()
  await page.keyboard.type('orders where status is open')
  await expect
    .poll(async () => {
      await page.keyboard.press('Enter')
      return page.url()
    })
    .toContain('filterLogic')
  await expect.poll(() => page.locator('.result-body tbody tr').count()).toBe(2)
  await box.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('orders that sing')
  await page.keyboard.press('Enter')
  await page.getByText('“that sing” was not understood.').waitFor()
  await page.goto(`${weft.url}/console/ask?query={`)
  await page.getByText('The address does not contain a valid question').waitFor()
})
