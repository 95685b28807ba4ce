import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { block } from './block.ts'
import { countNotes } from './count-notes.ts'
import type {} from './page/main.ts'
import { tokenOf } from './server.ts'
import {
  crash,
  expectTexts,
  lockHolder,
  open,
  outsideClient,
  servePages,
  setUp,
  untilIdle,
  without,
  writeNote,
} from './tab.ts'

const pageNamed = servePages()
/** The end of the name of the lock that the sending tab holds. */
const senderLock = ' test'

describe('the outbox of several tabs', () => {
  test('sends the pending writes of a closed tab, each once', async () => {
    const { server, network, tabs } = await setUp(pageNamed, 2)
    const leader = await lockHolder(tabs, senderLock)
    const [other] = without(tabs, leader)
    network.disconnect()
    await writeNote(leader, 'one')
    await writeNote(leader, 'two')
    await leader.close()
    network.reconnect()
    await untilIdle(other)
    await expectTexts(other, ['two', 'one'])
    expect(await countNotes(server)).toBe(2)
  })

  test('sends the pending writes of a crashed tab, each once', async () => {
    const { server, network, tabs } = await setUp(pageNamed, 2)
    const leader = await lockHolder(tabs, senderLock)
    const [other] = without(tabs, leader)
    await writeNote(leader, 'sent')
    await untilIdle(leader)
    network.dropResponses()
    await writeNote(leader, 'sent without a response')
    await expect.poll(() => network.droppedResponses()).toBeGreaterThan(0)
    network.disconnect()
    await writeNote(leader, 'not sent')
    await crash(leader)
    network.reconnect()
    await untilIdle(other)
    await expectTexts(other, ['not sent', 'sent without a response', 'sent'])
    expect(await countNotes(server)).toBe(3)
  })

  test('sends a tab’s write while the leader is blocked', async () => {
    const { server, tabs } = await setUp(pageNamed, 2)
    const leader = await lockHolder(tabs, senderLock)
    const [other] = without(tabs, leader)
    await writeNote(leader, 'before')
    await untilIdle(leader)
    const blocked = await block(leader, () => {
      window.weft.create('the_note', { text: 'not saved yet' })
    })
    await blocked.begun
    await writeNote(other, 'not held up')
    await expect.poll(() => countNotes(server)).toBe(2)
    await blocked.end()
    await untilIdle(leader)
    for (const tab of tabs) await untilIdle(tab)
    await expect.poll(() => countNotes(server)).toBe(3)
    expect(await lockHolder(tabs, senderLock)).toBe(other)
  })

  test('has a write on disk even if its tab stops immediately', async () => {
    const { network, tabs } = await setUp(pageNamed, 2)
    const [writer, other] = tabs
    network.disconnect()
    const blocked = await block(writer, async () => {
      window.weft.create('the_note', { text: 'written' })
      // All requests to the database are made in this task. After it, the tab receives no event of the database.
      for (let turns = 100; turns > 0; turns--) await undefined
    })
    await blocked.begun
    expect(await other.evaluate(countStoredWrites)).toBe(1)
    await blocked.end()
  })

  test('reads the disk after a missed event', async () => {
    const { network, tabs } = await setUp(pageNamed, 2)
    const [publisher, tab] = tabs
    await writeNote(publisher, 'before')
    await expectTexts(tab, ['before'])
    await untilIdle(publisher)
    network.disconnect()
    await publisher.evaluate(() => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = () => {
        BroadcastChannel.prototype.postMessage = post
      }
    })
    await writeNote(publisher, 'not announced')
    await writeNote(publisher, 'announced')
    await expectTexts(tab, ['announced', 'not announced', 'before'])
    network.reconnect()
    for (const page of tabs) await untilIdle(page)
    await expectTexts(tab, ['announced', 'not announced', 'before'])
  })

  test('removes a discarded write even if a tab missed the event', async () => {
    const { server, network, tabs } = await setUp(pageNamed, 2)
    const [publisher, tab] = tabs
    await writeNote(publisher, 'kept')
    await untilIdle(publisher)
    await expectTexts(tab, ['kept'])
    network.disconnect()
    await tab.evaluate(() => {
      const { key, synced } = window.weft.create('the_note', { text: 'discarded' })
      Object.assign(window, { key, ended: synced.catch((e) => e.message) })
    })
    await expectTexts(publisher, ['discarded', 'kept'])
    await publisher.evaluate(async () => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = function (message) {
        if (message?.news?.kind !== 'discarded') post.call(this, message)
      }
      for (const { key } of window.weft.sync.writes()) await window.weft.sync.discard(key)
      BroadcastChannel.prototype.postMessage = post
    })
    await writeNote(publisher, 'announced')
    await expectTexts(tab, ['announced', 'kept'])
    expect(await tab.evaluate(() => (window as { ended?: unknown }).ended)).toBe('discarded')
    network.reconnect()
    for (const page of tabs) await untilIdle(page)
    expect(await countNotes(server)).toBe(2)
  })

  test('sends a write that a tab saved but did not publish before it closed', async () => {
    const { server, context, address, tabs } = await setUp(pageNamed, 2)
    const leader = await lockHolder(tabs, senderLock)
    const [other] = without(tabs, leader)
    await other.evaluate(() => {
      BroadcastChannel.prototype.postMessage = () => {}
    })
    await writeNote(other, 'not announced')
    await other.close()
    const lateTab = await open(context, address)
    await untilIdle(lateTab)
    expect(await lockHolder([leader, lateTab], senderLock)).toBe(leader)
    for (const tab of [leader, lateTab]) await expectTexts(tab, ['not announced'])
    expect(await countNotes(server)).toBe(1)
  })

  test('settles a write that a tab sent but did not publish before it closed', async () => {
    const { server, tabs } = await setUp(pageNamed, 3)
    const leader = await lockHolder(tabs, senderLock)
    const others = without(tabs, leader)
    await leader.evaluate(() => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = function (message) {
        if (message?.news?.kind !== 'settled') post.call(this, message)
      }
    })
    await writeNote(others[0], 'sent')
    await expect.poll(() => countNotes(server)).toBe(1)
    await untilIdle(leader)
    await crash(leader)
    for (const tab of others) await untilIdle(tab)
    for (const tab of others) await expectTexts(tab, ['sent'])
    expect(await countNotes(server)).toBe(1)
  })

  test('keeps a write that the disk refused in the memory of every tab', async () => {
    const { server, network, tabs } = await setUp(pageNamed, 3)
    const leader = await lockHolder(tabs, senderLock)
    const [writer, last] = without(tabs, leader) as [Page, Page]
    network.disconnect()
    await writer.evaluate(async () => {
      const add = IDBObjectStore.prototype.add
      IDBObjectStore.prototype.add = () => {
        throw new DOMException('no room', 'QuotaExceededError')
      }
      await window.weft.create('the_note', { text: 'not saved' }).saved.catch(() => {})
      IDBObjectStore.prototype.add = add
    })
    for (const tab of [leader, last]) await expectTexts(tab, ['not saved'])
    await crash(leader)
    const next = await lockHolder([writer, last], senderLock)
    await expectTexts(next, ['not saved'])
    network.reconnect()
    for (const tab of [writer, last]) await untilIdle(tab)
    expect(await countNotes(server)).toBe(1)
  })

  test('resolves a write with its real id even if its tab missed the event', async () => {
    const { server, tabs } = await setUp(pageNamed, 2)
    const leader = await lockHolder(tabs, senderLock)
    const [other] = without(tabs, leader)
    await leader.evaluate(() => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = function (message) {
        if (message?.news?.kind === 'settled') BroadcastChannel.prototype.postMessage = post
        else post.call(this, message)
      }
    })
    const id = await writeNote(other, 'one')
    await untilIdle(leader)
    const update = (id: number) => window.weft.update(id, { text: 'two' }).synced
    expect(await other.evaluate(update, id)).toBeGreaterThan(0)
    await untilIdle(other)
    await expectTexts(other, ['two'])
    expect(await countNotes(server)).toBe(1)
  })

  test('discards a write that refers to a write that another tab discards', async () => {
    const { server, network, tabs } = await setUp(pageNamed, 2)
    const [publisher, tab] = tabs
    network.disconnect()
    const id = await writeNote(publisher, 'discarded')
    await expectTexts(tab, ['discarded'])
    await publisher.evaluate(async () => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = function (message) {
        const publish = () => post.call(this, message)
        if (message?.news?.kind === 'discarded') Object.assign(window, { publish })
        else publish()
      }
      for (const { key } of window.weft.sync.writes()) await window.weft.sync.discard(key)
      BroadcastChannel.prototype.postMessage = post
    })
    const ended = tab.evaluate((id) => {
      const { synced } = window.weft.update(id, { text: 'dependent' })
      return synced.catch((e) => e.message)
    }, id)
    const pending = () => publisher.evaluate(() => window.weft.sync.get().pending)
    await expect.poll(pending).toBe(1)
    await publisher.evaluate(() => (window as unknown as { publish(): void }).publish())
    expect(await ended).toBe('discarded')
    network.reconnect()
    for (const page of tabs) await untilIdle(page)
    expect(await countNotes(server)).toBe(0)
  })

  test('sends the writes of a tab with another user than the leader', async () => {
    const { server, network, tabs } = await setUp(pageNamed, 2)
    const leader = await lockHolder(tabs, senderLock)
    const [other] = without(tabs, leader)
    const token = await tokenOf(server, 'ann')
    await other.evaluate((token) => window.weft.setToken(token), token)
    await writeNote(other, 'hers')
    await untilIdle(other)
    network.disconnect()
    await writeNote(other, 'hers too')
    await other.evaluate(() => window.weft.setToken(undefined))
    network.reconnect()
    await writeNote(leader, 'of a guest')
    await untilIdle(leader)
    expect(await countNotes(server)).toBe(1)
    await other.evaluate((token) => window.weft.setToken(token), token)
    await expectTexts(other, ['hers too', 'of a guest', 'hers'])
    await untilIdle(other)
    expect(await countNotes(server, token)).toBe(3)
    expect(await leader.evaluate(() => window.weft.find('the_text', 'hers')?.value)).toBe(undefined)
  })

  test('treats a duplicated tab as a separate tab', async () => {
    const { server, context, tabs } = await setUp(pageNamed, 1)
    const [page] = tabs
    const opened = context.waitForEvent('page')
    await page.evaluate(() => {
      sessionStorage.setItem('anything', 'of the tab')
      window.open(location.href)
    })
    const copy = await opened
    await copy.waitForFunction(() => window.weft !== undefined)
    expect(await copy.evaluate(() => sessionStorage.getItem('anything'))).toBe('of the tab')
    const createTen = (tab: Page) =>
      tab.evaluate(() =>
        Array.from({ length: 10 }, (_, i) => window.weft.create('the_note', { text: `${i}` }).id),
      )
    const ids = (await Promise.all([createTen(page), createTen(copy)])).flat()
    expect(new Set(ids).size).toBe(20)
    await untilIdle(page)
    await untilIdle(copy)
    expect(await countNotes(server)).toBe(20)
  })

  test('two tabs that wrote to one record show the same result', async () => {
    const { server, network, tabs } = await setUp(pageNamed, 2)
    const real = await tabs[0].evaluate(
      () => window.weft.create('the_note', { text: 'new', left: '0', right: '0' }).synced,
    )
    for (const tab of tabs) {
      await expectTexts(tab, ['new'])
      await untilIdle(tab)
    }
    network.disconnect()
    const update = (tab: Page, fields: Record<string, string>) =>
      tab.evaluate(
        async ([id, fields]) => {
          await window.weft.load(id).catch(() => {})
          await window.weft.update(id, fields).saved
        },
        [real, fields] as const,
      )
    await Promise.all([update(tabs[0], { left: '1' }), update(tabs[1], { right: '1' })])
    await update(tabs[0], { text: 'of one' })
    await update(tabs[1], { text: 'of the other' })
    network.reconnect()
    const expected = { text: 'of the other', left: '1', right: '1' }
    for (const tab of tabs) {
      await untilIdle(tab)
      const record = () => tab.evaluate((id) => window.weft.record(id), real)
      await expect.poll(record).toEqual(expected)
    }
    expect(await outsideClient(server).load(real)).toEqual(expected)
    expect(await countNotes(server)).toBe(1)
  })
})

/** Counts the unsent writes on disk. */
async function countStoredWrites(): Promise<number> {
  const result = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve) => {
      request.onsuccess = () => resolve(request.result)
    })
  const databases = await indexedDB.databases()
  const name = databases.find(({ name }) => !name?.endsWith(' cache'))?.name ?? ''
  const db = await result(indexedDB.open(name))
  for (;;) {
    const rows = await result(db.transaction('outbox').objectStore('outbox').count())
    if (rows > 0) return rows
  }
}
