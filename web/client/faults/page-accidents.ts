import type { CDPSession, Page } from 'playwright-core'
import type {} from './page/main.ts'
import { releaseWorkerVersion } from './page-files.ts'
import type { AccidentContext, Accidents, Tab } from './platform.ts'

/** A tab of a real browser. */
export interface PageTab extends Tab {
  readonly page: Page
  readonly devtools: CDPSession
  hasCrashed: boolean
  isFrozen: boolean
}

const pickTab = ({ tabs, pick }: AccidentContext): PageTab => pick(tabs) as PageTab

/** Accidents of pages, and of their shared disk and service worker. */
export const pageAccidents: Accidents = {
  'tab closed': async (context) => {
    const tab = pickTab(context)
    await tab.close()
    await context.open(tab)
  },
  'tab crashed': async (context) => {
    const { devtools, page } = pickTab(context)
    const crashed = page.waitForEvent('crash')
    devtools.send('Page.crash').catch(() => {})
    await crashed
    // A duplicated tab shares the process of its original, so the duplicate crashes a moment later.
    await new Promise((done) => setTimeout(done, 200))
    await replaceCrashed(context)
  },
  'tab reloaded': async (context) => {
    const tab = pickTab(context)
    await tab.page.context().setOffline(false)
    await tab.page.reload()
    context.onReloaded(tab)
    await tab.page.waitForFunction(() => window.agent !== undefined)
  },
  'tab duplicated': async (context) => {
    const [closed, copied] = [pickTab(context), pickTab(context)]
    await context.open(closed === copied ? undefined : closed, copied)
    if (closed !== copied) await closed.close()
  },
  'tab frozen': async (context) => {
    const { tabs, later } = context
    const tab = pickTab(context)
    await tab.devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    tab.isFrozen = true
    tabs.splice(tabs.indexOf(tab), 1)
    later(async () => {
      tabs.push(tab)
      if (tab.hasCrashed) await replaceCrashed(context)
      else await tab.devtools.send('Page.setWebLifecycleState', { state: 'active' })
      tab.isFrozen = false
    }, 6_000)
  },
  'database closed': async (context) => {
    const withEvent = context.random() < 0.5
    await pickTab(context).page.evaluate((withEvent) => window.closeDatabases(withEvent), withEvent)
  },
  'database blocked': async (context) => {
    const time = context.random() * 4_000
    await pickTab(context).page.evaluate((time) => window.blockDatabases(time), time)
  },
  'caches emptied': async (context) => {
    const andDeleted = context.random() < 0.5
    await pickTab(context).page.evaluate((andDeleted) => window.emptyCaches(andDeleted), andDeleted)
  },
  'disk full': async (context) => {
    const { devtools, page } = pickTab(context)
    const { origin } = new URL(page.url())
    await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 })
    context.later(async () => {
      const [tab] = context.tabs as PageTab[]
      await tab?.devtools.send('Storage.overrideQuotaForOrigin', { origin })
    }, 3_000)
  },
  'worker killed': async (context) => {
    const { devtools } = pickTab(context)
    await devtools.send('ServiceWorker.enable')
    await devtools.send('ServiceWorker.stopAllWorkers')
  },
  'worker updated': async (context) => {
    releaseWorkerVersion()
    await pickTab(context).page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration()
      await registration?.update()
    })
  },
  'clock jumped': async (context) => {
    const by = (context.random() - 0.5) * 10 ** Math.floor(4 + context.random() * 6)
    await pickTab(context).page.evaluate((by) => window.moveClock(by), by)
  },
}

/** Replaces the tabs whose process has crashed. */
export async function replaceCrashed({
  tabs,
  open,
}: Pick<AccidentContext, 'tabs' | 'open'>): Promise<void> {
  for (const tab of tabs.filter((tab) => (tab as PageTab).hasCrashed)) {
    await tab.close()
    await open(tab)
  }
}
