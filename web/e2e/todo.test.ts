import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { build, type PreviewServer, preview } from 'vite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { faults } from '../react/test/axe.ts'
import { profile } from './browser.ts'
import { freePort } from './program.ts'
import { startWeft } from './weft.ts'
import { wireCutter } from './wire-cutter.ts'

const root = join(import.meta.dirname, '../examples/todo')
const password = 'correct horse battery'

describe('the example with todos', () => {
  test('what is written without a network outlives a reload without one, and is everywhere once it is back', async () => {
    const app = await world()
    const context = await profile()
    const page = await app.open(context)
    await sign(page, 'up', 'ada@example.org')
    await page.getByText('Nothing here yet').waitFor()
    await context.setOffline(true)
    await page.getByText('as far as this browser knows').waitFor()
    await context.setOffline(false)
    await page.getByText('Nothing here yet').waitFor()
    await add(page, 'Buy thread')
    await page.getByText('All changes are saved').waitFor()
    await page.evaluate(async () => void (await navigator.serviceWorker.ready))

    await app.away(context)
    await add(page, 'Buy wool')
    await page.getByLabel('Buy thread', { exact: true }).check()
    await page.getByText('Offline. 2 changes have been kept here').waitFor()
    await page.reload()
    await expect.poll(() => list(page)).toEqual(['Buy wool', 'Buy thread (done)'])
    await page.getByText('Offline. 2 changes have been kept here').waitFor()
    await page.getByText('What waits', { exact: true }).click()
    const waiting = page.getByRole('group').getByRole('listitem')
    expect(await waiting.allTextContents()).toEqual(['Adding “Buy wool”', 'Changing “Buy thread”'])
    expect(await faults(page)).toEqual([])
    await page.getByText('open', { exact: true }).click()
    expect(await list(page)).toEqual(['Buy wool'])
    await page.getByText('all', { exact: true }).click()

    await app.back(context)
    await page.getByText('All changes are saved').waitFor()
    const elsewhere = await app.open(await profile())
    await sign(elsewhere, 'in', 'ada@example.org')
    await expect.poll(() => list(elsewhere)).toEqual(['Buy wool', 'Buy thread (done)'])
  })

  test('two tabs follow each other, and what was done is taken back', async () => {
    const app = await world()
    const context = await profile()
    const page = await app.open(context)
    const other = await app.open(context)
    await page.bringToFront()
    await sign(page, 'up', 'ada@example.org')
    await add(page, 'Buy thread')
    await expect.poll(() => list(other)).toEqual(['Buy thread'])

    await other.bringToFront()
    await other.getByRole('button', { name: 'Rename Buy thread' }).press('Enter')
    await other.getByLabel('New name of Buy thread').fill('Buy red thread')
    await other.keyboard.press('Enter')
    await expect.poll(() => list(page)).toEqual(['Buy red thread'])
    expect(await other.evaluate('document.activeElement.ariaLabel')).toBe('Rename Buy red thread')

    await other.keyboard.press('Control+z')
    await expect.poll(() => list(page)).toEqual(['Buy thread'])

    await page.bringToFront()
    await add(page, 'Buy wool')
    await page.getByRole('button', { name: 'Remove Buy thread' }).click()
    await expect.poll(() => list(other)).toEqual(['Buy wool'])
    await page.keyboard.press('Enter') // the focus went to Undo
    await expect.poll(() => list(other)).toEqual(['Buy wool', 'Buy thread'])
    await page.keyboard.press('Control+z')
    await expect.poll(() => list(other)).toEqual(['Buy thread'])
    await page.getByText('All changes are saved').waitFor()
  })

  test('who signs out while something waits is asked, and the next one sees nothing of it', async () => {
    const app = await world()
    const context = await profile()
    const page = await app.open(context)
    const other = await app.open(context)
    await page.bringToFront()
    await sign(page, 'up', 'ada@example.org')
    await add(page, 'Buy thread')
    await page.getByText('All changes are saved').waitFor()
    app.cable.cut()
    await add(page, 'Buy wool')
    await page.getByRole('button', { name: 'Sign out' }).click()
    const question = page.getByRole('dialog', { name: 'Sign out all the same?' })
    await question.getByText('1 change has not reached the server').waitFor()
    await question.getByRole('button', { name: 'Stay' }).click()
    await expect.poll(() => list(page)).toEqual(['Buy wool', 'Buy thread'])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await question.getByRole('button', { name: 'Sign out' }).click()
    await other.getByRole('button', { name: 'Sign in' }).waitFor()

    app.cable.mend()
    await sign(page, 'up', 'bo@example.org')
    await other.getByText('Nothing here yet').waitFor()
    expect(await list(page)).toEqual([])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await sign(page, 'in', 'ada@example.org')
    await expect.poll(() => list(other)).toEqual(['Buy wool', 'Buy thread'])
    await page.getByText('All changes are saved').waitFor()
  })

  test('what the server refuses is shown, and can be discarded', async () => {
    const app = await world()
    const page = await app.open(await profile())
    await sign(page, 'up', 'ada@example.org')
    await add(page, 'Buy thread')
    await page.getByText('All changes are saved').waitFor()
    const elsewhere = await app.open(await app.round())
    await sign(elsewhere, 'in', 'ada@example.org')
    app.cable.cut()
    await page.getByLabel('Buy thread', { exact: true }).check()
    await elsewhere.getByRole('button', { name: 'Remove Buy thread' }).click()
    await elsewhere.getByText('All changes are saved').waitFor()
    app.cable.mend()
    await page.getByText('1 change has been refused').waitFor()
    await page.getByText(/^Changing .*: the record is not there any more/).waitFor()
    expect(await faults(page)).toEqual([])
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('All changes are saved').waitFor()
    expect(await list(page)).toEqual([])
  })

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('axe finds nothing at %d pixels, %s', async (width, colorScheme) => {
    const app = await world()
    const options: BrowserContextOptions = { viewport: { width, height: 800 }, colorScheme }
    const page = await app.open(await profile(options))
    const look = async (name: string) => {
      const path = join(import.meta.dirname, `pictures/todo-${name}-${width}-${colorScheme}.png`)
      await page.screenshot({ path })
      expect(await faults(page)).toEqual([])
    }
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await look('sign-in')
    await sign(page, 'up', 'ada@example.org')
    await page.getByText('Nothing here yet').waitFor()
    await look('empty')
    await add(page, 'Ask the dyer whether the madder red will hold when it is washed every week')
    await add(page, 'Buy thread')
    await add(page, 'Oil the loom')
    await page.getByLabel('Buy thread', { exact: true }).check()
    await page.getByText('All changes are saved').waitFor()
    await look('list')
    app.cable.cut()
    await add(page, 'Weave')
    await page.getByRole('button', { name: 'Rename Oil the loom' }).click()
    await page.getByText('Offline. 1 change').waitFor()
    await look('offline')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await look('question')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  })
})

/** A server behind a cable, and the built application on a host of its own. */
async function world() {
  const weft = await startWeft()
  const cable = await wireCutter(weft.port)
  const outDir = mkdtempSync(join(root, '../../node_modules/.todo-'))
  onTestFinished(() => rmSync(outDir, { recursive: true }))
  vi.stubEnv('VITE_WEFT', cable.url)
  vi.stubEnv('NODE_ENV', 'production')
  await build({ root, logLevel: 'error', build: { outDir } })
  vi.unstubAllEnvs()

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
    cable,
    async open(context: BrowserContext) {
      const page = await context.newPage()
      page.on('pageerror', (error) => expect.soft(error).toBeUndefined())
      await page.goto(`http://127.0.0.1:${port}`)
      return page
    },
    /** A browser whose requests go round the cable. */
    async round() {
      const context = await profile({ serviceWorkers: 'block' })
      await context.route(`${cable.url}/**`, (route) =>
        route.continue({ url: route.request().url().replace(cable.url, weft.url) }),
      )
      return context
    },
    /** Neither the server nor the host of the application is there any more. */
    async away(context: BrowserContext) {
      await context.setOffline(true)
      cable.cut()
      await stop()
    },
    async back(context: BrowserContext) {
      await start()
      cable.mend()
      await context.setOffline(false)
    },
  }
}

async function sign(page: Page, direction: 'in' | 'up', email: string): Promise<void> {
  if (direction === 'up') await page.getByRole('button', { name: 'Make an account' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: `Sign ${direction}` }).click()
  await page.getByText(email).waitFor()
}

async function add(page: Page, text: string): Promise<void> {
  await page.getByLabel('New todo').fill(text)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel(text, { exact: true }).waitFor()
}

/** The todos on screen, from the top. */
const list = (page: Page) =>
  page
    .getByRole('list', { name: 'Todos' })
    .getByRole('listitem')
    .evaluateAll((items) =>
      items.map((item) => {
        const done = item.querySelector('input')?.checked ? ' (done)' : ''
        return `${item.querySelector('.text')?.textContent}${done}`
      }),
    )
