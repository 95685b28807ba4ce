import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { preview, runCreate, runScript, temporaryFolder } from '../create/test/app.ts'
import { accessibilityViolations } from '../react/test/axe.ts'
import { profile } from './browser.ts'
import { startWeft } from './weft.ts'

const { WRITE } = process.env
const tutorial = readFileSync(join(import.meta.dirname, '../../docs/tutorial.md'), 'utf8')
const example = join(import.meta.dirname, '../examples/crm')
const password = 'correct horse battery'

/** A step of the tutorial: the files that it writes, by path, and the commands that it runs. */
interface Step {
  readonly files: ReadonlyMap<string, string>
  readonly commands: readonly string[]
}

const steps: readonly Step[] = tutorial
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    files: new Map(
      [...section.matchAll(/^`([\w./-]+)`\n\n```\w+\n(.*?)^```/gms)].map(
        ([, path = '', text = '']) => [path, text],
      ),
    ),
    commands: [...section.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, text = '']) =>
      text.trim().split('\n'),
    ),
  }))

test('the example has the files of the tutorial', () => {
  const files = new Map(steps.flatMap(({ files }) => [...files]))
  for (const [path, text] of files) {
    if (WRITE) writeFileSync(join(example, path), text)
    expect(readFileSync(join(example, path), 'utf8'), path).toBe(text)
  }
  const written = readdirSync(join(example, 'src')).map((name) => `src/${name}`)
  expect(written.sort()).toEqual([...files.keys()].sort())
})

test('the tutorial makes a CRM that works offline and in two browsers', {
  timeout: 900_000,
}, async () => {
  const weft = await startWeft()
  const app = buildApp(weft.url)
  const url = await preview(app)
  const context = await profile()
  const page = await context.newPage()
  await page.goto(url)
  await enter(page, 'Create account')
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')

  await addCompany(page, 'Acme', 'Lyon')
  await addContact(page, { name: 'Ann', email: 'ann@example.org', company: 'Acme', vip: true })
  await addContact(page, { name: 'Bo' })
  await expect.poll(() => contacts(page)).toEqual(['Ann ★|ann@example.org|Acme', 'Bo||'])
  await page.getByText('Acme, Lyon (1)').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])

  await refuseWrongInput(page)
  await filterAndSort(page)
  await editAndUndo(page)

  const other = await (await profile()).newPage()
  await other.goto(url)
  await enter(other, 'Sign in')
  await expect.poll(() => contacts(other)).toEqual(['Ann ★|ann@example.org|Acme', 'Bo||'])
  await addContact(other, { name: 'Cy', company: 'Acme' })
  await expect
    .poll(() => contacts(page))
    .toEqual(['Ann ★|ann@example.org|Acme', 'Bo||', 'Cy||Acme'])

  await saved(page)
  await weft.kill()
  await page.reload()
  await addContact(page, { name: 'Dee' })
  await page.getByRole('button', { name: 'Remove Cy' }).click()
  const offline = ['Ann ★|ann@example.org|Acme', 'Bo||', 'Dee not sent yet||']
  await expect.poll(() => contacts(page)).toEqual(offline)
  await page.getByText('Offline, 2 changes to send').waitFor()
  await page.reload()
  await expect.poll(() => contacts(page)).toEqual(offline)

  await weft.start([])
  await saved(page)
  await expect.poll(() => contacts(other)).toEqual(['Ann ★|ann@example.org|Acme', 'Bo||', 'Dee||'])
  await showPages(page)
})

/** Follows the steps of the tutorial in a temporary folder, with a type check after each step that writes files. */
function buildApp(server: string): string {
  const folder = temporaryFolder()
  const app = join(folder, 'crm')
  const commands: string[] = []
  for (const step of steps) {
    for (const command of step.commands) {
      commands.push(command)
      const [program, , ...args] = command.replaceAll('http://127.0.0.1:8080', server).split(' ')
      if (program === 'npx') {
        const { status, stderr } = runCreate(server, folder, args)
        expect(status, stderr).toBe(0)
      }
      if (command === 'npm run build') runScript(app, 'build')
    }
    for (const [path, text] of step.files)
      writeFileSync(join(app, path), text.replaceAll('http://127.0.0.1:8080', server))
    if (step.files.size > 0) runScript(app, 'check')
  }
  const [create, ...others] = commands
  expect(create).toMatch(/^npx http:\/\/127\.0\.0\.1:8080\/packages\/create-weft\.tgz crm /)
  expect(others).toEqual(['cd crm', 'npm run dev', 'npm run build', 'npm run preview'])
  return app
}

async function enter(page: Page, button: 'Create account' | 'Sign in'): Promise<void> {
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('heading', { name: 'Contacts' }).waitFor()
}

async function addCompany(page: Page, name: string, city: string): Promise<void> {
  await page.getByPlaceholder('Company').fill(name)
  await page.getByLabel('City').fill(city)
  await page.getByRole('button', { name: 'Add company' }).click()
}

interface NewContact {
  readonly name: string
  readonly email?: string
  readonly company?: string
  readonly vip?: boolean
}

async function addContact(
  page: Page,
  { name, email = '', company, vip }: NewContact,
): Promise<void> {
  const form = page.getByRole('form', { name: 'Add contact' })
  await form.getByLabel('Name').fill(name)
  await form.getByLabel('E-mail').fill(email)
  if (company) await form.getByLabel('Company').selectOption({ label: company })
  if (vip) await form.getByLabel('VIP').check()
  await form.getByRole('button').click()
}

/** Returns the shown contacts as `name|email|company`. */
const contacts = async (page: Page): Promise<string[]> => {
  const rows = await page.getByRole('table', { name: 'Contacts' }).getByRole('row').all()
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.getByRole('cell').allInnerTexts()
      return cells
        .slice(0, 3)
        .map((text) => text.trim())
        .join('|')
    }),
  )
}

const saved = (page: Page) => page.getByText('All changes are saved').waitFor()

async function refuseWrongInput(page: Page): Promise<void> {
  const form = page.getByRole('form', { name: 'Add contact' })
  await addContact(page, { name: 'Eve', email: 'no address' })
  await form.getByRole('alert').waitFor()
  expect(await form.getByRole('alert').innerText()).toContain('mail')
  expect(await contacts(page)).toHaveLength(2)
  await form.getByLabel('Name').fill('')
  await form.getByLabel('E-mail').fill('')
}

async function filterAndSort(page: Page): Promise<void> {
  await page.getByLabel('Search').fill('AN')
  await expect.poll(() => contacts(page)).toEqual(['Ann ★|ann@example.org|Acme'])
  await page.getByLabel('Search').fill('')
  await page.getByLabel('Only VIPs').check()
  await expect.poll(() => contacts(page)).toEqual(['Ann ★|ann@example.org|Acme'])
  await page.getByLabel('Only VIPs').uncheck()
  await page.getByLabel('Order').selectOption('Name, Z to A')
  await expect.poll(() => contacts(page)).toEqual(['Bo||', 'Ann ★|ann@example.org|Acme'])
  await page.getByLabel('Order').selectOption('Name, A to Z')
  await expect.poll(() => contacts(page)).toEqual(['Ann ★|ann@example.org|Acme', 'Bo||'])
}

async function editAndUndo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit Ann' }).click()
  const form = page.getByRole('form', { name: 'Save' })
  await form.getByLabel('Name').fill('Anna')
  await form.getByLabel('VIP').uncheck()
  await form.getByLabel('Company').selectOption('')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => contacts(page)).toEqual(['Anna|ann@example.org|', 'Bo||'])
  await page.getByText('Acme, Lyon (0)').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => contacts(page)).toEqual(['Ann ★|ann@example.org|Acme', 'Bo||'])
  await page.getByRole('button', { name: 'Remove Ann' }).click()
  await expect.poll(() => contacts(page)).toEqual(['Bo||'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => contacts(page)).toEqual(['Ann ★|ann@example.org|Acme', 'Bo||'])
  await page.getByText('Acme, Lyon (1)').waitFor()
  await saved(page)
}

/** Adds nine contacts to the existing ones, so that the list has a second page, and shows that page. */
async function showPages(page: Page): Promise<void> {
  const names = Array.from({ length: 9 }, (_, i) => `Person ${i}`)
  for (const name of names) await addContact(page, { name })
  await expect.poll(async () => (await contacts(page)).length).toBe(10)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect
    .poll(async () => (await contacts(page)).slice(3))
    .toEqual(names.map((name) => expect.stringContaining(name)))
}
