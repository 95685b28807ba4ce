import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import type { ServeOptions } from '../src/serve/index.ts'
import type { WorkerOptions } from '../src/worker/index.ts'
import { type App, bundle, startApp } from './app.ts'
import type {} from './page/served.ts'
import type {} from './page/worker.ts'
import { type Relay, startRelay } from './relay.ts'
import { startServer } from './server.ts'

export const sync = '/api/v1/local-concepts'
export const bulk = '/api/get_concept_bulk'

/** For tests that are not about how long things take. */
export const quick = { check: 300, settled: 300 }

export interface Served {
  readonly app: App
  readonly relay: Relay
  readonly context: BrowserContext
  readonly page: Page
  readonly address: string
  readonly cdp: CDPSession
  /** Paths of the posts that pages themselves made. */
  readonly made: string[]
}

interface Given {
  readonly options?: WorkerOptions
  /** The script of the worker; what is served otherwise. */
  readonly worker?: string
  readonly files?: Readonly<Record<string, string>>
  /** Of the server. */
  readonly flags?: readonly string[]
  /** More of the address of the page. */
  readonly query?: Readonly<Record<string, string>>
  /** Done in a page before anything else. */
  readonly before?: () => void
}

const scripts = Promise.all([bundle('served.ts'), bundle('worker.ts')])

/** The script of a worker. */
export async function script(options: Partial<ServeOptions> = {}): Promise<string> {
  const [, text] = await scripts
  return `const served = ${JSON.stringify({ version: '1', ...options })};\n${text}`
}

/** An empty server behind a relay, an application with a worker, and a page of it. */
export async function served(given: Given = {}): Promise<Served> {
  const relay = await startRelay(await startServer(...(given.flags ?? [])))
  const [pageScript] = await scripts
  const app = await startApp({
    '/': '<!doctype html><title>Served</title><h1>At home</h1><script src="/page.js"></script>',
    '/page.js': pageScript,
    '/serviceWorker.bundle.js': given.worker ?? (await script()),
    ...given.files,
  })
  const options = JSON.stringify(given.options ?? {})
  const query = new URLSearchParams({ weft: relay.url, options, ...given.query })
  const address = `${app.url}/?${query}`
  const context = await profile()
  if (given.before) await context.addInitScript(given.before)
  const made: string[] = []
  context.on('request', (request) => {
    if (request.method() === 'POST' && !request.serviceWorker())
      made.push(new URL(request.url()).pathname)
  })
  const page = await open(context, address)
  const cdp = await context.newCDPSession(page)
  await cdp.send('ServiceWorker.enable')
  return { app, relay, context, page, address, cdp, made }
}

export async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.evaluate(() => window.client.ready)
  return page
}

export const ready = (page: Page) => page.evaluate(() => window.handle.ready)
export const state = (page: Page) => page.evaluate(() => window.handle.state)
export const reason = (page: Page) => page.evaluate(() => window.handle.reason?.message)

/** Has the page look for a new worker. */
export const look = (page: Page) =>
  page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))

/** Looks for a new worker, and waits until its version is the only one that keeps anything. */
export async function updated(page: Page, version: string): Promise<void> {
  await look(page)
  await expect.poll(() => versions(page)).toEqual([version])
}

/** The versions whose files are kept. */
export const versions = (page: Page) =>
  page.evaluate(async () => (await caches.keys()).map((name) => name.split(' ').at(-1)))

/** Asks for concepts as anything of the client would. */
export const ask = (page: Page, ...ids: number[]) =>
  page.evaluate((ids) => window.handle.post('/api/get_concept_bulk', ids), ids)

export const write = (page: Page, text: string) =>
  page.evaluate((text) => window.client.create('the_note', { text }).saved, text)

export const idle = (page: Page) =>
  expect.poll(() => page.evaluate(() => window.client.sync.get().pending)).toBe(0)

/** How many notes the server has. */
export async function count(url: string, token?: string): Promise<number> {
  const authorization = token && { Authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/api/freeschema-query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...authorization },
    body: JSON.stringify({ type: 'the_note', inpage: 1, outputFormat: 6 }),
  })
  return ((await answer.json()) as { mainCount: number }).mainCount
}
