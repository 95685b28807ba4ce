import { type BrowserContext, errors, type Page } from 'playwright-core'
import { launch } from '../../e2e/launch.ts'
import type { Report } from './operation.ts'
import type {} from './page/main.ts'
import { type PageTab, pageAccidents, replaceCrashed } from './page-accidents.ts'
import { buildPageFiles } from './page-files.ts'
import type { AccidentContext, Accidents, Platform, Tab, TabFactory } from './platform.ts'

/** Pages of one browser profile, with a real disk. */
export async function createChromiumPlatform(): Promise<Platform> {
  const [files, browser] = await Promise.all([buildPageFiles(), launch()])
  return {
    name: 'chromium',
    hasSharedDisk: true,
    files,
    begin: async (url) => {
      const factory = new PageFactory(await browser.newContext(), url)
      await factory.listen()
      return factory
    },
    end: () => browser.close(),
  }
}

/** Maximum time until a page responds, in ms. The client never blocks a page for so long. */
const responseTimeout = 15_000
/** Maximum time until a page is loaded, in ms. */
const loadTimeout = 15_000

class PageFactory implements TabFactory {
  readonly accidents: Accidents = {
    ...pageAccidents,
    offline: async ({ later }) => {
      await this.#context.setOffline(true)
      later(() => this.#goOnline())
    },
  }
  readonly #context: BrowserContext
  readonly #url: string
  readonly #listeners = new Map<Page, (report: Report) => void>()

  constructor(context: BrowserContext, url: string) {
    this.#context = context
    this.#url = url
  }

  async listen(): Promise<void> {
    await this.#context.exposeBinding('report', ({ page }, report: Report) =>
      this.#listeners.get(page)?.(report),
    )
    this.#context.on('dialog', (dialog) => void dialog.accept())
  }

  async open(name: string, report: (report: Report) => void, copied?: Tab): Promise<PageTab> {
    await this.#goOnline()
    // Every other page has a service worker.
    const address = /[02468]$/.test(name) ? `${this.#url}/?worker` : this.#url
    const page = copied
      ? await this.#duplicate((copied as PageTab).page)
      : await this.#visit(address)
    this.#listeners.set(page, report)
    await page.waitForFunction(() => window.agent !== undefined)
    const tab: PageTab = {
      name,
      page,
      hasCrashed: false,
      isFrozen: false,
      devtools: await this.#context.newCDPSession(page),
      carryOut: (operation) => page.evaluate(carryOutInPage, JSON.stringify(operation)),
      status: () => withResponseTimeout(tab, () => page.evaluate(() => window.agent.status())),
      shownRecords: () =>
        withResponseTimeout(tab, () => page.evaluate(() => window.agent.shownRecords())),
      refresh: () => page.evaluate(() => window.agent.refresh()),
      close: () => page.close(),
    }
    page.on('crash', () => {
      tab.hasCrashed = true
    })
    return tab
  }

  async repair(context: Pick<AccidentContext, 'tabs' | 'open'>): Promise<void> {
    await this.#goOnline()
    await replaceCrashed(context)
  }

  end(): Promise<void> {
    return this.#context.close()
  }

  /** Ends the offline mode. If that fails because a page has just crashed, tries once more. */
  async #goOnline(): Promise<void> {
    await this.#context.setOffline(false).catch(async (e) => {
      if (!/crashed|closed/.test(String(e))) throw e
      await new Promise((done) => setTimeout(done, 500))
      await this.#context.setOffline(false).catch(() => {})
    })
  }

  /**
   * Opens a new page. Playwright attaches a debugger to every worker. With it, a navigation may get no response while a
   * worker takes over. This happened in 7 of 335 navigations, in none of their repetitions, and in none of 992
   * navigations without a debugger.
   */
  async #visit(address: string, tries = 3): Promise<Page> {
    const page = await this.#context.newPage()
    try {
      await page.goto(address, { timeout: loadTimeout })
      return page
    } catch (e) {
      if (tries === 1 || !(e instanceof errors.TimeoutError)) throw e
      await page.close()
      return this.#visit(address, tries - 1)
    }
  }

  /** Duplicates a tab as the browser's own command does: the copy has the session storage of the original. */
  async #duplicate(page: Page): Promise<Page> {
    const opened = this.#context.waitForEvent('page')
    await page.evaluate(() => void window.open(location.href))
    return opened
  }
}

/** Carries out an operation. Runs in a page. */
const carryOutInPage = (operation: string): Promise<void> =>
  window.agent.carryOut(JSON.parse(operation))

/**
 * Resolves with the result of a request to a page. Rejects if the process of the page does not respond at all, which
 * the client never causes for so long.
 */
async function withResponseTimeout<T>(tab: PageTab, request: () => Promise<T>): Promise<T> {
  const response = request()
  const first = await Promise.race([response, late()])
  if (first !== 'late') return first
  await tab.devtools.send('Page.setWebLifecycleState', { state: 'active' })
  const second = await Promise.race([response, late()])
  const state = `crashed ${tab.hasCrashed}, frozen ${tab.isFrozen}`
  const outcome = second === 'late' ? 'and not after it was resumed' : 'until it was resumed'
  throw new Error(`${tab.name} did not respond ${outcome}: ${state}`)
}

const late = (): Promise<'late'> =>
  new Promise((resolve) => setTimeout(resolve, responseTimeout, 'late'))
