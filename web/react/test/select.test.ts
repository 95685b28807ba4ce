import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import { faults } from './axe.ts'
import { open } from './chromium.ts'
import { write } from './records.ts'

const towns = ['Bath', 'Oslo', 'Riga', 'Bergen']

describe('a search with a list', () => {
  test('offers what the query finds, in its order, as many as it is told to', async () => {
    const { page } = await drawn()
    await page.getByRole('combobox', { name: 'From' }).click()
    await expect.poll(() => offered(page)).toEqual(['Bergen', 'Riga', 'Oslo', 'Bath'])
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'To' }).click()
    await expect.poll(() => offered(page)).toEqual(['Bergen', 'Riga', 'Oslo'])
    expect(await page.getByPlaceholder('Select or type...').count()).toBe(2)
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('searches for what is typed, and for everything when nothing is', async () => {
    const { page } = await drawn()
    const from = page.getByRole('combobox', { name: 'From' })
    await from.pressSequentially('B')
    await expect.poll(() => offered(page)).toEqual(['Bergen', 'Bath'])
    await expect.poll(() => said(page)).toBe('2 options')
    await from.fill('berg')
    await expect.poll(() => offered(page)).toEqual(['Bergen'])
    await from.fill('nowhere')
    await page.getByText('Nothing found').first().waitFor()
    expect(await said(page)).toBe('Nothing found')
    await from.fill('')
    await expect.poll(() => offered(page)).toEqual(['Bergen', 'Riga', 'Oslo', 'Bath'])
  })

  test('is used by keys alone', async () => {
    const { page, ids } = await drawn()
    const from = page.getByRole('combobox', { name: 'From' })
    await from.focus()
    expect(await from.getAttribute('aria-expanded')).toBe('false')
    await from.press('ArrowDown')
    await expect.poll(() => offered(page)).toHaveLength(4)
    await from.press('Escape')
    await from.press('ArrowDown')
    await expect.poll(() => active(page)).toBe('Bergen')
    for (const [key, name] of [
      ['ArrowDown', 'Riga'],
      ['ArrowUp', 'Bergen'],
      ['ArrowUp', 'Bath'],
      ['ArrowDown', 'Bergen'],
      ['End', 'Bath'],
      ['Home', 'Bergen'],
      ['ArrowDown', 'Riga'],
    ] as const) {
      await from.press(key)
      await expect.poll(() => active(page)).toBe(name)
    }
    await from.press('Enter')
    await expect.poll(() => from.inputValue()).toBe('Riga')
    expect(await from.getAttribute('aria-expanded')).toBe('false')
    expect(await said(page)).toBe('Riga selected')
    expect(await submitted(page)).toEqual({ from: String(ids.get('Riga')), to: '' })
    await from.press('Escape')
    expect(await from.inputValue()).toBe('')
    expect(await submitted(page)).toEqual({ from: '', to: '' })
    expect(await page.evaluate(() => window.inSelect.changes)).toEqual(['Riga', undefined])
  })

  test('is used by the pointer, and forgets what was typed but not chosen', async () => {
    const { page } = await drawn()
    const from = page.getByRole('combobox', { name: 'From' })
    await from.click()
    await page.getByRole('option', { name: 'Oslo' }).click()
    expect(await from.inputValue()).toBe('Oslo')
    await from.click()
    await expect.poll(() => offered(page)).toHaveLength(4)
    expect(await page.getByRole('option', { selected: true }).allInnerTexts()).toEqual(['Oslo'])
    await from.fill('Os')
    await page.getByRole('combobox', { name: 'To' }).click()
    expect(await from.inputValue()).toBe('Oslo')
    await page.getByRole('button', { name: 'Clear' }).click()
    expect(await from.inputValue()).toBe('')
    expect(await page.evaluate('document.activeElement.role')).toBe('combobox')
  })

  test('follows what is written elsewhere', async () => {
    const { page, url } = await drawn()
    await page.getByRole('combobox', { name: 'From' }).click()
    await expect.poll(() => offered(page)).toHaveLength(4)
    await write(url, { type: 'the_town', fields: [['the_town_name', 'Zagreb']] })
    await expect.poll(() => offered(page)).toContain('Zagreb')
  })

  test('waits, says that there is no network, and goes on when there is', async () => {
    const { page, cable } = await drawn()
    await page.getByRole('combobox', { name: 'From' }).click()
    await expect.poll(() => offered(page)).toHaveLength(4)
    cable.cut()
    await page.keyboard.press('O')
    await page.getByText('There is no network').first().waitFor()
    await expect.poll(() => offered(page)).toEqual(['Oslo'])
    await page.keyboard.press('Backspace')
    await expect.poll(() => offered(page)).toHaveLength(4)
    cable.mend()
    await page.getByText('There is no network').first().waitFor({ state: 'detached' })
  })

  test('says why it may not search, and tries again', async () => {
    let asked = 0
    const { page } = await open('in-select.tsx', '<title>Lists</title><main id="app"></main>', {
      '/api/freeschema-query': (answer) => {
        asked++
        answer.writeHead(403, { 'Content-Type': 'application/json' })
        answer.end(JSON.stringify({ kind: 'forbidden', message: 'towns are not for guests' }))
      },
      '/api/health': (answer) => void answer.end(JSON.stringify({ store: 'towns' })),
    })
    await page.evaluate(() => window.inSelect.draw(location.origin))
    await page.getByRole('combobox', { name: 'From' }).click()
    await page.locator('.note:visible').getByText('Error: towns are not for guests').waitFor()
    const before = asked
    await page.locator('.again:visible').click()
    await expect.poll(() => asked).toBeGreaterThan(before)
    expect(await page.locator('.note:visible').count()).toBe(1)
  })

  test.each([
    { width: 390, scheme: 'light' },
    { width: 1440, scheme: 'dark' },
  ] as const)('fits $width pixels in $scheme', async ({ width, scheme }) => {
    const { page } = await drawn()
    await page.setViewportSize({ width, height: 700 })
    await page.emulateMedia({ colorScheme: scheme })
    onTestFinished(async () => {
      await page.setViewportSize({ width: 1280, height: 720 })
      await page.emulateMedia({ colorScheme: 'light' })
    })
    await page.getByRole('combobox', { name: 'From' }).click()
    await expect.poll(() => offered(page)).toHaveLength(4)
    await page.keyboard.press('ArrowDown')
    expect(await faults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })
})

/** Two lists of towns, on a server behind a cable that can be cut. */
async function drawn() {
  const cable = await wireCutter(Number(new URL(await startServer()).port))
  const records = towns.map((name) => ({
    type: 'the_town',
    fields: [['the_town_name', name] as const],
  }))
  const made = await write(cable.url, ...records)
  const { page } = await open('in-select.tsx', '<title>Lists</title><main id="app"></main>')
  await page.evaluate((url) => window.inSelect.draw(url), cable.url)
  await page.getByRole('heading').waitFor()
  const ids = new Map(towns.map((name, i) => [name, made[i]]))
  return { page, cable, url: cable.url, ids }
}

const offered = (page: Page) => page.locator('[role=option]:visible').allInnerTexts()
const said = (page: Page) => page.getByRole('status').first().textContent()

/** The option that the keys are at. */
const active = (page: Page) =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant')
    return id ? document.getElementById(id)?.textContent : undefined
  })

const submitted = (page: Page) =>
  page.evaluate(() => Object.fromEntries(new FormData(document.querySelector('form') ?? undefined)))
