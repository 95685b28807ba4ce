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

/** A page of an application, on an origin of its own, that is not watched yet. */
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

  /** What the server keeps of the page, the oldest first. */
  async function kept(): Promise<Entry[]> {
    const answer = await fetch(`${url}/api/logs?type=app`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    const { data } = (await answer.json()) as { data: { entry: Entry }[] }
    return data.map(({ entry }) => entry).reverse()
  }

  /** As kept, once everything is sent. */
  async function entries(): Promise<Entry[]> {
    await page.evaluate(() => window.watched.logger.send())
    return kept()
  }
  return { page, app, url, kept, entries }
}

/** Starts to watch a page; its first route is logged after so many milliseconds. */
export const watch = (page: Page, settle = 1_000_000): Promise<void> =>
  page.evaluate((settle) => {
    window.unwatch = window.watched.startMonitor(window.watched.logger, { settle })
  }, settle)

export const messages = (entries: readonly Entry[]): string[] =>
  entries.map(({ message }) => message)
