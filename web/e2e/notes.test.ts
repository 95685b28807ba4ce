import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from './browser.ts'
import { startNetworkProxy } from './network-proxy.ts'
import { startWeft } from './weft.ts'

test('a note written offline survives a reload, syncs once, and reaches another browser', async () => {
  const weft = await startWeft()
  const network = await startNetworkProxy(weft.port)
  const [writer, reader] = [await profile(), await profile()]
  const mine = await openNotes(writer, network.url)
  const theirs = await openNotes(reader, weft.url)

  // Both are needed: the browser reports that it is offline, and open connections break.
  await writer.setOffline(true)
  network.disconnect()
  await write(mine, 'written in a tunnel')
  await expectNote(mine, 'written in a tunnel', 'pending')
  await mine.reload()
  await expectNote(mine, 'written in a tunnel', 'pending')
  expect(await weft.count('the_note')).toBe(0)

  network.reconnect()
  await writer.setOffline(false)
  await expectNote(mine, 'written in a tunnel', 'synced')
  await expectNote(theirs, 'written in a tunnel', 'synced')
  expect(await weft.count('the_note')).toBe(1)
})

test('a lost response creates no duplicate', async () => {
  const weft = await startWeft()
  const network = await startNetworkProxy(weft.port)
  const page = await openNotes(await profile(), network.url)

  network.dropResponses()
  await write(page, 'sent into the dark')
  await expect.poll(() => weft.count('the_note')).toBe(1)
  await expect.poll(() => network.droppedResponses()).toBeGreaterThan(1)
  await expectNote(page, 'sent into the dark', 'pending')

  network.reconnect()
  await expectNote(page, 'sent into the dark', 'synced')
  expect(await weft.count('the_note')).toBe(1)
})

test('a note written while the server is down syncs once after its restart', async () => {
  const weft = await startWeft()
  const page = await openNotes(await profile(), weft.url)
  await weft.kill()
  await write(page, 'while the server is down')
  await expectNote(page, 'while the server is down', 'pending')
  await weft.start()
  await expectNote(page, 'while the server is down', 'synced')
  expect(await weft.count('the_note')).toBe(1)
})

test('an open page keeps its pending note and drops old ones when the server restarts with an empty store', async () => {
  const weft = await startWeft()
  const page = await openNotes(await profile(), weft.url)
  await write(page, 'from before')
  await expectNote(page, 'from before', 'synced')
  await weft.kill()
  await write(page, 'meanwhile')
  await expectNote(page, 'meanwhile', 'pending')
  weft.empty()
  await weft.start()
  const other = await openNotes(await profile(), weft.url)
  await write(other, 'from another browser')
  await expectNote(other, 'from another browser', 'synced')

  await expectNote(page, 'meanwhile', 'synced')
  await expectNote(page, 'from another browser', 'synced')
  await expect.poll(() => note(page, 'from before').count()).toBe(0)
  await write(page, 'from now on')
  await expectNote(page, 'from now on', 'synced')
  await note(page, 'from now on').getByRole('checkbox').check()
  await expectNote(other, 'from now on', 'synced')
  const ticks = (text: string) => note(other, text).getByRole('checkbox').isChecked()
  await expect.poll(() => ticks('from now on')).toBe(true)
  expect(await Promise.all(['meanwhile', 'from another browser'].map(ticks))).toEqual([
    false,
    false,
  ])
  expect(await weft.count('the_note')).toBe(3)
})

test('an edit, a tick and a deletion reach another browser', async () => {
  const weft = await startWeft()
  const mine = await openNotes(await profile(), weft.url)
  const theirs = await openNotes(await profile(), weft.url)
  await write(mine, 'first thought')
  await expectNote(theirs, 'first thought', 'synced')

  await edit(mine, 'first thought', 'second thought')
  await expectNote(theirs, 'second thought', 'synced')
  await note(mine, 'second thought').getByRole('checkbox').check()
  await expect
    .poll(() => note(theirs, 'second thought').getByRole('checkbox').isChecked())
    .toBe(true)
  await note(mine, 'second thought')
    .getByRole('button', { name: /delete/i })
    .click()
  await expect.poll(() => note(theirs, 'second thought').count()).toBe(0)
})

async function openNotes(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${url}/demo`)
  await page.getByRole('textbox', { name: /new note/i }).waitFor()
  // The service worker must be active before a test disconnects the network.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await expect.poll(() => page.evaluate(areScriptsCached)).toBe(true)
  return page
}

/** Runs in the page. Reports whether the service worker has stored all scripts of the page. */
async function areScriptsCached(): Promise<boolean> {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  const code = loaded.filter((name) => /\/assets\/[^/]+\.js$/.test(name))
  const cached = await Promise.all(code.map((name) => caches.match(name)))
  return code.length > 0 && cached.every((response) => response !== undefined)
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /new note/i }).fill(text)
  await page.keyboard.press('Enter')
}

async function edit(page: Page, from: string, to: string): Promise<void> {
  await note(page, from).getByRole('button', { name: /edit/i }).click()
  await page.getByRole('textbox', { name: /edit/i }).fill(to)
  await page.keyboard.press('Enter')
}

const note = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })

async function expectNote(page: Page, text: string, state: 'pending' | 'synced'): Promise<void> {
  const item = note(page, text)
  await item.waitFor()
  await expect.poll(() => item.getAttribute('data-sync')).toBe(state)
}
