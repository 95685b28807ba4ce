import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type {} from './page/main.ts'
import { tokenOf } from './server.ts'
import {
  count,
  crash,
  holder,
  idle,
  open,
  outside,
  seen,
  servePages,
  without,
  world,
  write,
} from './tab.ts'

const pageNamed = servePages()
/** How the lock ends that stands for sending. */
const sending = ' test'

describe('tabs of one application', { timeout: 90_000 }, () => {
  test('a tab that is closed with writes that wait loses none, and none is sent twice', async () => {
    const { server, cable, tabs } = await world(pageNamed, 2)
    const leader = await holder(tabs, sending)
    const [other] = without(tabs, leader)
    cable.cut()
    await write(leader, 'one')
    await write(leader, 'two')
    await leader.close()
    cable.mend()
    await idle(other)
    await seen(other, ['two', 'one'])
    expect(await count(server)).toBe(2)
  })

  test('a tab that crashes with writes that wait loses none, and none is sent twice', async () => {
    const { server, cable, tabs } = await world(pageNamed, 2)
    const leader = await holder(tabs, sending)
    const [other] = without(tabs, leader)
    await write(leader, 'sent')
    await idle(leader)
    cable.loseAnswers()
    await write(leader, 'sent without an answer')
    await expect.poll(() => cable.lost(), { timeout: 20_000 }).toBeGreaterThan(0)
    cable.cut()
    await write(leader, 'not sent')
    await crash(leader)
    cable.mend()
    await idle(other)
    await seen(other, ['not sent', 'sent without an answer', 'sent'])
    expect(await count(server)).toBe(3)
  })

  test('a leader that hangs does not hold up a tab that writes', async () => {
    const { server, tabs } = await world(pageNamed, 2)
    const leader = await holder(tabs, sending)
    const [other] = without(tabs, leader)
    await write(leader, 'before')
    await idle(leader)
    const end = Date.now() + 12_000
    const hung = leader.evaluate((end) => {
      window.weft.create('the_note', { text: 'not saved yet' })
      while (Date.now() < end);
    }, end)
    await write(other, 'not held up')
    await expect.poll(() => count(server), { timeout: 10_000 }).toBe(2)
    expect(Date.now()).toBeLessThan(end)
    await hung
    await idle(leader)
    for (const tab of tabs) await idle(tab)
    await expect.poll(() => count(server)).toBe(3)
    expect(await holder(tabs, sending)).toBe(other)
  })

  test('a tab that missed news reads what is on disk', async () => {
    const { cable, tabs } = await world(pageNamed, 2)
    const [teller, tab] = tabs
    await write(teller, 'before')
    await seen(tab, ['before'])
    await idle(teller)
    cable.cut()
    await teller.evaluate(() => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = () => {
        BroadcastChannel.prototype.postMessage = post
      }
    })
    await write(teller, 'not told')
    await write(teller, 'told')
    await seen(tab, ['told', 'not told', 'before'])
    cable.mend()
    for (const page of tabs) await idle(page)
    await seen(tab, ['told', 'not told', 'before'])
  })

  test('a tab that missed that a write was discarded shows it no more', async () => {
    const { server, cable, tabs } = await world(pageNamed, 2)
    const [teller, tab] = tabs
    await write(teller, 'stays')
    await idle(teller)
    await seen(tab, ['stays'])
    cable.cut()
    await tab.evaluate(() => {
      const { key, synced } = window.weft.create('the_note', { text: 'goes' })
      Object.assign(window, { key, ended: synced.catch((e) => e.message) })
    })
    await seen(teller, ['goes', 'stays'])
    await teller.evaluate(async () => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = function (letter) {
        if (letter?.news?.kind !== 'discarded') post.call(this, letter)
      }
      for (const { key } of window.weft.sync.writes()) await window.weft.sync.discard(key)
      BroadcastChannel.prototype.postMessage = post
    })
    await write(teller, 'told')
    await seen(tab, ['told', 'stays'])
    expect(await tab.evaluate(() => (window as { ended?: unknown }).ended)).toBe('discarded')
    cable.mend()
    for (const page of tabs) await idle(page)
    expect(await count(server)).toBe(2)
  })

  test('what a tab saved, and could tell nobody of before it went, is sent as soon as a tab comes', async () => {
    const { server, context, address, tabs } = await world(pageNamed, 2)
    const leader = await holder(tabs, sending)
    const [other] = without(tabs, leader)
    await other.evaluate(() => {
      BroadcastChannel.prototype.postMessage = () => {}
    })
    await write(other, 'not told')
    await other.close()
    const late = await open(context, address)
    await idle(late)
    expect(await holder([leader, late], sending)).toBe(leader)
    for (const tab of [leader, late]) await seen(tab, ['not told'])
    expect(await count(server)).toBe(1)
  })

  test('what a tab sent, and could tell nobody of before it went, waits in no tab', async () => {
    const { server, tabs } = await world(pageNamed, 3)
    const leader = await holder(tabs, sending)
    const others = without(tabs, leader)
    await leader.evaluate(() => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = function (letter) {
        if (letter?.news?.kind !== 'settled') post.call(this, letter)
      }
    })
    await write(others[0], 'sent')
    await expect.poll(() => count(server)).toBe(1)
    await idle(leader)
    await crash(leader)
    for (const tab of others) await idle(tab)
    for (const tab of others) await seen(tab, ['sent'])
    expect(await count(server)).toBe(1)
  })

  test('what a tab could not save waits for whoever leads, though it is not on disk', async () => {
    const { server, cable, tabs } = await world(pageNamed, 3)
    const leader = await holder(tabs, sending)
    const [writer, last] = without(tabs, leader) as [Page, Page]
    cable.cut()
    await writer.evaluate(async () => {
      const add = IDBObjectStore.prototype.add
      IDBObjectStore.prototype.add = () => {
        throw new DOMException('no room', 'QuotaExceededError')
      }
      await window.weft.create('the_note', { text: 'not saved' }).saved.catch(() => {})
      IDBObjectStore.prototype.add = add
    })
    for (const tab of [leader, last]) await seen(tab, ['not saved'])
    await crash(leader)
    const next = await holder([writer, last], sending)
    await seen(next, ['not saved'])
    cable.mend()
    for (const tab of [writer, last]) await idle(tab)
    expect(await count(server)).toBe(1)
  })

  test('a write is told the id of its record also where the tab heard nothing of that', async () => {
    const { server, tabs } = await world(pageNamed, 2)
    const leader = await holder(tabs, sending)
    const [other] = without(tabs, leader)
    await leader.evaluate(() => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = function (letter) {
        if (letter?.news?.kind === 'settled') BroadcastChannel.prototype.postMessage = post
        else post.call(this, letter)
      }
    })
    const id = await write(other, 'one')
    await idle(leader)
    const update = (id: number) => window.weft.update(id, { text: 'two' }).synced
    expect(await other.evaluate(update, id)).toBeGreaterThan(0)
    await idle(other)
    await seen(other, ['two'])
    expect(await count(server)).toBe(1)
  })

  test('what is written upon a write that another tab discards meanwhile goes with it', async () => {
    const { server, cable, tabs } = await world(pageNamed, 2)
    const [teller, tab] = tabs
    cable.cut()
    const id = await write(teller, 'goes')
    await seen(tab, ['goes'])
    await teller.evaluate(async () => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = function (letter) {
        const tell = () => post.call(this, letter)
        if (letter?.news?.kind === 'discarded') Object.assign(window, { tell })
        else tell()
      }
      for (const { key } of window.weft.sync.writes()) await window.weft.sync.discard(key)
      BroadcastChannel.prototype.postMessage = post
    })
    const ended = tab.evaluate((id) => {
      const { synced } = window.weft.update(id, { text: 'upon' })
      return synced.catch((e) => e.message)
    }, id)
    const pending = () => teller.evaluate(() => window.weft.sync.get().pending)
    await expect.poll(pending).toBe(1)
    await teller.evaluate(() => (window as unknown as { tell(): void }).tell())
    expect(await ended).toBe('discarded')
    cable.mend()
    for (const page of tabs) await idle(page)
    expect(await count(server)).toBe(0)
  })

  test('a tab whose user is not the one of the tab that leads sends what it wrote', async () => {
    const { server, cable, tabs } = await world(pageNamed, 2)
    const leader = await holder(tabs, sending)
    const [other] = without(tabs, leader)
    const token = await tokenOf(server, 'ann')
    await other.evaluate((token) => window.weft.setToken(token), token)
    await write(other, 'hers')
    await idle(other)
    cable.cut()
    await write(other, 'hers too')
    await other.evaluate(() => window.weft.setToken(undefined))
    cable.mend()
    await write(leader, 'of nobody')
    await idle(leader)
    expect(await count(server)).toBe(1)
    await other.evaluate((token) => window.weft.setToken(token), token)
    await seen(other, ['hers too', 'of nobody', 'hers'])
    await idle(other)
    expect(await count(server, token)).toBe(3)
    expect(await leader.evaluate(() => window.weft.find('the_text', 'hers')?.value)).toBe(undefined)
  })

  test('a duplicated tab is a tab of its own', async () => {
    const { server, context, tabs } = await world(pageNamed, 1)
    const [page] = tabs
    const opened = context.waitForEvent('page')
    await page.evaluate(() => {
      sessionStorage.setItem('anything', 'of the tab')
      window.open(location.href)
    })
    const copy = await opened
    await copy.waitForFunction(() => window.weft !== undefined)
    expect(await copy.evaluate(() => sessionStorage.getItem('anything'))).toBe('of the tab')
    const ten = (tab: Page) =>
      tab.evaluate(() =>
        Array.from({ length: 10 }, (_, i) => window.weft.create('the_note', { text: `${i}` }).id),
      )
    const ids = (await Promise.all([ten(page), ten(copy)])).flat()
    expect(new Set(ids).size).toBe(20)
    await idle(page)
    await idle(copy)
    expect(await count(server)).toBe(20)
  })

  test('two tabs that write one record keep what each wrote, and end up with the same', async () => {
    const { server, cable, tabs } = await world(pageNamed, 2)
    const real = await tabs[0].evaluate(
      () => window.weft.create('the_note', { text: 'new', left: '0', right: '0' }).synced,
    )
    for (const tab of tabs) {
      await seen(tab, ['new'])
      await idle(tab)
    }
    cable.cut()
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
    cable.mend()
    const want = { text: 'of the other', left: '1', right: '1' }
    for (const tab of tabs) {
      await idle(tab)
      const record = () => tab.evaluate((id) => window.weft.record(id), real)
      await expect.poll(record, { timeout: 15_000 }).toEqual(want)
    }
    expect(await outside(server).load(real)).toEqual(want)
    expect(await count(server)).toBe(1)
  })
})
