import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { adminOf } from './admin.ts'
import { profile } from './browser.ts'
import { binary, startWeft, type Weft } from './weft.ts'

const placeholder = (id: string) => `<div id="${id}" class="added-widget-container"></div>`

/** The files of a page whose widget has code. The widget contains two others: one of the admin and one of a guest. */
const files = (guestFolder: string): Record<string, string> => ({
  'pages/loom.json': JSON.stringify({ slug: '/loom', title: 'The loom', body: 'loom' }),
  'widgets/loom/widget.json': JSON.stringify({
    name: 'Loom',
    children: [
      { wrapper: 'knot', widget: 'knot' },
      { wrapper: 'guest', widget: guestFolder },
    ],
    documentation: [{ title: 'How to weave', content: '<p>Over and under.</p>' }],
  }),
  'widgets/loom/widget.html': `<main id="content"><h1>The loom</h1><p class="message">idle</p>${placeholder('knot')}${placeholder('guest')}</main>`,
  'widgets/loom/before_render.js': 'this.first = this.greeting("weft"); await this.render()',
  'widgets/loom/after_render.js': 'this.querySelector(".message").textContent = this.first',
  'widgets/loom/functions/greeting.js': 'this.greeting = (name) => "Hello " + name',
  'widgets/knot/widget.json': JSON.stringify({ name: 'Knot' }),
  'widgets/knot/widget.html': '<button type="button">tie</button>',
  'widgets/knot/after_render.js':
    'this.querySelector("button").addEventListener("click", () => { this.parentWidget.querySelector(".message").textContent = "tied" })',
})

test('widget code of an admin runs under the Content-Security-Policy of the page and updates when published', async () => {
  const weft = await startWeft()
  const guestWidget = await storeWidget(weft, {
    name: 'Guest',
    html: '<p id="guest-message">untouched</p>',
    after_render:
      'let result; try { parent.document } catch { result = "ran alone" }; this.querySelector("#guest-message").textContent = result',
  })
  const token = await adminOf(weft)
  const dir = join(weft.data, 'loom')
  const content = (...args: string[]) =>
    execFileSync(binary, ['content', ...args, '--url', weft.url], {
      env: { ...process.env, WEFT_TOKEN: token },
      encoding: 'utf8',
    })
  content('pull', dir, String(guestWidget))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  for (const [path, text] of Object.entries(files('guest'))) write(path, text)
  expect(content('push', dir, '--publish')).toContain('page pages/loom.json: new')

  const page = await (await profile()).newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  const changeStream = page.waitForResponse((response) => response.url().includes('/api/v1/events'))
  const pageResponse = await page.goto(`${weft.url}/loom?live`)
  expect(pageResponse?.headers()['content-security-policy']).not.toMatch(/unsafe-(eval|inline)/)
  const message = page.locator('.message')
  await page.getByText('Hello weft', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'tie' }).click()
  expect(await message.innerText()).toBe('tied')
  // The code of the guest's widget does not run, although the widget around it runs code.
  expect(await page.locator('#guest-message').innerText()).toBe('untouched')
  expect(await page.locator('iframe').count()).toBe(0)

  await page.getByTitle('Documentation').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('How to weave').first().waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })

  await changeStream
  write('widgets/loom/functions/greeting.js', 'this.greeting = (name) => "Good evening " + name')
  expect(content('push', dir, '--publish')).toContain('widget loom: version 1')
  await page.getByText('Good evening weft', { exact: true }).waitFor()
  expect(errors).toEqual([])

  await weft.kill()
  await weft.start(['--sandbox-owners', 'all'])
  await page.goto(`${weft.url}/loom`)
  await page.getByText('Good evening weft', { exact: true }).waitFor()
  await page.frameLocator('iframe').getByText('ran alone').waitFor()
})

/** Stores a public widget the way page builders do. Returns its id. */
async function storeWidget(weft: Weft, fields: Record<string, string>): Promise<number> {
  const concept = (id: number, typeCharacter: string, characterValue: string) => ({
    id,
    accessId: 5,
    categoryId: 4,
    typeCharacter,
    characterValue,
    isComposition: id === -1,
  })
  const values = Object.entries(fields)
  const response = await fetch(`${weft.url}/api/v1/local-concepts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Randomizer: '1' },
    body: JSON.stringify({
      concepts: [
        concept(-1, 'the_widget', ''),
        ...values.map(([key, value], i) => concept(-2 - i, `the_${key}`, value)),
      ],
      connections: values.map(([key], i) => ({
        id: -1 - i,
        accessId: 5,
        ofTheConceptId: -1,
        toTheConceptId: -2 - i,
        orderId: 1000,
        typeCharacter: `the_widget_${key}`,
      })),
    }),
  })
  const { concepts } = (await response.json()) as { concepts: { id: number; ghostId: number }[] }
  return concepts.find(({ ghostId }) => ghostId === -1)?.id ?? 0
}
