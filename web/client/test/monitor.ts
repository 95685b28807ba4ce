import type { Page } from 'playwright-core'
import { profile } from '../../e2e/browser.ts'
import { bundle, startApp } from './app.ts'
import type {} from './page/monitor.ts'
import { startServer, tokenOf } from './server.ts'

const html = `<!doctype html>
<title>A page that is watched</title>
<button id="buy" class="big red">Buy <b>this</b>
  book, which has a title that is longer than fifty characters</button>
<button id="quiet" onclick="event.stopPropagation()">Quiet</button>
<section id="all">Seen <textarea id="area">private words</textarea> around</section>
<input id="text"> <input id="secret" type="password">
<div id="free" contenteditable>private words</div>
<select id="choice"><option>private words</option></select>
<p id="hidden" data-private>private words</p>
<script src="/page.js"></script>`

export interface Entry {
  readonly level: string
  readonly message: string
  readonly data: {
    readonly url?: string
    readonly id?: string
    readonly text?: string
    readonly message?: string
    readonly stack?: string
    readonly arguments?: unknown
    readonly request?: { readonly url: string }
  }
}

let script: Promise<string> | undefined

/** Opens a page on its own origin, without a monitor. */
export async function openPage() {
  script ??= bundle('monitor.ts')
  const url = await startServer('--attempts', '50')
  const token = await tokenOf(url, 'ann')
  const app = await startApp({
    '/': html,
    '/page.js': await script,
    '/other': '<!doctype html><title>Another page</title>',
    '/there': 'found',
  })
  const page = await (await profile()).newPage()
  await page.goto(`${app.url}/?weft=${encodeURIComponent(url)}&token=${token}`)

  /** Reads the entries that the server has, oldest first. */
  async function storedEntries(): Promise<Entry[]> {
    const response = await fetch(`${url}/api/logs?type=app`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    const { data } = (await response.json()) as { data: { entry: Entry }[] }
    return data.map(({ entry }) => entry).reverse()
  }

  /** Flushes the logger and reads the entries that the server has, oldest first. */
  async function entries(): Promise<Entry[]> {
    await page.evaluate(() => window.watched.logger.flush())
    return storedEntries()
  }
  return { page, app, url, storedEntries, entries }
}

/** Starts the monitor; the first route is logged after this delay in milliseconds. */
export const watch = (page: Page, initialDelay = 1_000_000): Promise<void> =>
  page.evaluate((initialDelay) => {
    window.unwatch = window.watched.startMonitor(window.watched.logger, { initialDelay })
  }, initialDelay)

export const messages = (entries: readonly Entry[]): string[] =>
  entries.map(({ message }) => message)
