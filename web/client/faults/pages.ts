import { join } from 'node:path'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { launch } from '../../e2e/launch.ts'
import type { Accidents, Desk, Form, Tab, World } from './form.ts'
import type { File } from './gateway.ts'
import type { Told } from './operation.ts'
import type {} from './page/main.ts'

/** Pages of one browser profile, with a real disk. The browser ends with the process. */
export async function pages(): Promise<Form> {
  const [files, browser] = await Promise.all([bundle(), launch()])
  return {
    name: 'chromium',
    shared: true,
    files,
    begin: async (url) => worldIn(await browser.newContext(), url),
    end: () => browser.close(),
  }
}

/** A tab that is a page. */
interface PageTab extends Tab {
  readonly page: Page
  readonly devtools: CDPSession
  /** True once its process is no more. */
  crashed: boolean
}

async function worldIn(context: BrowserContext, url: string): Promise<World> {
  const listeners = new Map<Page, (told: Told) => void>()
  await context.exposeBinding('tell', ({ page }, told: Told) => listeners.get(page)?.(told))
  context.on('dialog', (dialog) => void dialog.accept())

  async function open(name: string, tell: (told: Told) => void, copied?: Tab): Promise<PageTab> {
    await context.setOffline(false)
    const page = copied ? await copy((copied as PageTab).page) : await context.newPage()
    listeners.set(page, tell)
    if (!copied) await page.goto(url)
    await page.waitForFunction(() => window.agent !== undefined)
    const tab: PageTab = {
      name,
      page,
      crashed: false,
      devtools: await context.newCDPSession(page),
      carryOut: (operation) => page.evaluate(carryOut, JSON.stringify(operation)),
      standing: () => page.evaluate(() => window.agent.standing()),
      shown: () => page.evaluate(() => window.agent.shown()),
      refresh: () => page.evaluate(() => window.agent.refresh()),
      close: () => page.close(),
    }
    page.on('crash', () => {
      tab.crashed = true
    })
    return tab
  }

  /** The browser's own "Duplicate tab": the copy has all that the first page kept for itself. */
  async function copy(page: Page): Promise<Page> {
    const coming = context.waitForEvent('page')
    await page.evaluate(() => void window.open(location.href))
    return coming
  }

  const offline: Accidents = {
    offline: async ({ later }) => {
      await context.setOffline(true)
      later(() => context.setOffline(false))
    },
  }
  return {
    accidents: { ...accidents, ...offline },
    open,
    mend: () => context.setOffline(false),
    end: () => context.close(),
  }
}

/** Runs in a page. */
const carryOut = (operation: string): Promise<void> => window.agent.carryOut(JSON.parse(operation))

const pick = ({ tabs, one }: Desk): PageTab => one(tabs) as PageTab

const accidents: Accidents = {
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
    tabs.splice(tabs.indexOf(tab), 1)
    later(async () => {
      tabs.push(tab)
      if (tab.crashed) await replaceCrashed(desk)
      else await tab.devtools.send('Page.setWebLifecycleState', { state: 'active' })
    }, 6_000)
  },
  'database closed': async (desk) => {
    const openly = desk.dice() < 0.5
    await pick(desk).page.evaluate((openly) => window.closeDatabases(openly), openly)
  },
  'caches emptied': async (desk) => {
    await pick(desk).page.evaluate(emptyCaches)
  },
  'clock jumped': async (desk) => {
    const by = (desk.dice() - 0.5) * 10 ** Math.floor(4 + desk.dice() * 6)
    await pick(desk).page.evaluate((by) => window.moveClock(by), by)
  },
}

async function replaceCrashed({ tabs, open }: Desk): Promise<void> {
  for (const tab of tabs.filter((one) => (one as PageTab).crashed)) {
    await tab.close()
    await open(tab)
  }
}

/** Runs in a page: forgets whatever can be fetched again, behind the back of all tabs. */
async function emptyCaches(): Promise<void> {
  for (const name of await caches.keys()) await caches.delete(name)
  for (const { name } of await indexedDB.databases()) {
    const request = indexedDB.open(name ?? '')
    const database = await new Promise<IDBDatabase>((done, fail) => {
      request.onsuccess = () => done(request.result)
      request.onerror = () => fail(request.error)
    })
    const names = ['seen', 'answer'].filter((one) => database.objectStoreNames.contains(one))
    const work = database.transaction(names, 'readwrite')
    for (const one of names) work.objectStore(one).clear()
    await new Promise((done) => {
      work.oncomplete = done
      work.onabort = done
    })
    database.close()
  }
}

/** The page, its script, and what that loads later, by their paths. */
async function bundle(): Promise<Map<string, File>> {
  const output = (await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      rolldownOptions: {
        input: join(import.meta.dirname, 'page/main.ts'),
        output: { entryFileNames: 'main.js', chunkFileNames: '[name].js' },
      },
    },
  })) as Rolldown.RolldownOutput
  const files = new Map<string, File>()
  for (const part of output.output) {
    if (part.type === 'chunk')
      files.set(`/${part.fileName}`, { type: 'text/javascript', text: part.code })
  }
  const text = '<!doctype html><title>A tab</title><script type="module" src="/main.js"></script>'
  return files.set('/', { type: 'text/html; charset=utf-8', text })
}
