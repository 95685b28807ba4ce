import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { expectNoPageDefects, openApp, pressEnter } from './app.ts'
import { freePort } from './program.ts'
import { binary } from './weft.ts'

const email = 'ada@example.org'
const password = 'correct horse'

/** Starts `weft serve` in an empty directory and returns the link that it prints. */
async function serveEmpty(): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'weft-first-'))
  const listen = `127.0.0.1:${await freePort()}`
  const args = ['serve', '--listen', listen, '--data', data, '--setup-link', 'always']
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
    rmSync(data, { recursive: true, force: true })
  })
  return printedLink(child)
}

function printedLink(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk
      const [link] = /http:\/\/\S+\/setup\?token=[\w.-]+/.exec(output) ?? []
      if (link) resolve(link)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`weft ended with ${code}: ${output}`)))
  })
}

/** Takes a screenshot, if the variable FIRST_MINUTE names a directory for it. */
async function shoot(page: Page, name: string): Promise<void> {
  const directory = process.env['FIRST_MINUTE']
  if (directory) await page.screenshot({ path: join(directory, `${name}.png`) })
}

/** Creates the first admin with the form of the printed link. The form signs in and opens the console. */
async function createAdmin(page: Page): Promise<void> {
  await page.getByLabel('E-mail').and(page.locator(':focus')).waitFor()
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/console/)
  await page.getByRole('contentinfo').waitFor()
}

test('a new user edits the first record within a minute of starting the server', async () => {
  let began = performance.now()
  const link = await serveEmpty()
  const app = await openApp(link)
  const { page } = app
  await shoot(page, '1-link')
  await createAdmin(page)
  await page.getByRole('button', { name: 'Add the sample shop' }).waitFor()
  await shoot(page, '2-first-run')
  // The minute does not include the check of the page.
  const beforeCheck = performance.now()
  await expectNoPageDefects(app)
  await page.setViewportSize({ width: 1440, height: 900 })
  began += performance.now() - beforeCheck

  await pressEnter(page.getByRole('button', { name: 'Add the sample shop' }))
  await page.getByRole('gridcell').first().waitFor()
  await page.getByText('Sample data: A small shop').waitFor()
  await shoot(page, '3-sample')
  await page.locator('[role="grid"]:focus').waitFor()
  await page.keyboard.type('First edit')
  await page.keyboard.press('Enter')
  await page.getByRole('gridcell', { name: 'First edit' }).waitFor()
  await page.getByText('All changes are on the server').waitFor()
  await shoot(page, '4-edited')
  const took = (performance.now() - began) / 1_000
  process.stdout.write(`From weft serve to the first edited record: ${took.toFixed(1)} s\n`)
  expect(took).toBeLessThan(60)
})

test('the form of the printed link signs in, without a token in an address or a cookie, and works once', async () => {
  const link = await serveEmpty()
  const { page, consoleErrors } = await openApp(link)
  await createAdmin(page)
  expect(page.url()).not.toMatch(/token|refresh/)
  await page.reload()
  await page.getByRole('button', { name: 'Add the sample shop' }).waitFor()
  const cookies = await page.context().cookies()
  expect(cookies.map(({ name }) => name.replace(/\d+$/, ''))).toEqual(['weft_device_'])
  const renew = () =>
    page.evaluate(async () => {
      const refreshtoken = localStorage.getItem('weft-refresh')
      const body = JSON.stringify({ refreshtoken })
      return (await fetch('/api/auth/refresh', { method: 'POST', body })).status
    })
  expect([await renew(), consoleErrors]).toEqual([200, []])
  await page.goto(link)
  await page.getByText('there is already an admin').waitFor()
})

test('sample data is removed with one click and restored by Undo; a file creates a new type', async () => {
  const { page } = await openApp(await serveEmpty())
  await createAdmin(page)
  await pressEnter(page.getByRole('button', { name: 'Add the sample shop' }))
  await pressEnter(page.getByRole('button', { name: 'Remove the sample data: A small shop' }))
  await page.getByText('Sample data removed: A small shop').waitFor()
  await expect.poll(() => page.getByRole('link', { name: /^Orders/ }).count()).toBe(0)
  await page.keyboard.press('Control+z')
  await page
    .getByRole('link', { name: /^Orders/ })
    .first()
    .waitFor()

  await page.getByLabel('What does a row describe?').press('Control+a')
  await page.keyboard.type('Supplier')
  await page.keyboard.press('Enter')
  await page.getByLabel('CSV or JSON file').setInputFiles({
    name: 'suppliers.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('name,city\nAnna,Graz\nBen,Oslo\n'),
  })
  await pressEnter(page.getByRole('button', { name: 'Import 2 suppliers' }))
  await page.getByRole('gridcell', { name: 'Graz' }).waitFor()
})
