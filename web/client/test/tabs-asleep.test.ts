import { describe, expect, test } from 'vitest'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { countNotes } from './count-notes.ts'
import { startChromium, type Tab } from './devtools.ts'
import { startServer } from './server.ts'
import { outsideClient, servePages } from './tab.ts'

const pageNamed = servePages()

describe('suspended tabs', () => {
  test('a frozen leader loses the leadership, and does not regain it when it resumes', async () => {
    const open = await startChromium()
    const first = await openTab(open)
    await expect.poll(() => leads(first)).toBe(true)
    const second = await openTab(open)
    await freeze(first)
    await expect.poll(() => leads(second)).toBe(true)
    await thaw(first)
    await expect.poll(() => received(first)).toEqual(['(leads)', '(follows)', '(missed)'])
    expect([await leads(first), await leads(second)]).toEqual([false, true])
    await second.send('Page.close')
    await expect.poll(() => leads(first)).toBe(true)
  })

  test('a frozen tab does not become the next leader', async () => {
    const open = await startChromium()
    const [first, second, third] = [await openTab(open), await openTab(open), await openTab(open)]
    await expect.poll(() => leads(first)).toBe(true)
    await freeze(second)
    await first.send('Page.close')
    await expect.poll(() => leads(third)).toBe(true)
    await thaw(second)
    expect([await leads(second), await leads(third)]).toEqual([false, true])
  })

  test('a page in the back/forward cache neither leads nor receives events, and reports a gap when it is shown', async () => {
    const open = await startChromium()
    const first = await openTab(open)
    await expect.poll(() => leads(first)).toBe(true)
    const second = await openTab(open)
    await first.send('Page.navigate', { url: pageNamed('tabs.ts') })
    await expect.poll(() => leads(second)).toBe(true)
    await second.run('tabs.publish("in between")')
    await first.run('void history.back()')
    await expect.poll(() => received(first).catch(() => [])).toContain('(missed)')
    await second.run('tabs.publish("after")')
    await expect.poll(() => received(first)).toEqual(['(leads)', '(follows)', '(missed)', 'after'])
    expect([await leads(first), await leads(second)]).toEqual([false, true])
  })

  test('a frozen tab does not delay the writes of other tabs, and shows them when it resumes', async () => {
    const server = await startServer()
    const network = await startNetworkProxy(Number(new URL(server).port))
    const address = pageNamed(`?weft=${network.url}`)
    const open = await startChromium()
    const tabs = [await openClient(open, address), await openClient(open, address)] as const
    const [asleep, awake] = tabs
    network.disconnect()
    await writeNote(asleep, 'before')
    await expect.poll(() => texts(awake)).toEqual(['before'])
    await freeze(asleep)
    network.reconnect()
    await untilIdle(awake)
    expect(await countNotes(server)).toBe(1)
    await writeNote(awake, 'meanwhile')
    await untilIdle(awake)
    await outsideClient(server).create('the_note', { text: 'elsewhere' }).synced
    await thaw(asleep)
    for (const tab of tabs) {
      await expect.poll(() => texts(tab)).toEqual(['elsewhere', 'meanwhile', 'before'])
      await untilIdle(tab)
    }
    expect(await countNotes(server)).toBe(3)
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

/** Moves a tab to the background and freezes it. The browser does not freeze a visible tab. */
async function freeze(tab: Tab): Promise<void> {
  await expect.poll(() => tab.run('document.visibilityState')).toBe('hidden')
  await tab.send('Page.setWebLifecycleState', { state: 'frozen' })
}

const thaw = (tab: Tab) => tab.send('Page.setWebLifecycleState', { state: 'active' })

const leads = (tab: Tab) => tab.run<boolean>('tabs.isLeader')
const received = (tab: Tab) => tab.run<string[]>('received')

const writeNote = (tab: Tab, text: string) =>
  tab.run(`weft.create('the_note', { text: ${JSON.stringify(text)} }).saved`)

const texts = (tab: Tab) =>
  tab.run<string[]>('(notes.get().data ?? []).map((note) => note.data.the_note.text.data.the_text)')

const untilIdle = (tab: Tab) => expect.poll(() => tab.run('weft.sync.get().pending')).toBe(0)
