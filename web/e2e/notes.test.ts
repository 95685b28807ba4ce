import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from './browser.ts'
import { startWeft } from './weft.ts'
import { wireCutter } from './wire-cutter.ts'

test('a note written offline survives a reload, syncs once, and reaches another profile', async () => {
  const weft = await startWeft()
  const cable = await wireCutter(weft.port)
  const [here, there] = [await profile(), await profile()]
  const mine = await openNotes(here, cable.url)
  const theirs = await openNotes(there, weft.url)

  // The browser is told, and the cable is cut: what the browser believes about the network is not enough.
  await here.setOffline(true)
  cable.cut()
  await write(mine, 'written in a tunnel')
  await expectNote(mine, 'written in a tunnel', 'pending')
  await mine.reload()
  await expectNote(mine, 'written in a tunnel', 'pending')
  expect(await weft.count('the_note')).toBe(0)

  cable.mend()
  await here.setOffline(false)
  await expectNote(mine, 'written in a tunnel', 'synced')
  await expectNote(theirs, 'written in a tunnel', 'synced')
  expect(await weft.count('the_note')).toBe(1)
})

test('an answer lost on the way back makes no double', async () => {
  const weft = await startWeft()
  const cable = await wireCutter(weft.port)
  const page = await openNotes(await profile(), cable.url)

  cable.loseAnswers()
  await write(page, 'sent into the dark')
  await expect.poll(() => weft.count('the_note'), { timeout: 20_000 }).toBe(1)
  await expect.poll(() => cable.lost(), { timeout: 30_000 }).toBeGreaterThan(1)
  await expectNote(page, 'sent into the dark', 'pending')

  cable.mend()
  await expectNote(page, 'sent into the dark', 'synced')
  expect(await weft.count('the_note')).toBe(1)
})

test('a server that dies under a write gets it when it is back, once', async () => {
  const weft = await startWeft()
  const page = await openNotes(await profile(), weft.url)
  await weft.kill()
  await write(page, 'while you were out')
  await expectNote(page, 'while you were out', 'pending')
  await weft.start()
  await expectNote(page, 'while you were out', 'synced')
  expect(await weft.count('the_note')).toBe(1)
})

test('after the server lost its data an open page goes on, with nothing of the old', async () => {
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
  await write(other, 'by somebody else')
  await expectNote(other, 'by somebody else', 'synced')

  await expectNote(page, 'meanwhile', 'synced')
  await expectNote(page, 'by somebody else', 'synced')
  await expect.poll(() => note(page, 'from before').count()).toBe(0)
  await write(page, 'from now on')
  await expectNote(page, 'from now on', 'synced')
  await note(page, 'from now on').getByRole('checkbox').check()
  await expectNote(other, 'from now on', 'synced')
  const ticks = (text: string) => note(other, text).getByRole('checkbox').isChecked()
  await expect.poll(() => ticks('from now on')).toBe(true)
  expect(await Promise.all(['meanwhile', 'by somebody else'].map(ticks))).toEqual([false, false])
  expect(await weft.count('the_note')).toBe(3)
})

test('an edit, a tick and a deletion reach another profile', async () => {
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
  await expect.poll(() => note(theirs, 'second thought').count(), { timeout: 15_000 }).toBe(0)
})

async function openNotes(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${url}/demo`)
  await page.getByRole('textbox', { name: /new note/i }).waitFor()
  // The worker that lets the page open offline must have taken over before a test cuts the network.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await expect.poll(() => page.evaluate(isKept)).toBe(true)
  return page
}

/** Runs in the page: says whether all the code it has loaded is kept for reading without a network. */
async function isKept(): Promise<boolean> {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  const code = loaded.filter((name) => /\/assets\/[^/]+\.js$/.test(name))
  const kept = await Promise.all(code.map((name) => caches.match(name)))
  return code.length > 0 && kept.every((response) => response !== undefined)
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
  await item.waitFor({ timeout: 15_000 })
  await expect.poll(() => item.getAttribute('data-sync'), { timeout: 40_000 }).toBe(state)
}
