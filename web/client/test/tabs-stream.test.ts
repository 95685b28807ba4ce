import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { freePort } from '../../e2e/program.ts'
import type {} from './page/main.ts'
import { tokenOf } from './server.ts'
import {
  crash,
  expectTexts,
  lockHolder,
  outsideClient,
  servePages,
  setUp,
  without,
  writeNote,
} from './tab.ts'

const pageNamed = servePages()
/** The end of the name of the lock for the change stream of a signed-out user. */
const streamLock = ' test events '

describe('the change stream shared by tabs', () => {
  test('eight tabs share one connection, which moves to another tab when its tab closes', async () => {
    const { server, tabs, streams } = await openMeasured(8)
    const [weft, requests] = [outsideClient(server), recordRequests(tabs, '/api/v1/events')]
    await weft.create('the_note', { text: 'one' }).synced
    for (const tab of tabs) await expectTexts(tab, ['one'])
    expect(await streams()).toBe(1)

    const first = await lockHolder(tabs, streamLock)
    await first.close()
    await weft.create('the_note', { text: 'two' }).synced
    const remaining = without(tabs, first)
    for (const tab of remaining) await expectTexts(tab, ['two', 'one'])
    await expect.poll(streams).toBe(1)

    const second = await lockHolder(remaining, streamLock)
    await crash(second)
    await weft.create('the_note', { text: 'three' }).synced
    const alive = without(remaining, second)
    for (const tab of alive) await expectTexts(tab, ['three', 'two', 'one'])
    await expect.poll(streams).toBe(1)
    await Promise.all(alive.map((tab, i) => writeNote(tab, `of tab ${i}`)))
    for (const tab of alive) await expect.poll(() => countShown(tab)).toBe(9)
    expect(requests).toHaveLength(2)
    expect(requests.every((url) => url.includes('?after='))).toBe(true)
  })

  test('without locks each tab has its own connection, and a change announced twice counts once', async () => {
    const context = await profile()
    await context.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })
    })
    const { server, tabs, streams } = await openMeasured(2, context)
    await expect.poll(streams).toBe(2)
    for (const tab of tabs) await untilComplete(tab)
    const requests = tabs.map((tab) => recordRequests(tab, '/api/freeschema-query'))
    for (const text of ['one', 'two', 'three']) {
      await outsideClient(server).create('the_note', { text }).synced
      for (const tab of tabs) await untilComplete(tab, text)
    }
    expect(requests.map((list) => list.length)).toEqual([3, 3])
  })

  test('a stream is for one user: it follows the sign-in, and other users receive nothing', async () => {
    const { server, tabs, streams } = await openMeasured(3)
    const token = await tokenOf(server, 'ann')
    const requests = recordRequests(tabs, '/api/v1/events')
    const weft = outsideClient(server, token)
    const signIn = (tab: Page) => tab.evaluate((token) => window.weft.setToken(token), token)
    const [one, two, three] = tabs as [Page, Page, Page]
    for (const tab of [one, two]) await signIn(tab)
    await expect.poll(streams).toBe(2)
    await weft.create('the_note', { text: 'hers' }).synced
    for (const tab of [one, two]) await expectTexts(tab, ['hers'])
    await expectTexts(three, [])
    await signIn(three)
    await expectTexts(three, ['hers'])
    await expect.poll(streams).toBe(1)
    await weft.create('the_note', { text: 'and more' }).synced
    for (const tab of tabs) await expectTexts(tab, ['and more', 'hers'])
    expect(requests.join()).not.toContain('token')
  })

  test('all subscribed tabs report when the server stops and when it is back', async () => {
    const { network, tabs } = await setUp(pageNamed, 2)
    for (const tab of tabs) await untilComplete(tab)
    network.disconnect()
    for (const tab of tabs) await untilState(tab, 'offline')
    network.reconnect()
    for (const tab of tabs) await untilState(tab, 'idle')
  })
})

/** Returns the number of notes that a page shows. */
const countShown = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const state = window.notes.get()
    return state.status === 'ready' ? state.data.length : 0
  })

/** Waits until the sync status of a page has this state. */
const untilState = (page: Page, state: string) =>
  page.waitForFunction((state) => window.weft.sync.get().state === state, state)

/** Collects the URLs with a path that tabs request from now on. */
function recordRequests(tabs: Page | readonly Page[], path: string): string[] {
  const requests: string[] = []
  for (const tab of [tabs].flat())
    tab.on('request', (request) => {
      if (request.url().includes(path) && request.method() !== 'OPTIONS')
        requests.push(request.url())
    })
  return requests
}

/** Waits until a page shows all notes, the newest with that text, confirmed by the server. */
const untilComplete = (page: Page, text?: string) =>
  page.waitForFunction((text) => {
    const state = window.notes.get()
    if (state.status !== 'ready' || !state.complete) return false
    return state.data[0]?.data.the_note.text.data.the_text === text
  }, text)

/** Opens tabs of one profile, and counts the open streams of their server. */
async function openMeasured(tabs: number, context?: BrowserContext) {
  const metrics = `127.0.0.1:${await freePort()}`
  const flags = ['--anonymous-writes', '--metrics-listen', metrics]
  const setup = await setUp(pageNamed, tabs, flags, context)
  const streams = async () => {
    const text = await (await fetch(`http://${metrics}/metrics`)).text()
    return Number(/^weft_event_streams (\d+)/m.exec(text)?.[1])
  }
  return { ...setup, streams }
}
