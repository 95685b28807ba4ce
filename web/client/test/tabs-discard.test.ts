import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { block } from './block.ts'
import { countNotes } from './count-notes.ts'
import type {} from './page/main.ts'
import { startRelay } from './relay.ts'
import { startServer } from './server.ts'
import {
  expectTexts,
  lockHolder,
  open,
  servePages,
  setUp,
  texts,
  untilIdle,
  writeNote,
} from './tab.ts'

const pageNamed = servePages()
const senderLock = ' test'
const path = '/api/v1/local-concepts'

describe('discarding a write in several tabs', () => {
  test('if the server accepts the write in the meantime, keeps it in every tab', async () => {
    const { relay, leader, other } = await openBehindRelay()
    const release = relay.hold()
    const key = await createNote(other, 'in flight')
    await expect.poll(() => relay.posts).toContain(path)
    await expectTexts(leader, ['in flight'])
    const discarded = other.evaluate((key) => window.weft.sync.discard(key), key)
    expect(await settlesSoon(discarded)).toBe(false)
    release()
    await discarded
    for (const tab of [leader, other]) {
      await untilIdle(tab)
      await expectTexts(tab, ['in flight'])
    }
    expect(await countNotes(relay.url)).toBe(1)
  })

  test('removes an unsent write and its dependents from every tab', async () => {
    const { relay, leader, other } = await openBehindRelay()
    relay.disconnect()
    const key = await createNote(other, 'discarded')
    await expectTexts(leader, ['discarded'])
    await leader.evaluate((key) => {
      const note = window.weft.sync.writes().find((write) => write.key === key)
      return window.weft.update(note?.id ?? 0, { text: 'dependent' }).saved
    }, key)
    await expectTexts(other, ['dependent'])
    await other.evaluate((key) => window.weft.sync.discard(key), key)
    for (const tab of [leader, other]) await expectTexts(tab, [])
    relay.reconnect()
    for (const tab of [leader, other]) await untilIdle(tab)
    expect(await countNotes(relay.url)).toBe(0)
  })

  test('is done by a new leader if the leader is blocked', async () => {
    const { relay, leader, other } = await openBehindRelay()
    relay.disconnect()
    const key = await createNote(other, 'discarded')
    await expectTexts(leader, ['discarded'])
    const blocked = await block(leader)
    await blocked.begun
    await other.evaluate((key) => window.weft.sync.discard(key), key)
    expect(await texts(other)).toEqual([])
    await blocked.end()
    relay.reconnect()
    for (const tab of [leader, other]) {
      await untilIdle(tab)
      await expectTexts(tab, [])
    }
    expect(await countNotes(relay.url)).toBe(0)
  })
})

describe('an orphan, which is a write that refers to an unknown write', () => {
  test('fails when it is read from the disk, stays failed after a retry, and can be discarded', async () => {
    const { server, network, context, address, tabs } = await setUp(pageNamed, 2)
    const [publisher, author] = tabs
    network.disconnect()
    const base = await writeNote(publisher, 'base')
    await expectTexts(author, ['base'])
    await author.evaluate(async (base) => {
      BroadcastChannel.prototype.postMessage = () => {}
      await window.weft.update(base, { text: 'dependent' }).saved
    }, base)
    await author.close()
    await publisher.evaluate(async () => {
      for (const { key } of window.weft.sync.writes()) await window.weft.sync.discard(key)
    })
    const lateTab = await open(context, address)
    for (const tab of [lateTab, publisher])
      await expect.poll(() => failureKinds(tab)).toEqual(['notFound'])
    await lateTab.evaluate(() => window.weft.sync.retry())
    expect(await failureKinds(lateTab)).toEqual(['notFound'])
    network.reconnect()
    await writeNote(lateTab, 'after')
    await untilIdle(lateTab)
    expect(await countNotes(server)).toBe(1)
    await lateTab.evaluate(async () => {
      for (const { key } of window.weft.sync.writes()) await window.weft.sync.discard(key)
    })
    for (const tab of [lateTab, publisher]) await expect.poll(() => failureKinds(tab)).toEqual([])
  })

  test('does not fail while another tab has the unknown write in memory', async () => {
    const { server, network, context, address, tabs } = await setUp(pageNamed, 2)
    const [writer] = tabs
    network.disconnect()
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
    const lateTab = await open(context, address)
    await expectTexts(lateTab, ['saved'])
    await expect.poll(() => failureKinds(lateTab)).toEqual([])
    network.reconnect()
    for (const tab of [...tabs, lateTab]) await untilIdle(tab)
    for (const tab of [...tabs, lateTab]) expect(await failureKinds(tab)).toEqual([])
    expect(await countNotes(server)).toBe(1)
  })
})

/** Opens two tabs behind a relay, and finds the leader. */
async function openBehindRelay() {
  const relay = await startRelay(await startServer())
  const context = await profile()
  const address = pageNamed(`?weft=${relay.url}`)
  const tabs = [await open(context, address), await open(context, address)] as [Page, Page]
  const leader = await lockHolder(tabs, senderLock)
  const other = tabs.find((tab) => tab !== leader) as Page
  return { relay, leader, other }
}

/** Creates a note and waits until it is saved. Returns the key of the write. */
const createNote = (page: Page, text: string): Promise<string> =>
  page.evaluate(async (text) => {
    const { key, saved } = window.weft.create('the_note', { text })
    await saved
    return key
  }, text)

/** Returns the error kinds of the failed writes that a page lists. */
const failureKinds = (page: Page) =>
  page.evaluate(() => window.weft.sync.get().failed.map(({ error }) => error?.kind))

/** Reports whether a promise settles within 500 ms. */
const settlesSoon = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(() => true),
    new Promise<boolean>((resolve) => setTimeout(resolve, 500, false)),
  ])
