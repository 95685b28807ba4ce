import type { Accidents, Desk } from './form.ts'
import type {} from './page/main.ts'
import type { PageTab } from './pages.ts'
import { renewWorker } from './site.ts'

const pick = ({ tabs, one }: Desk): PageTab => one(tabs) as PageTab

/** What happens to pages, and to what they share. */
export const accidents: Accidents = {
  'tab closed': async (desk) => {
    const tab = pick(desk)
    await tab.close()
    await desk.open(tab)
  },
  'tab crashed': async (desk) => {
    const { devtools, page } = pick(desk)
    const crashed = page.waitForEvent('crash')
    devtools.send('Page.crash').catch(() => {})
    await crashed
    // A copy lives in the process of its original, and goes with it.
    await new Promise((done) => setTimeout(done, 200))
    await replaceCrashed(desk)
  },
  'tab reloaded': async (desk) => {
    const tab = pick(desk)
    await tab.page.context().setOffline(false)
    await tab.page.reload()
    desk.reloaded(tab)
    await tab.page.waitForFunction(() => window.agent !== undefined)
  },
  'tab duplicated': async (desk) => {
    const [gone, copied] = [pick(desk), pick(desk)]
    await desk.open(gone === copied ? undefined : gone, copied)
    if (gone !== copied) await gone.close()
  },
  'tab frozen': async (desk) => {
    const { tabs, later } = desk
    const tab = pick(desk)
    await tab.devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    tab.frozen = true
    tabs.splice(tabs.indexOf(tab), 1)
    later(async () => {
      tabs.push(tab)
      if (tab.crashed) await replaceCrashed(desk)
      else await tab.devtools.send('Page.setWebLifecycleState', { state: 'active' })
      tab.frozen = false
    }, 6_000)
  },
  'database closed': async (desk) => {
    const openly = desk.dice() < 0.5
    await pick(desk).page.evaluate((openly) => window.closeDatabases(openly), openly)
  },
  'database blocked': async (desk) => {
    const time = desk.dice() * 4_000
    await pick(desk).page.evaluate((time) => window.blockDatabases(time), time)
  },
  'caches emptied': async (desk) => {
    const wholly = desk.dice() < 0.5
    await pick(desk).page.evaluate((wholly) => window.emptyCaches(wholly), wholly)
  },
  'disk full': async (desk) => {
    const { devtools, page } = pick(desk)
    const { origin } = new URL(page.url())
    await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 })
    desk.later(async () => {
      const [tab] = desk.tabs as PageTab[]
      await tab?.devtools.send('Storage.overrideQuotaForOrigin', { origin })
    }, 3_000)
  },
  'worker killed': async (desk) => {
    const { devtools } = pick(desk)
    await devtools.send('ServiceWorker.enable')
    await devtools.send('ServiceWorker.stopAllWorkers')
  },
  'worker updated': async (desk) => {
    renewWorker()
    await pick(desk).page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration()
      await registration?.update()
    })
  },
  'clock jumped': async (desk) => {
    const by = (desk.dice() - 0.5) * 10 ** Math.floor(4 + desk.dice() * 6)
    await pick(desk).page.evaluate((by) => window.moveClock(by), by)
  },
}

/** Opens tabs in the place of those whose process is no more, of which nothing can be asked. */
export async function replaceCrashed({ tabs, open }: Pick<Desk, 'tabs' | 'open'>): Promise<void> {
  for (const tab of tabs.filter((one) => (one as PageTab).crashed)) {
    await tab.close()
    await open(tab)
  }
}
