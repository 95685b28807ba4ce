import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { block } from './block.ts'
import type {} from './page/tabs.ts'
import { servePages } from './tab.ts'

const pageNamed = servePages()

describe('leader election', () => {
  test('makes the next tab the leader when the leader is closed', async () => {
    const [first, second, third] = await openTabs(3)
    expect(await leaders([first, second, third])).toEqual([true, false, false])
    await first.close()
    await expect.poll(() => leaders([second, third])).toEqual([true, false])
    expect(await received(second)).toEqual(['(leads)'])
  })

  test('makes the next tab the leader when the leader crashes', async () => {
    const [first, second] = await openTabs(2)
    const crashed = first.waitForEvent('crash')
    const devtools = await first.context().newCDPSession(first)
    devtools.send('Page.crash').catch(() => {})
    await crashed
    await expect.poll(() => leaders([second])).toEqual([true])
  })

  test('replaces a blocked leader when a tab requests one, and demotes it when it resumes', async () => {
    const [first, second, third] = await openTabs(3)
    await second.evaluate(requestAnsweredLeader)
    const blocked = await block(first, undefined, () => window.tabs.isLeader)
    await blocked.begun
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    expect(await leaders([second, third])).toEqual([false, false])
    await third.evaluate(() => window.tabs.requestLeader())
    await expect.poll(() => leaders([second, third])).toEqual([false, true])
    expect(await blocked.end()).toBe(true)
    await expect.poll(() => leaders([first])).toEqual([false])
    await third.close()
    await second.close()
    await expect.poll(() => leaders([first])).toEqual([true])
  })

  test('keeps a leader that responds, no matter how many tabs request a leader', async () => {
    const tabs = await openTabs(4)
    for (const tab of tabs) await tab.evaluate(() => window.tabs.requestLeader())
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    expect(await leaders(tabs)).toEqual([true, false, false, false])
    expect(await received(tabs[0])).toEqual(['(leads)'])
  })

  test('delivers events once and in order, and reports gaps', async () => {
    const [first, second] = await openTabs(2)
    for (const event of ['a', 'b'])
      await first.evaluate((event) => window.tabs.publish(event), event)
    await expect.poll(() => received(second)).toEqual(['a', 'b'])
    await post(first, { from: 7, n: 3, news: 'the first event of a tab' })
    await post(first, { from: 7, n: 3, news: 'again' })
    await post(first, { from: 7, n: 4, news: 'next' })
    await post(first, { from: 7, n: 6, news: 'after a gap' })
    await post(first, { from: 7, n: 5, news: 'too late' })
    await post(first, { from: 8, n: 1, news: 'of another' })
    await expect
      .poll(() => received(second))
      .toEqual([
        'a',
        'b',
        'the first event of a tab',
        'next',
        '(missed)',
        'after a gap',
        'of another',
      ])
  })

  test('makes every tab a leader if the browser has no locks', async () => {
    const context = await profile()
    await context.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })
    })
    expect(await leaders([await openTab(context), await openTab(context)])).toEqual([true, true])
  })
})

/** Opens tabs of a new profile, one after the other. */
async function openTabs(count: number) {
  const context = await profile()
  const tabs: Page[] = []
  while (tabs.length < count) tabs.push(await openTab(context))
  await expect.poll(() => leaders(tabs.slice(0, 1))).toEqual([true])
  return tabs as [Page, Page, Page, ...Page[]]
}

async function openTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto(pageNamed('tabs.html'))
  await page.waitForFunction(() => window.tabs !== undefined)
  return page
}

/** Runs in a page: requests a leader, and waits for its response. */
const requestAnsweredLeader = (): Promise<void> =>
  new Promise((resolve) => {
    const channel = new BroadcastChannel('test')
    channel.onmessage = ({ data }) => {
      if (typeof data !== 'object' || !('pong' in data)) return
      channel.close()
      resolve()
    }
    window.tabs.requestLeader()
  })

const leaders = (tabs: readonly Page[]): Promise<boolean[]> =>
  Promise.all(tabs.map((tab) => tab.evaluate(() => window.tabs.isLeader)))

const received = (tab: Page): Promise<string[]> => tab.evaluate(() => window.received)

/** Posts a message on the channel, to simulate another tab or an unreliable channel. */
const post = (page: Page, message: object): Promise<void> =>
  page.evaluate((message) => {
    const channel = new BroadcastChannel('test')
    channel.postMessage(message)
    channel.close()
  }, message)
