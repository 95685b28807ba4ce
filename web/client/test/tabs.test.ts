import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import type {} from './page/tabs.ts'
import { servePages } from './tab.ts'

const pageNamed = servePages()

describe('tabs that share a name', { timeout: 60_000 }, () => {
  test('one leads, and the next when that one is closed', async () => {
    const [first, second, third] = await openTabs(3)
    expect(await leaders([first, second, third])).toEqual([true, false, false])
    await first.close()
    await expect.poll(() => leaders([second, third])).toEqual([true, false])
    expect(await told(second)).toEqual(['(leads)'])
  })

  test('the next leads when the leader has crashed', async () => {
    const [first, second] = await openTabs(2)
    const crashed = first.waitForEvent('crash')
    const devtools = await first.context().newCDPSession(first)
    devtools.send('Page.crash').catch(() => {})
    await crashed
    await expect.poll(() => leaders([second])).toEqual([true])
  })

  test('a leader that hangs keeps the lead until somebody waits for it, and stops when it wakes', async () => {
    const [first, second, third] = await openTabs(3)
    await second.evaluate(() => window.tabs.expect())
    const end = Date.now() + 10_000
    const hung = first.evaluate((end) => {
      while (Date.now() < end);
      return window.tabs.leading
    }, end)
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    expect(await leaders([second, third])).toEqual([false, false])
    await third.evaluate(() => window.tabs.expect())
    await expect.poll(() => leaders([second, third])).toEqual([false, true])
    expect(Date.now()).toBeLessThan(end)
    expect(await hung).toBe(true)
    await expect.poll(() => leaders([first])).toEqual([false])
    await third.close()
    await second.close()
    await expect.poll(() => leaders([first])).toEqual([true])
  })

  test('a leader that is there keeps the lead, however many wait for it', async () => {
    const tabs = await openTabs(4)
    for (const tab of tabs) await tab.evaluate(() => window.tabs.expect())
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    expect(await leaders(tabs)).toEqual([true, false, false, false])
    expect(await told(tabs[0])).toEqual(['(leads)'])
  })

  test('news are heard once and in order, and who missed one is told', async () => {
    const [first, second] = await openTabs(2)
    for (const news of ['a', 'b']) await first.evaluate((news) => window.tabs.tell(news), news)
    await expect.poll(() => told(second)).toEqual(['a', 'b'])
    await post(first, { from: 7, n: 3, news: 'of somebody heard for the first time' })
    await post(first, { from: 7, n: 3, news: 'again' })
    await post(first, { from: 7, n: 4, news: 'next' })
    await post(first, { from: 7, n: 6, news: 'after a gap' })
    await post(first, { from: 7, n: 5, news: 'too late' })
    await post(first, { from: 8, n: 1, news: 'of another' })
    await expect
      .poll(() => told(second))
      .toEqual([
        'a',
        'b',
        'of somebody heard for the first time',
        'next',
        '(missed)',
        'after a gap',
        'of another',
      ])
  })

  test('where the browser has no locks every tab leads', async () => {
    const context = await profile()
    await context.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })
    })
    expect(await leaders([await openTab(context), await openTab(context)])).toEqual([true, true])
  })
})

/** So many tabs of a new profile, opened one after the other. */
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

const leaders = (tabs: readonly Page[]): Promise<boolean[]> =>
  Promise.all(tabs.map((tab) => tab.evaluate(() => window.tabs.leading)))

const told = (tab: Page): Promise<string[]> => tab.evaluate(() => window.news)

/** Posts what another tab, or a bad line, might. */
const post = (page: Page, letter: object): Promise<void> =>
  page.evaluate((letter) => {
    const channel = new BroadcastChannel('test')
    channel.postMessage(letter)
    channel.close()
  }, letter)
