import { type BrowserContext, type CDPSession, errors, type Page } from 'playwright-core'
import { launch } from '../../e2e/launch.ts'
import { accidents, replaceCrashed } from './accidents.ts'
import type { Accidents, Form, Tab, World } from './form.ts'
import type { Told } from './operation.ts'
import type {} from './page/main.ts'
import { site } from './site.ts'

/** Pages of one browser profile, with a real disk. The browser ends with the process. */
export async function pages(): Promise<Form> {
  const [files, browser] = await Promise.all([site(), launch()])
  return {
    name: 'chromium',
    shared: true,
    files,
    begin: async (url) => worldIn(await browser.newContext(), url),
    end: () => browser.close(),
  }
}

/** A tab that is a page. */
export interface PageTab extends Tab {
  readonly page: Page
  readonly devtools: CDPSession
  /** True once its process is no more. */
  crashed: boolean
  frozen: boolean
}

async function worldIn(context: BrowserContext, url: string): Promise<World> {
  const listeners = new Map<Page, (told: Told) => void>()
  await context.exposeBinding('tell', ({ page }, told: Told) => listeners.get(page)?.(told))
  context.on('dialog', (dialog) => void dialog.accept())

  /** Takes the network back. A page that crashed a moment ago refuses, and has no use for it. */
  async function connect(): Promise<void> {
    await context.setOffline(false).catch(async (e) => {
      if (!/crashed|closed/.test(String(e))) throw e
      await new Promise((done) => setTimeout(done, 500))
      await context.setOffline(false).catch(() => {})
    })
  }

  async function open(name: string, tell: (told: Told) => void, copied?: Tab): Promise<PageTab> {
    await connect()
    // Every other page has a worker.
    const address = /[02468]$/.test(name) ? `${url}/?worker` : url
    const page = copied ? await copy((copied as PageTab).page) : await visit(address)
    listeners.set(page, tell)
    await page.waitForFunction(() => window.agent !== undefined)
    const tab: PageTab = {
      name,
      page,
      crashed: false,
      frozen: false,
      devtools: await context.newCDPSession(page),
      carryOut: (operation) => page.evaluate(carryOut, JSON.stringify(operation)),
      standing: () => answered(tab, () => page.evaluate(() => window.agent.standing())),
      shown: () => answered(tab, () => page.evaluate(() => window.agent.shown())),
      refresh: () => page.evaluate(() => window.agent.refresh()),
      close: () => page.close(),
    }
    page.on('crash', () => {
      tab.crashed = true
    })
    return tab
  }

  /**
   * A new page. Where a debugger is attached to every worker, as Playwright's is, a navigation may get no answer while a
   * worker takes over: so it was with 7 of 335, with none of the next ones, and with none of 992 where no debugger was.
   */
  async function visit(address: string, tries = 3): Promise<Page> {
    const page = await context.newPage()
    try {
      await page.goto(address, { timeout: 15_000 })
      return page
    } catch (e) {
      if (tries === 1 || !(e instanceof errors.TimeoutError)) throw e
      await page.close()
      return visit(address, tries - 1)
    }
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
      later(connect)
    },
  }
  return {
    accidents: { ...accidents, ...offline },
    open,
    async mend(desk) {
      await connect()
      await replaceCrashed(desk)
    },
    end: () => context.close(),
  }
}

/** Runs in a page. */
const carryOut = (operation: string): Promise<void> => window.agent.carryOut(JSON.parse(operation))

/**
 * What a page says at once. Rejects where its process says nothing at all, which is not the client's doing: nothing of
 * the client runs that long.
 */
async function answered<T>(tab: PageTab, ask: () => Promise<T>): Promise<T> {
  const said = ask()
  const late = new Promise<'late'>((done) => setTimeout(done, 15_000, 'late'))
  const first = await Promise.race([said, late])
  if (first !== 'late') return first
  await tab.devtools.send('Page.setWebLifecycleState', { state: 'active' })
  const later = new Promise<'late'>((done) => setTimeout(done, 15_000, 'late'))
  const second = await Promise.race([said, later])
  const how = `crashed ${tab.crashed}, frozen ${tab.frozen}`
  throw new Error(
    `${tab.name} did not answer, ${how}, ${second === 'late' ? 'nor when' : 'until'} it was thawed`,
  )
}
