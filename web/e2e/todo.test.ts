import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { build, type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { accessibilityViolations } from '../react/test/axe.ts'
import { profile } from './browser.ts'
import { startNetworkProxy } from './network-proxy.ts'
import { freePort } from './program.ts'
import { startWeft } from './weft.ts'

const root = join(import.meta.dirname, '../examples/todo')
const password = 'correct horse battery'

/** The application, built once with a placeholder as the address of its server. Each test copies it and replaces the placeholder. */
const built = temporaryFolder()
const builtAddress = 'http://weft.invalid'

beforeAll(async () => {
  vi.stubEnv('VITE_WEFT', builtAddress)
  vi.stubEnv('NODE_ENV', 'production')
  await build({ root, logLevel: 'error', build: { outDir: built, emptyOutDir: true } })
  vi.unstubAllEnvs()
})
afterAll(() => rmSync(built, { recursive: true }))

describe('the todo example', () => {
  test('keeps offline changes across a reload and sends them when the connection is back', async () => {
    const app = await startApp()
    const context = await profile()
    const page = await app.open(context)
    await signInOrUp(page, 'up', 'ada@example.org')
    await page.getByText('No todos yet').waitFor()
    await context.setOffline(true)
    await page.getByText('There may be more on the server').waitFor()
    await context.setOffline(false)
    await page.getByText('No todos yet').waitFor()
    await addTodo(page, 'Buy thread')
    await page.getByText('All changes are saved').waitFor()
    await page.evaluate(async () => void (await navigator.serviceWorker.ready))

    await app.goOffline(context)
    await addTodo(page, 'Buy wool')
    await page.getByLabel('Buy thread', { exact: true }).check()
    await page.getByText('Offline. 2 changes have been saved in this browser').waitFor()
    await page.reload()
    await expect.poll(() => shownTodos(page)).toEqual(['Buy wool', 'Buy thread (done)'])
    await page.getByText('Offline. 2 changes have been saved in this browser').waitFor()
    await page.getByText('Unsent changes', { exact: true }).click()
    const unsent = page.getByRole('group').getByRole('listitem')
    await expect
      .poll(() => unsent.allTextContents())
      .toEqual(['Adding “Buy wool”', 'Changing “Buy thread”'])
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByText('open', { exact: true }).click()
    await expect.poll(() => shownTodos(page)).toEqual(['Buy wool'])
    await page.getByText('all', { exact: true }).click()

    await app.goOnline(context)
    await page.getByText('All changes are saved').waitFor()
    const elsewhere = await app.open(await profile())
    await signInOrUp(elsewhere, 'in', 'ada@example.org')
    await expect.poll(() => shownTodos(elsewhere)).toEqual(['Buy wool', 'Buy thread (done)'])
  })

  test('shows changes of one tab in another, and undoes them', async () => {
    const app = await startApp()
    const context = await profile()
    const page = await app.open(context)
    const other = await app.open(context)
    await page.bringToFront()
    await signInOrUp(page, 'up', 'ada@example.org')
    await addTodo(page, 'Buy thread')
    await expect.poll(() => shownTodos(other)).toEqual(['Buy thread'])

    await other.bringToFront()
    await other.getByRole('button', { name: 'Rename Buy thread' }).press('Enter')
    await other.getByLabel('New name of Buy thread').fill('Buy red thread')
    await other.keyboard.press('Enter')
    await expect.poll(() => shownTodos(page)).toEqual(['Buy red thread'])
    await expect
      .poll(() => other.evaluate('document.activeElement.ariaLabel'))
      .toBe('Rename Buy red thread')

    await other.keyboard.press('Control+z')
    await expect.poll(() => shownTodos(page)).toEqual(['Buy thread'])

    await page.bringToFront()
    await addTodo(page, 'Buy wool')
    await page.getByRole('button', { name: 'Remove Buy thread' }).click()
    await expect.poll(() => shownTodos(other)).toEqual(['Buy wool'])
    await page.getByRole('button', { name: 'Undo' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => shownTodos(other)).toEqual(['Buy wool', 'Buy thread'])
    await page.keyboard.press('Control+z')
    await expect.poll(() => shownTodos(other)).toEqual(['Buy thread'])
    await page.getByText('All changes are saved').waitFor()
  })

  test('asks before signing out with unsent changes, and hides them from the next user', async () => {
    const app = await startApp()
    const context = await profile()
    const page = await app.open(context)
    const other = await app.open(context)
    await page.bringToFront()
    await signInOrUp(page, 'up', 'ada@example.org')
    await addTodo(page, 'Buy thread')
    await page.getByText('All changes are saved').waitFor()
    app.network.disconnect()
    await addTodo(page, 'Buy wool')
    await page.getByRole('button', { name: 'Sign out' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign out with unsent changes?' })
    await dialog.getByText('1 change has not been saved on the server').waitFor()
    await dialog.getByRole('button', { name: 'Stay signed in' }).click()
    await expect.poll(() => shownTodos(page)).toEqual(['Buy wool', 'Buy thread'])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await other.getByRole('button', { name: 'Sign in' }).waitFor()

    app.network.reconnect()
    await signInOrUp(page, 'up', 'bo@example.org')
    await other.getByText('No todos yet').waitFor()
    expect(await shownTodos(page)).toEqual([])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signInOrUp(page, 'in', 'ada@example.org')
    await expect.poll(() => shownTodos(other)).toEqual(['Buy wool', 'Buy thread'])
    await page.getByText('All changes are saved').waitFor()
  })

  test('shows a refused change, which can be discarded', async () => {
    const app = await startApp()
    const page = await app.open(await profile())
    await signInOrUp(page, 'up', 'ada@example.org')
    await addTodo(page, 'Buy thread')
    await page.getByText('All changes are saved').waitFor()
    const elsewhere = await app.open(await app.connectedProfile())
    await signInOrUp(elsewhere, 'in', 'ada@example.org')
    app.network.disconnect()
    await page.getByLabel('Buy thread', { exact: true }).check()
    await elsewhere.getByRole('button', { name: 'Remove Buy thread' }).click()
    await elsewhere.getByText('All changes are saved').waitFor()
    app.network.reconnect()
    await page.getByText('1 change has been refused').waitFor()
    await page.getByText(/^Changing .*: the record no longer exists/).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('All changes are saved').waitFor()
    await expect.poll(() => shownTodos(page)).toEqual([])
  })

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)(
    'has no accessibility violations at %d pixels in %s mode',
    async (width, colorScheme) => {
      const app = await startApp()
      const options: BrowserContextOptions = { viewport: { width, height: 800 }, colorScheme }
      const page = await app.open(await profile(options))
      const checkScreen = async () => {
        expect(await accessibilityViolations(page)).toEqual([])
      }
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      await checkScreen()
      await signInOrUp(page, 'up', 'ada@example.org')
      await page.getByText('No todos yet').waitFor()
      await checkScreen()
      await addTodo(
        page,
        'Ask the dyer whether the madder red will hold when it is washed every week',
      )
      await addTodo(page, 'Buy thread')
      await addTodo(page, 'Oil the loom')
      await page.getByLabel('Buy thread', { exact: true }).check()
      await page.getByText('All changes are saved').waitFor()
      await checkScreen()
      app.network.disconnect()
      await addTodo(page, 'Weave')
      await page.getByRole('button', { name: 'Rename Oil the loom' }).click()
      await page.getByText('Offline. 1 change').waitFor()
      await checkScreen()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await checkScreen()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    },
  )
})

/** Starts a server behind a proxy that can disconnect, and a web server with the built application. */
async function startApp() {
  const weft = await startWeft()
  const network = await startNetworkProxy(weft.port)
  const outDir = copyOfApp(network.url)
  onTestFinished(() => rmSync(outDir, { recursive: true }))

  const port = await freePort()
  let host: PreviewServer | undefined
  const start = async () => {
    const options = { port, strictPort: true }
    host = await preview({ root, logLevel: 'error', build: { outDir }, preview: options })
  }
  const stop = async () => {
    await host?.close()
    host = undefined
  }
  await start()
  onTestFinished(stop)

  return {
    weft,
    network,
    async open(context: BrowserContext) {
      const page = await context.newPage()
      page.on('pageerror', (error) => expect.soft(error).toBeUndefined())
      await page.goto(`http://127.0.0.1:${port}`)
      return page
    },
    /** Returns a browser profile whose requests to the server bypass the proxy. */
    async connectedProfile() {
      const context = await profile({ serviceWorkers: 'block' })
      await context.route(`${network.url}/**`, (route) =>
        route.continue({ url: route.request().url().replace(network.url, weft.url) }),
      )
      return context
    },
    /** Disconnects the browser from the server and stops the web server. */
    async goOffline(context: BrowserContext) {
      await context.setOffline(true)
      network.disconnect()
      await stop()
    },
    async goOnline(context: BrowserContext) {
      await start()
      network.reconnect()
      await context.setOffline(false)
    },
  }
}

function temporaryFolder(): string {
  return mkdtempSync(join(root, '../../node_modules/.todo-'))
}

/** Copies the application, with the address of a server. Returns the folder of the copy. */
function copyOfApp(server: string): string {
  const folder = temporaryFolder()
  cpSync(built, folder, { recursive: true })
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name))
  const addressed = scripts.filter((path) => readFileSync(path, 'utf8').includes(builtAddress))
  expect(addressed).toHaveLength(1)
  for (const path of addressed)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(builtAddress, server))
  return folder
}

async function signInOrUp(page: Page, direction: 'in' | 'up', email: string): Promise<void> {
  if (direction === 'up') await page.getByRole('button', { name: 'Create an account' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: `Sign ${direction}` }).click()
  await page.getByText(email).waitFor()
}

async function addTodo(page: Page, text: string): Promise<void> {
  await page.getByLabel('New todo').fill(text)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel(text, { exact: true }).waitFor()
}

/** Returns the text of each todo on the page, in order. Completed todos end with "(done)". */
const shownTodos = (page: Page) =>
  page
    .getByRole('list', { name: 'Todos' })
    .getByRole('listitem')
    .evaluateAll((items) =>
      items.map((item) => {
        const done = item.querySelector('input')?.checked ? ' (done)' : ''
        return `${item.querySelector('.text')?.textContent}${done}`
      }),
    )
