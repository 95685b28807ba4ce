import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { profile } from './browser.ts'
import { binary, startWeft, type Weft } from './weft.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/widgets.md'), 'utf8')
const guideAddress = 'http://127.0.0.1:8080'

const files = [...guide.matchAll(/^`(site\/\S+)`\n\n```\w+\n(.*?)^```$/gms)]
const commands = [...guide.matchAll(/^```sh\n(.*?)^```\n```text\n(.*?)^```$/gms)]
const pushes = commands.filter(([text]) => !text.includes(guideAddress))
const [guestCommand] = commands.filter(([text]) => text.includes(guideAddress))
const programs = [...guide.matchAll(/^```(tsx?)\n(.*?)^```$/gms)]

test('every example of the widget guide is run', () => {
  const fences = guide.match(/^```/gm)?.length ?? 0
  expect(2 * (files.length + 2 * commands.length + programs.length)).toBe(fences)
})

test('the files of the widget guide produce the pages that the guide describes', async () => {
  const weft = await startWeft()
  await pushExamples(weft)
  const page = await (await profile()).newPage()

  await page.goto(`${weft.url}/workshop`)
  const [left, right] = [page.locator('#left'), page.locator('#right')]
  await left.getByText('0 rows').waitFor()
  await right.getByText('0 rows').waitFor()
  await left.getByRole('button').click({ clickCount: 2 })
  await right.getByRole('button').click()
  await left.getByText('2 rows').waitFor()
  await expect.poll(() => page.locator('#sum').textContent()).toBe('3')
  await expect
    .poll(async () => Number(await page.locator('#pages').textContent()))
    .toBeGreaterThan(9)
  expect(await left.locator('output').evaluate((rows) => getComputedStyle(rows).fontWeight)).toBe(
    '700',
  )
  await page.getByTitle('Documentation').click()
  await page.getByText('Two looms, and the sum of what they weave.').waitFor()

  await page.goto(`${weft.url}/order`)
  await page.getByLabel('E-mail').fill('nobody')
  await page.getByRole('button', { name: 'Order' }).click()
  await page.getByText('Invalid value for email').waitFor()
  await page.getByText('The field metres is required.').waitFor()
  await page.getByLabel('E-mail').fill('ann@example.org')
  await page.getByLabel('Metres').fill('501')
  await page.getByRole('button', { name: 'Order' }).click()
  await page.getByText('501').or(page.getByText('500')).first().waitFor()
  expect(page.url()).toBe(`${weft.url}/order`)
  await page.getByLabel('Metres').fill('12')
  await page.getByRole('button', { name: 'Order' }).click()
  await page.waitForURL(/workshop\?email=ann/)
})

test('the programs of the widget guide do what the guide describes', async () => {
  const weft = await startWeft()
  await pushExamples(weft)
  const page = await openPrograms(weft, writeGuestWidget(weft))

  const staticDice = page.locator('#dice')
  await staticDice.getByText('not rolled').waitFor()
  await staticDice.getByRole('button').click()
  expect(await staticDice.textContent()).toContain('not rolled')
  expect(await page.locator('iframe').count()).toBe(0)

  await page.getByText('A component of the application').waitFor()
  await page.locator('#right').getByText('0 rows').waitFor()
  await page.getByText('Good morning, Ann').waitFor()

  const order = page.locator('#order')
  await order.getByRole('button').click()
  await order.getByText('The field e-mail is required.').waitFor()
  await order.getByLabel('E-mail').fill('ann@example.org')
  await order.getByLabel('Metres').fill('12')
  await order.getByRole('button').click()
  await order.getByRole('button', { name: 'Ordered' }).waitFor()

  await page.getByRole('combobox').fill('worksh')
  await page.getByRole('option', { name: 'Workshop' }).click()
  await page.getByText('Chosen: Workshop').waitFor()
  await page.getByText('All 2 concepts').click()
  await page.locator('#threads').getByRole('button', { name: /^weft/ }).click()
  await page.getByText('crosses').first().waitFor()

  await weft.kill()
  await weft.start(['--anonymous-writes', '--sandbox-owners', 'all'])
  await page.reload()
  const frame = page.frameLocator('#dice iframe')
  await frame.getByText('not rolled').waitFor()
  await frame.getByRole('button').click()
  await frame.getByText('rolled', { exact: true }).waitFor()
  await page.getByText('Received: 1').waitFor()
})

/** Writes the files of the guide and runs its commands, in the order of the guide, then starts the server. */
async function pushExamples(weft: Weft): Promise<void> {
  await weft.kill()
  const dir = mkdtempSync(join(tmpdir(), 'weft-guide-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  symlinkSync(weft.data, join(dir, 'weft-data'))
  symlinkSync(binary, join(dir, 'weft'))
  const { PATH } = process.env
  const env = { ...process.env, PATH: [dir, PATH].join(delimiter) }
  let lastIndex = 0
  for (const { index, 1: command = '', 2: output } of pushes) {
    for (const { 1: name = '', 2: text = '' } of files.filter(
      (f) => f.index > lastIndex && f.index < index,
    )) {
      mkdirSync(join(dir, dirname(name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    }
    lastIndex = index
    expect(execFileSync('sh', ['-c', command], { cwd: dir, env, encoding: 'utf8' })).toBe(output)
  }
  await weft.start()
}

/** Runs the guide's command that writes a widget as a guest. Returns the id of the widget. */
function writeGuestWidget({ url }: Weft): string {
  const [, command = '', expected = ''] = guestCommand ?? []
  const output = execFileSync('sh', ['-c', command.replaceAll(guideAddress, url)], {
    encoding: 'utf8',
  })
  const [, id] = new RegExp(`^${expected.trim().replace('…', '(\\d+)')}$`).exec(output.trim()) ?? []
  if (id === undefined) throw new Error(`the server responded ${output} instead of ${expected}`)
  return id
}

/** Opens a page that runs the programs of the guide, on the origin of the server. */
async function openPrograms({ url }: Weft, id: string): Promise<Page> {
  const page = await (await profile()).newPage()
  page.on('pageerror', (error) => expect.soft(error).toBeUndefined())
  const { script, style } = await bundle(url)
  await page.route(`${url}/guide.js`, (route) =>
    route.fulfill({ body: script, contentType: 'text/javascript' }),
  )
  await page.route(`${url}/guide?*`, (route) =>
    route.fulfill({
      body: `<!doctype html><style>${style}</style><script type="module" src="/guide.js"></script>`,
      contentType: 'text/html; charset=utf-8',
    }),
  )
  await page.goto(`${url}/guide?id=${id}`)
  return page
}

/** Renders the exports of the programs. */
const main = `
import { createRoot } from 'react-dom/client'
import { WeftProvider } from '@weft/react'
import { createClient } from '@weft/client'
import { Dice, Workshop } from './guide-0.tsx'
import { Greeting } from './guide-1.ts'
import { Choose, Order, Threads } from './guide-2.tsx'

const place = (id) => {
  const element = document.body.appendChild(document.createElement('section'))
  element.id = id
  return element
}
const draw = (id, element) => createRoot(place(id)).render(element)
const weft = createClient({ url: location.origin })
draw('dice', <Dice id={Number(new URLSearchParams(location.search).get('id'))} />)
draw('workshop', <Workshop />)
draw('order', <Order send={async () => {}} />)
draw('choose', <WeftProvider client={weft}><Choose /></WeftProvider>)
draw('threads', <Threads />)
const greeting = new Greeting()
greeting.data = 'Ann'
greeting.mount(place('greeting'))
`

async function bundle(url: string): Promise<{ script: string; style: string }> {
  const texts = new Map(
    programs.map(([, kind, text = ''], i) => [
      join(import.meta.dirname, `guide-${i}.${kind}`),
      text.replaceAll(guideAddress, url),
    ]),
  )
  const entry = join(import.meta.dirname, 'guide.tsx')
  texts.set(entry, main)
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"development"' },
    plugins: [
      {
        name: 'guide',
        enforce: 'pre',
        resolveId: (id) => [...texts.keys()].find((path) => path.endsWith(id.replace('./', '/'))),
        load: (id) => texts.get(id),
      },
    ],
    build: {
      write: false,
      target: 'esnext',
      lib: { entry, formats: ['es'] },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput[]
  const parts = built.flatMap((part) => part.output)
  const text = (ending: string) => {
    const part = parts.find(({ fileName }) => fileName.endsWith(ending))
    return part?.type === 'chunk' ? part.code : String(part?.source ?? '')
  }
  return { script: text('.js'), style: text('.css') }
}
