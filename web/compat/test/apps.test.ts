import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import webpack from 'webpack'
import { startServer } from '../../client/test/server.ts'
import { profile } from '../../e2e/browser.ts'
import { main as buildPackage } from '../build.ts'

// Tests of the applications in `apps/`. They are built outside the workspace with this package in place of the
// incumbent's, and run in Chromium against the real server.

const password = 'correct horse battery'
const folder = mkdtempSync(join(tmpdir(), 'weft-apps-'))
let origin = ''

beforeAll(async () => {
  const installed = join(folder, 'node_modules/mftsccs-browser')
  await buildPackage([installed])
  symlinkSync(installed, join(folder, 'node_modules/mftsccs'))
  cpSync(join(import.meta.dirname, '../apps'), folder, { recursive: true })
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin)
    try {
      const type = types[extname(pathname)] ?? 'text/html; charset=utf-8'
      const file = extname(pathname) ? pathname : `${pathname}/index.html`
      response.setHeader('Content-Type', type).end(readFileSync(join(folder, 'built', file)))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  cpSync(join(installed, 'serviceWorker.bundle.js'), join(folder, 'built/serviceWorker.bundle.js'))
})

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' }

afterAll(() => rmSync(folder, { recursive: true }))

/** The builds, by the names under which they are served. Several tests use the same build. */
const builds = new Map<string, Promise<string>>()

function buildOnce(name: string, build: () => Promise<string>): Promise<string> {
  const built = builds.get(name) ?? build()
  builds.set(name, built)
  return built
}

/** Builds an application as its own project, with webpack. It is served as `name-webpack`. */
const buildWithWebpack = (name: string): Promise<string> =>
  buildOnce(`${name}-webpack`, () => runWebpack(name))

async function runWebpack(name: string): Promise<string> {
  const path = join(folder, 'built', `${name}-webpack`)
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
    const context = join(folder, name)
    const entry = './main.js'
    // Minifying takes most of the time, so one application is minified.
    const optimization = { minimize: name === 'online' }
    webpack(
      { context, entry, mode: 'production', target: 'web', output: { path }, optimization },
      (error, stats) => (error ? reject(error) : resolve(stats)),
    )
  })
  const { errors, warnings } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {}
  expect({ errors, warnings: warnings?.filter(({ message }) => !isAboutSize(message)) }).toEqual({
    errors: [],
    warnings: [],
  })
  writeFileSync(
    join(path, 'index.html'),
    `<!doctype html><html lang="en"><title>${name}</title><body><script defer src="main.js"></script></body></html>`,
  )
  const scripts = readdirSync(path).filter((file) => file.endsWith('.js'))
  const list = scripts.map((file) => `/${name}-webpack/${file}`)
  writeFileSync(join(path, 'assets.json'), JSON.stringify(list))
  return `${name}-webpack`
}

const isAboutSize = (message: string): boolean => /size limit|performance/.test(message)

/** Builds an application as its own project, with Vite. */
const buildApp = (name: string, main: string): Promise<string> =>
  buildOnce(name, () => runVite(name, main))

async function runVite(name: string, main: string): Promise<string> {
  const root = join(folder, name)
  writeFileSync(
    join(root, 'index.html'),
    `<!doctype html><html lang="en"><title>${name}</title><body><script type="module" src="./${main}"></script></body></html>`,
  )
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    base: './',
    build: { outDir: join(folder, 'built', name), emptyOutDir: false, target: 'es2022' },
  })
  const assets = readdirSync(join(folder, 'built', name, 'assets'))
  const list = assets.map((file) => `/${name}/assets/${file}`)
  writeFileSync(join(folder, 'built', name, 'assets.json'), JSON.stringify(list))
  return name
}

/** Opens an application in a new browser profile. */
async function openApp(name: string, server: string): Promise<Page> {
  const page = await (await profile()).newPage()
  await page.goto(`${origin}/${name}/index.html?server=${encodeURIComponent(server)}`)
  return page
}

async function logIn(page: Page, email: string, word = password): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(word)
  await page.getByRole('button', { name: 'Log in' }).click()
}

async function register(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('Registered').waitFor()
}

async function add(page: Page, text: string): Promise<void> {
  await page.getByLabel('New note').fill(text)
  await page.getByRole('button', { name: 'Add' }).click()
}

/** Waits until an application has saved the new notes. A note is visible earlier, but lost with the page. */
const untilSaved = (page: Page) =>
  page.locator('body[aria-busy=true]').waitFor({ state: 'detached' })

/** Returns the texts of the list. A text that is done has a mark. */
const shown = (page: Page): Promise<string[]> =>
  page
    .locator('li')
    .evaluateAll((items) =>
      items.map(
        ({ children: [box, field] }) =>
          (field as HTMLInputElement).value + ((box as HTMLInputElement).checked ? ' (done)' : ''),
      ),
    )

/** Waits until the list has these texts. The error lists the texts on the page, its unsent writes, and the notes on the server. */
async function expectShown(page: Page, ...texts: string[]): Promise<void> {
  try {
    await expect.poll(async () => (await shown(page)).sort()).toEqual(texts.sort())
  } catch (cause) {
    const state = await page.evaluate(readState).catch(String)
    throw new Error(`${cause}\nstate of the page: ${JSON.stringify(state, null, 1)}`, { cause })
  }
}

/** Reads the text of the page, the writes on its disk, and the notes on the server. Runs in the page. */
async function readState() {
  const result = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const unsent: unknown[] = []
  for (const { name = '' } of await indexedDB.databases()) {
    const db = await result(indexedDB.open(name))
    if (db.objectStoreNames.contains('outbox'))
      unsent.push(...(await result(db.transaction('outbox').objectStore('outbox').getAll())))
    db.close()
  }
  const url = new URLSearchParams(location.search).get('server') ?? ''
  const { token } = JSON.parse(localStorage.getItem('profile') ?? '{}')
  const query = { type: 'the_note', selectors: ['self', 'the_note_text', 'the_note_done'] }
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const post = async (path: string, body: unknown): Promise<any> =>
    (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  const answer = await post('/api/freeschema-query', { ...query, inpage: 100, outputFormat: 1 })
  const links = await post('/api/get_connection_bulk', answer.linkers)
  const ends = links.map((link: { toTheConceptId: number }) => link.toTheConceptId)
  const values = await post('/api/get_concept_bulk', ends)
  return {
    html: document.body.innerHTML,
    unsent,
    server: { answer, values: values.map((c: { characterValue: string }) => c.characterValue) },
  }
}

/** Changes the text of a note in the form of the application. */
async function rename(page: Page, from: string, to: string): Promise<void> {
  const item = page.locator('li').nth((await shown(page)).indexOf(from))
  const edit = item.getByRole('button', { name: 'Edit' })
  if ((await edit.count()) > 0) {
    await edit.click()
    return add(page, to)
  }
  await item.locator('[name=text]').fill(to)
  await item.getByRole('button', { name: 'Save' }).click()
}

const itemOf = async (page: Page, text: string) =>
  page.locator('li').nth((await shown(page)).indexOf(text))

/** Drives an application through accounts, notes, and other users. */
async function drive(name: string): Promise<void> {
  const server = await startServer()
  const page = await openApp(name, server)
  await register(page, 'ann@example.org')
  await logIn(page, 'ann@example.org', 'not the password')
  await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/password/i)
  await logIn(page, 'ann@example.org')
  await add(page, 'Buy thread')
  await expectShown(page, 'Buy thread')
  await add(page, 'Buy wool')
  await expectShown(page, 'Buy thread', 'Buy wool')
  await untilSaved(page)
  await page.reload()
  await expectShown(page, 'Buy thread', 'Buy wool')

  await rename(page, 'Buy wool', 'Buy silk')
  await expectShown(page, 'Buy thread', 'Buy silk')
  await (await itemOf(page, 'Buy silk')).getByRole('checkbox').check()
  await expectShown(page, 'Buy thread', 'Buy silk (done)')
  await (await itemOf(page, 'Buy thread')).getByRole('button', { name: 'Remove' }).click()
  await expectShown(page, 'Buy silk (done)')

  const elsewhere = await openApp(name, server)
  await logIn(elsewhere, 'ann@example.org')
  await expectShown(elsewhere, 'Buy silk (done)')
  const other = await openApp(name, server)
  await register(other, 'bob@example.org')
  await logIn(other, 'bob@example.org')
  await add(other, 'Of Bob')
  await expectShown(other, 'Of Bob')
}

const apps = [
  ['compositions', 'main.js'],
  ['typed', 'main.ts'],
  ['online', 'main.js'],
  ['widgets', 'main.js'],
  ['base-class', 'main.js'],
  ['worker', 'main.js'],
] as const

test.each(apps)('the application "%s" works unchanged', async (name, main) => {
  await drive(await buildApp(name, main))
})

test.each(apps)('the application "%s" works unchanged, built with webpack', async (name, main) => {
  if (main === 'main.ts') compileTypes(name)
  await drive(await buildWithWebpack(name))
})

/** Compiles the TypeScript of an application, with all checks, to a script next to it. */
function compileTypes(name: string): void {
  const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')
  const options = ['--noEmitOnError', '--strict', '--target', 'es2022', '--module', 'esnext']
  const resolution = ['--moduleResolution', 'bundler', '--ignoreConfig', `${name}/main.ts`]
  execFileSync(compiler, [...options, ...resolution], { cwd: folder })
}

test.each(['compositions', 'typed', 'widgets', 'worker'])(
  'the application "%s" keeps offline writes and sends them later',
  async (name) => {
    await buildApp(name, name === 'typed' ? 'main.ts' : 'main.js')
    const server = await startServer()
    const page = await openApp(name, server)
    await register(page, 'ann@example.org')
    await logIn(page, 'ann@example.org')
    await add(page, 'Buy thread')
    await expectShown(page, 'Buy thread')
    await page.context().setOffline(true)
    await add(page, 'Buy wool')
    await expectShown(page, 'Buy thread', 'Buy wool')
    await page.context().setOffline(false)
    const elsewhere = await openApp(name, server)
    await logIn(elsewhere, 'ann@example.org')
    await expectShown(elsewhere, 'Buy thread', 'Buy wool')
  },
)

test('an application with the service worker starts without a network', async () => {
  await startOffline(await buildApp('worker', 'main.js'))
})

test('an application with the service worker, built with webpack, starts without a network', async () => {
  await startOffline(await buildWithWebpack('worker'))
})

/** Drives an application with the service worker: reloads it and writes without a network. */
async function startOffline(name: string): Promise<void> {
  const server = await startServer()
  const page = await openApp(name, server)
  await register(page, 'ann@example.org')
  await logIn(page, 'ann@example.org')
  await add(page, 'Buy thread')
  await page.evaluate(async () => void (await navigator.serviceWorker.ready))
  await untilSaved(page)
  await page.reload()
  await expectShown(page, 'Buy thread')
  await page.context().setOffline(true)
  await add(page, 'Buy wool')
  await expectShown(page, 'Buy thread', 'Buy wool')
  await untilSaved(page)
  await page.reload()
  await expectShown(page, 'Buy thread', 'Buy wool')
  await page.context().setOffline(false)
  const elsewhere = await openApp(name, server)
  await logIn(elsewhere, 'ann@example.org')
  await expectShown(elsewhere, 'Buy thread', 'Buy wool')
}

test('the positions of concepts are kept after a reload and in another profile', async () => {
  await buildApp('places', 'main.js')
  const server = await startServer()
  const page = await openApp('places', server)
  await register(page, 'ann@example.org')
  await logIn(page, 'ann@example.org')
  await page.getByRole('button', { name: 'Log out' }).waitFor()
  const shape = await page.evaluate("drawing.add('circle', { x: 120, y: -45.5 })")
  const group = await page.evaluate('drawing.addTogether({ x: 7, y: 0 })')
  const plain = await page.evaluate("drawing.add('square')")
  const made = [shape, group, plain] as { id: number; x: number; y: number }[]
  const places = [
    [120, -45.5],
    [7, 0],
    [0, 0],
  ]
  expect(made.map(({ x, y }) => [x, y])).toEqual(places)
  const read = (at: Page, ids: readonly number[]) =>
    at.evaluate(`Promise.all([${ids}].map(drawing.read))`) as Promise<typeof made>
  const placesAt = async (at: Page, ids: readonly number[]) =>
    (await read(at, ids)).map(({ x, y }) => [x, y])
  const ids = made.map(({ id }) => id)
  const realIds = async () => (await read(page, ids)).map(({ id }) => id)
  await expect.poll(async () => Math.min(...(await realIds()))).toBeGreaterThan(0)
  const real = await realIds()
  expect(await placesAt(page, real)).toEqual(places)

  await page.context().setOffline(true)
  expect(await placesAt(page, ids)).toEqual(places)
  await page.context().setOffline(false)
  await page.reload()
  await page.waitForFunction('window.drawing')
  expect(await placesAt(page, real)).toEqual(places)

  const elsewhere = await openApp('places', server)
  await logIn(elsewhere, 'ann@example.org')
  await elsewhere.getByRole('button', { name: 'Log out' }).waitFor()
  expect(await placesAt(elsewhere, real)).toEqual(places)
})

test('a transaction is rolled back when its page is closed without a commit, and not before', async () => {
  await buildApp('transactions', 'main.js')
  const server = await startServer()
  const page = await openApp('transactions', server)
  await register(page, 'ann@example.org')
  await logIn(page, 'ann@example.org')
  await page.waitForFunction("localStorage.getItem('profile')")
  const write = (at: Page, text: string) => at.evaluate(`draft.write('${text}')`) as Promise<number>
  const read = (at: Page, id: number) => at.evaluate(`draft.read(${id})`)
  const openSecond = async () => {
    const second = await page.context().newPage()
    await second.goto(page.url())
    await second.waitForSelector('html[data-open]')
    return second
  }

  const abandoned = await write(page, 'Buy thread')
  const second = await openSecond()
  expect(await read(second, abandoned)).toBe('Buy thread')
  await page.reload()
  await page.waitForSelector('html[data-open]')
  await expect.poll(() => read(page, abandoned)).toBeUndefined()
  await expect.poll(() => read(second, abandoned)).toBeUndefined()

  const committed = await write(second, 'Buy wool')
  const third = await openSecond()
  expect(await read(third, committed)).toBe('Buy wool')
  await second.evaluate('draft.commit()')
  await second.close()
  await third.reload()
  await third.waitForSelector('html[data-open]')
  expect(await read(third, committed)).toBe('Buy wool')
})
