import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../client/test/server.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { accessibilityViolations } from './axe.ts'
import { open } from './chromium.ts'
import { write } from './records.ts'

const towns = ['Bath', 'Oslo', 'Riga', 'Bergen']

describe('SearchSelect', () => {
  test('offers the results of the query in order, up to pageSize', async () => {
    const { page } = await openSelects()
    await page.getByRole('combobox', { name: 'From' }).click()
    await expect.poll(() => offeredOptions(page)).toEqual(['Bergen', 'Riga', 'Oslo', 'Bath'])
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'To' }).click()
    await expect.poll(() => offeredOptions(page)).toEqual(['Bergen', 'Riga', 'Oslo'])
    expect(await page.getByPlaceholder('Select or type...').count()).toBe(2)
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('searches for the typed text, and offers all records without a text', async () => {
    const { page } = await openSelects()
    const from = page.getByRole('combobox', { name: 'From' })
    await from.pressSequentially('B')
    await expect.poll(() => offeredOptions(page)).toEqual(['Bergen', 'Bath'])
    await expect.poll(() => announcement(page)).toBe('2 options')
    await from.fill('berg')
    await expect.poll(() => offeredOptions(page)).toEqual(['Bergen'])
    await from.fill('nowhere')
    await page.getByText('Nothing found').first().waitFor()
    await expect.poll(() => announcement(page)).toBe('Nothing found')
    await from.fill('')
    await expect.poll(() => offeredOptions(page)).toEqual(['Bergen', 'Riga', 'Oslo', 'Bath'])
  })

  test('can be used by keyboard alone', async () => {
    const { page, ids } = await openSelects()
    const from = page.getByRole('combobox', { name: 'From' })
    await from.focus()
    expect(await from.getAttribute('aria-expanded')).toBe('false')
    await from.press('ArrowDown')
    await expect.poll(() => offeredOptions(page)).toHaveLength(4)
    await from.press('Escape')
    await from.press('ArrowDown')
    await expect.poll(() => activeOption(page)).toBe('Bergen')
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
      await expect.poll(() => activeOption(page)).toBe(name)
    }
    await from.press('Enter')
    await expect.poll(() => from.inputValue()).toBe('Riga')
    expect(await from.getAttribute('aria-expanded')).toBe('false')
    await expect.poll(() => announcement(page)).toBe('Riga selected')
    expect(await formValues(page)).toEqual({ from: String(ids.get('Riga')), to: '' })
    await from.press('Escape')
    expect(await from.inputValue()).toBe('')
    expect(await formValues(page)).toEqual({ from: '', to: '' })
    expect(await page.evaluate(() => window.selectFixture.changes)).toEqual(['Riga', undefined])
  })

  test('can be used by pointer, and discards text that was typed but not chosen', async () => {
    const { page } = await openSelects()
    const from = page.getByRole('combobox', { name: 'From' })
    await from.click()
    await page.getByRole('option', { name: 'Oslo' }).click()
    expect(await from.inputValue()).toBe('Oslo')
    await from.click()
    await expect.poll(() => offeredOptions(page)).toHaveLength(4)
    expect(await page.getByRole('option', { selected: true }).allInnerTexts()).toEqual(['Oslo'])
    await from.fill('Os')
    await page.getByRole('combobox', { name: 'To' }).click()
    expect(await from.inputValue()).toBe('Oslo')
    await page.getByRole('button', { name: 'Clear' }).click()
    expect(await from.inputValue()).toBe('')
    expect(await page.evaluate('document.activeElement.role')).toBe('combobox')
  })

  test('shows records that another client writes', async () => {
    const { page, url } = await openSelects()
    await page.getByRole('combobox', { name: 'From' }).click()
    await expect.poll(() => offeredOptions(page)).toHaveLength(4)
    await write(url, { type: 'the_town', fields: [['the_town_name', 'Zagreb']] })
    await expect.poll(() => offeredOptions(page)).toContain('Zagreb')
  })

  test('while offline, searches loaded records and says so; the note disappears when the connection is back', async () => {
    const { page, network } = await openSelects()
    await page.getByRole('combobox', { name: 'From' }).click()
    await expect.poll(() => offeredOptions(page)).toHaveLength(4)
    network.disconnect()
    await page.keyboard.press('O')
    await page.getByText('You are offline').first().waitFor()
    await expect.poll(() => offeredOptions(page)).toEqual(['Oslo'])
    await page.keyboard.press('Backspace')
    await expect.poll(() => offeredOptions(page)).toHaveLength(4)
    network.reconnect()
    await page.getByText('You are offline').first().waitFor({ state: 'detached' })
  })

  test('shows why a search was refused, and a retry button', async () => {
    let requestCount = 0
    const { page } = await open(
      'fixture-select.tsx',
      '<title>Lists</title><main id="app"></main>',
      {
        '/api/freeschema-query': (response) => {
          requestCount++
          response.writeHead(403, { 'Content-Type': 'application/json' })
          response.end(JSON.stringify({ kind: 'forbidden', message: 'towns are not for guests' }))
        },
        '/api/health': (response) => void response.end(JSON.stringify({ store: 'towns' })),
      },
    )
    await page.evaluate(() => window.selectFixture.draw(location.origin))
    await page.getByRole('combobox', { name: 'From' }).click()
    await page.locator('.note:visible').getByText('Error: towns are not for guests').waitFor()
    const before = requestCount
    await page.locator('.again:visible').click()
    await expect.poll(() => requestCount).toBeGreaterThan(before)
    expect(await page.locator('.note:visible').count()).toBe(1)
  })

  test.each([
    { width: 390, scheme: 'light' },
    { width: 1440, scheme: 'dark' },
  ] as const)(
    'fits a $scheme page of $width pixels without accessibility violations',
    async ({ width, scheme }) => {
      const { page } = await openSelects()
      await page.setViewportSize({ width, height: 700 })
      await page.emulateMedia({ colorScheme: scheme })
      onTestFinished(async () => {
        await page.setViewportSize({ width: 1280, height: 720 })
        await page.emulateMedia({ colorScheme: 'light' })
      })
      await page.getByRole('combobox', { name: 'From' }).click()
      await expect.poll(() => offeredOptions(page)).toHaveLength(4)
      await page.keyboard.press('ArrowDown')
      expect(await accessibilityViolations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    },
  )
})

/** Opens a page with two town selects. A proxy between it and the server can disconnect. */
async function openSelects() {
  const network = await startNetworkProxy(Number(new URL(await startServer()).port))
  const records = towns.map((name) => ({
    type: 'the_town',
    fields: [['the_town_name', name] as const],
  }))
  const writtenIds = await write(network.url, ...records)
  const { page } = await open('fixture-select.tsx', '<title>Lists</title><main id="app"></main>')
  await page.evaluate((url) => window.selectFixture.draw(url), network.url)
  await page.getByRole('heading').waitFor()
  const ids = new Map(towns.map((name, i) => [name, writtenIds[i]]))
  return { page, network, url: network.url, ids }
}

const offeredOptions = (page: Page) => page.locator('[role=option]:visible').allInnerTexts()
const announcement = (page: Page) => page.getByRole('status').first().textContent()

/** Returns the label of the active option. */
const activeOption = (page: Page) =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant')
    return id ? document.getElementById(id)?.textContent : undefined
  })

const formValues = (page: Page) =>
  page.evaluate(() => Object.fromEntries(new FormData(document.querySelector('form') ?? undefined)))
