import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import type {} from './page/main.ts'
import { startRelay } from './relay.ts'
import { startServer } from './server.ts'
import { count, holder, idle, open, seen, servePages, texts, world, write } from './tab.ts'

const pageNamed = servePages()
const sending = ' test'
const path = '/api/v1/local-concepts'

describe('what a tab discards', { timeout: 60_000 }, () => {
  test('and another is sending is there, in every tab, where the server took it', async () => {
    const { relay, leader, other } = await relayed()
    const release = relay.hold()
    const key = await unsent(other, 'under way')
    await expect.poll(() => relay.posts).toContain(path)
    await seen(leader, ['under way'])
    const discarded = other.evaluate((key) => window.weft.sync.discard(key), key)
    expect(await isOver(discarded)).toBe(false)
    release()
    await discarded
    for (const tab of [leader, other]) {
      await idle(tab)
      await seen(tab, ['under way'])
    }
    expect(await count(relay.url)).toBe(1)
  })

  test('and nobody sends is gone in every tab, with what was written upon it', async () => {
    const { relay, leader, other } = await relayed()
    relay.cut()
    const key = await unsent(other, 'goes')
    await seen(leader, ['goes'])
    await leader.evaluate((key) => {
      const note = window.weft.sync.writes().find((write) => write.key === key)
      return window.weft.update(note?.id ?? 0, { text: 'upon' }).saved
    }, key)
    await seen(other, ['upon'])
    await other.evaluate((key) => window.weft.sync.discard(key), key)
    for (const tab of [leader, other]) await seen(tab, [])
    relay.mend()
    for (const tab of [leader, other]) await idle(tab)
    expect(await count(relay.url)).toBe(0)
  })

  test('while the tab that leads hangs is discarded by the one that takes the lead', async () => {
    const { relay, leader, other } = await relayed()
    relay.cut()
    const key = await unsent(other, 'goes')
    await seen(leader, ['goes'])
    const hung = leader.evaluate(() => {
      const end = Date.now() + 12_000
      while (Date.now() < end);
    })
    await other.evaluate((key) => window.weft.sync.discard(key), key)
    expect(await texts(other)).toEqual([])
    expect(await isOver(hung)).toBe(false)
    await hung
    relay.mend()
    for (const tab of [leader, other]) {
      await idle(tab)
      await seen(tab, [])
    }
    expect(await count(relay.url)).toBe(0)
  })
})

describe('a write upon one that nobody knows any more', { timeout: 60_000 }, () => {
  test('fails where it is found, stays failed when it is retried, and can be discarded', async () => {
    const { server, cable, context, address, tabs } = await world(pageNamed, 2)
    const [teller, author] = tabs
    cable.cut()
    const base = await write(teller, 'base')
    await seen(author, ['base'])
    await author.evaluate(async (base) => {
      BroadcastChannel.prototype.postMessage = () => {}
      await window.weft.update(base, { text: 'upon' }).saved
    }, base)
    await author.close()
    await teller.evaluate(async () => {
      for (const { key } of window.weft.sync.writes()) await window.weft.sync.discard(key)
    })
    const late = await open(context, address)
    for (const tab of [late, teller]) await expect.poll(() => failed(tab)).toEqual(['notFound'])
    await late.evaluate(() => window.weft.sync.retry())
    expect(await failed(late)).toEqual(['notFound'])
    cable.mend()
    await write(late, 'after')
    await idle(late)
    expect(await count(server)).toBe(1)
    await late.evaluate(async () => {
      for (const { key } of window.weft.sync.writes()) await window.weft.sync.discard(key)
    })
    for (const tab of [late, teller]) await expect.poll(() => failed(tab)).toEqual([])
  })

  test('does not fail where another tab has what it could not save', async () => {
    const { server, cable, context, address, tabs } = await world(pageNamed, 2)
    const [writer] = tabs
    cable.cut()
    await writer.evaluate(async () => {
      const add = IDBObjectStore.prototype.add
      IDBObjectStore.prototype.add = () => {
        throw new DOMException('no room', 'QuotaExceededError')
      }
      const { id, saved } = window.weft.create('the_note', { text: 'not saved' })
      await saved.catch(() => {})
      IDBObjectStore.prototype.add = add
      await window.weft.update(id, { text: 'saved' }).saved
    })
    const late = await open(context, address)
    await seen(late, ['saved'])
    await expect.poll(() => failed(late)).toEqual([])
    cable.mend()
    for (const tab of [...tabs, late]) await idle(tab)
    for (const tab of [...tabs, late]) expect(await failed(tab)).toEqual([])
    expect(await count(server)).toBe(1)
  })
})

/** Two tabs behind a relay, and which of them sends. */
async function relayed() {
  const relay = await startRelay(await startServer())
  const context = await profile()
  const address = pageNamed(`?weft=${relay.url}`)
  const tabs = [await open(context, address), await open(context, address)] as [Page, Page]
  const leader = await holder(tabs, sending)
  const other = tabs.find((tab) => tab !== leader) as Page
  return { relay, leader, other }
}

/** Writes a note and waits until it is saved; returns the key of the write. */
const unsent = (page: Page, text: string): Promise<string> =>
  page.evaluate(async (text) => {
    const { key, saved } = window.weft.create('the_note', { text })
    await saved
    return key
  }, text)

const failed = (page: Page) =>
  page.evaluate(() => window.weft.sync.get().failed.map(({ error }) => error?.kind))

/** Says whether something has come to its end, a while from now. */
const isOver = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    work.then(() => true),
    new Promise<boolean>((later) => setTimeout(later, 500, false)),
  ])
