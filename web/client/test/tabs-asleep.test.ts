import { describe, expect, test } from 'vitest'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import { startChromium, type Tab } from './devtools.ts'
import { startServer } from './server.ts'
import { count, outside, servePages } from './tab.ts'

const pageNamed = servePages()

describe('tabs that the browser puts to sleep', { timeout: 60_000 }, () => {
  test('a frozen leader gives the lead back, and does not take it again by itself', async () => {
    const open = await startChromium()
    const first = await openTab(open)
    await expect.poll(() => leads(first)).toBe(true)
    const second = await openTab(open)
    await freeze(first)
    await expect.poll(() => leads(second)).toBe(true)
    await thaw(first)
    await expect.poll(() => told(first)).toEqual(['(leads)', '(follows)', '(missed)'])
    expect([await leads(first), await leads(second)]).toEqual([false, true])
    await second.send('Page.close')
    await expect.poll(() => leads(first)).toBe(true)
  })

  test('a frozen tab is not the next to lead', async () => {
    const open = await startChromium()
    const [first, second, third] = [await openTab(open), await openTab(open), await openTab(open)]
    await expect.poll(() => leads(first)).toBe(true)
    await freeze(second)
    await first.send('Page.close')
    await expect.poll(() => leads(third)).toBe(true)
    await thaw(second)
    expect([await leads(second), await leads(third)]).toEqual([false, true])
  })

  test('a page kept to go back to neither leads nor hears, and says so when it is shown again', async () => {
    const open = await startChromium()
    const first = await openTab(open)
    await expect.poll(() => leads(first)).toBe(true)
    const second = await openTab(open)
    await first.send('Page.navigate', { url: pageNamed('tabs.ts') })
    await expect.poll(() => leads(second)).toBe(true)
    await second.run('tabs.tell("in between")')
    await first.run('void history.back()')
    await expect.poll(() => told(first).catch(() => [])).toContain('(missed)')
    await second.run('tabs.tell("after")')
    await expect.poll(() => told(first)).toEqual(['(leads)', '(follows)', '(missed)', 'after'])
    expect([await leads(first), await leads(second)]).toEqual([false, true])
  })

  test('a frozen tab holds no writes up, and shows what it missed when it wakes', async () => {
    const server = await startServer()
    const cable = await wireCutter(Number(new URL(server).port))
    const address = pageNamed(`?weft=${cable.url}`)
    const open = await startChromium()
    const tabs = [await openClient(open, address), await openClient(open, address)] as const
    const [asleep, awake] = tabs
    cable.cut()
    await write(asleep, 'before')
    await expect.poll(() => texts(awake)).toEqual(['before'])
    await freeze(asleep)
    cable.mend()
    await idle(awake)
    expect(await count(server)).toBe(1)
    await write(awake, 'meanwhile')
    await idle(awake)
    await outside(server).create('the_note', { text: 'elsewhere' }).synced
    await thaw(asleep)
    for (const tab of tabs) {
      await expect.poll(() => texts(tab)).toEqual(['elsewhere', 'meanwhile', 'before'])
      await idle(tab)
    }
    expect(await count(server)).toBe(3)
  })
})

type Open = Awaited<ReturnType<typeof startChromium>>

async function openTab(open: Open): Promise<Tab> {
  const tab = await open(pageNamed('tabs.html'))
  await expect.poll(() => tab.run('typeof tabs')).toBe('object')
  return tab
}

async function openClient(open: Open, address: string): Promise<Tab> {
  const tab = await open(address)
  await expect.poll(() => tab.run('typeof weft')).toBe('object')
  await tab.run('weft.ready')
  return tab
}

/** Freezes a tab behind another: what is seen is not frozen. */
async function freeze(tab: Tab): Promise<void> {
  await expect.poll(() => tab.run('document.visibilityState')).toBe('hidden')
  await tab.send('Page.setWebLifecycleState', { state: 'frozen' })
}

const thaw = (tab: Tab) => tab.send('Page.setWebLifecycleState', { state: 'active' })

const leads = (tab: Tab) => tab.run<boolean>('tabs.leading')
const told = (tab: Tab) => tab.run<string[]>('news')

const write = (tab: Tab, text: string) =>
  tab.run(`weft.create('the_note', { text: ${JSON.stringify(text)} }).saved`)

const texts = (tab: Tab) =>
  tab.run<string[]>('(notes.get().data ?? []).map((note) => note.data.the_note.text.data.the_text)')

const idle = (tab: Tab) => expect.poll(() => tab.run('weft.sync.get().pending')).toBe(0)
