import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { freePort } from '../../e2e/program.ts'
import type {} from './page/main.ts'
import { tokenOf } from './server.ts'
import { crash, holder, outside, seen, servePages, without, world, write } from './tab.ts'

const pageNamed = servePages()
/** How the lock ends that stands for the stream of changes of nobody in particular. */
const listening = ' test events '

describe('the stream of changes of tabs', { timeout: 90_000 }, () => {
  test('eight tabs share one stream of changes, which moves on when its tab goes', async () => {
    const { server, tabs, streams } = await measured(8)
    const [weft, asked] = [outside(server), askedBy(tabs, '/api/v1/events')]
    await weft.create('the_note', { text: 'one' }).synced
    for (const tab of tabs) await seen(tab, ['one'])
    expect(await streams()).toBe(1)

    const first = await holder(tabs, listening)
    await first.close()
    await weft.create('the_note', { text: 'two' }).synced
    const left = without(tabs, first)
    for (const tab of left) await seen(tab, ['two', 'one'])
    await expect.poll(streams).toBe(1)

    const second = await holder(left, listening)
    await crash(second)
    await weft.create('the_note', { text: 'three' }).synced
    const alive = without(left, second)
    for (const tab of alive) await seen(tab, ['three', 'two', 'one'])
    await expect.poll(streams).toBe(1)
    await Promise.all(alive.map((tab, i) => write(tab, `of tab ${i}`)))
    for (const tab of alive) await expect.poll(() => shown(tab), { timeout: 15_000 }).toBe(9)
    expect(asked).toHaveLength(2)
    expect(asked.every((url) => url.includes('?after='))).toBe(true)
  })

  test('where the browser has no locks each tab has a stream, and a change that both tell counts once', async () => {
    const context = await profile()
    await context.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })
    })
    const { server, tabs, streams } = await measured(2, context)
    await expect.poll(streams).toBe(2)
    for (const tab of tabs) await complete(tab)
    const asked = tabs.map((tab) => askedBy(tab, '/api/freeschema-query'))
    for (const text of ['one', 'two', 'three']) {
      await outside(server).create('the_note', { text }).synced
      for (const tab of tabs) await complete(tab, text)
    }
    expect(asked.map((list) => list.length)).toEqual([3, 3])
  })

  test('a stream is for one user: it follows who signs in, and tells nobody else', async () => {
    const { server, tabs, streams } = await measured(3)
    const token = await tokenOf(server, 'ann')
    const asked = askedBy(tabs, '/api/v1/events')
    const weft = outside(server, token)
    const signIn = (tab: Page) => tab.evaluate((token) => window.weft.setToken(token), token)
    const [one, two, three] = tabs as [Page, Page, Page]
    for (const tab of [one, two]) await signIn(tab)
    await expect.poll(streams).toBe(2)
    await weft.create('the_note', { text: 'hers' }).synced
    for (const tab of [one, two]) await seen(tab, ['hers'])
    await seen(three, [])
    await signIn(three)
    await seen(three, ['hers'])
    await expect.poll(streams).toBe(1)
    await weft.create('the_note', { text: 'and more' }).synced
    for (const tab of tabs) await seen(tab, ['and more', 'hers'])
    expect(asked.join()).not.toContain('token')
  })

  test('all that listen say that the server is gone, and that it is there again', async () => {
    const { cable, tabs } = await world(pageNamed, 2)
    for (const tab of tabs) await complete(tab)
    cable.cut()
    for (const tab of tabs) await says(tab, 'offline')
    cable.mend()
    for (const tab of tabs) await says(tab, 'idle')
  })
})

const shown = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const state = window.notes.get()
    return state.status === 'ready' ? state.data.length : 0
  })

/** Waits until a page says how it is with the server. */
const says = (page: Page, state: string) =>
  page.waitForFunction((state) => window.weft.sync.get().state === state, state, {
    timeout: 20_000,
  })

/** The addresses with a path that tabs ask at from now on. */
function askedBy(tabs: Page | readonly Page[], path: string): string[] {
  const asked: string[] = []
  for (const tab of [tabs].flat())
    tab.on('request', (request) => {
      if (request.url().includes(path) && request.method() !== 'OPTIONS') asked.push(request.url())
    })
  return asked
}

/** Waits until the server says that a page shows all notes, the newest with that text. */
const complete = (page: Page, text?: string) =>
  page.waitForFunction((text) => {
    const state = window.notes.get()
    if (state.status !== 'ready' || !state.complete) return false
    return state.data[0]?.data.the_note.text.data.the_text === text
  }, text)

/** Tabs of one profile, and how many streams of changes their server has open. */
async function measured(tabs: number, context?: BrowserContext) {
  const metrics = `127.0.0.1:${await freePort()}`
  const flags = ['--anonymous-writes', '--metrics-listen', metrics]
  const made = await world(pageNamed, tabs, flags, context)
  const streams = async () => {
    const text = await (await fetch(`http://${metrics}/metrics`)).text()
    return Number(/^weft_event_streams (\d+)/m.exec(text)?.[1])
  }
  return { ...made, streams }
}
