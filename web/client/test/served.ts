import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import type { WorkerOptions } from '../src/worker/index.ts'
import type { ServeOptions } from '../src/worker/serve/index.ts'
import { type App, bundle, startApp } from './app.ts'
import type {} from './page/served.ts'
import type {} from './page/worker.ts'
import { type Relay, startRelay } from './relay.ts'
import { startServer } from './server.ts'

export const sync = '/api/v1/local-concepts'
export const bulk = '/api/get_concept_bulk'

/** Short timeouts, for tests of other behaviour than the timeouts. */
export const shortTimeouts = { checkInterval: 300, takeoverDelay: 300 }

export interface Served {
  readonly app: App
  readonly relay: Relay
  readonly context: BrowserContext
  readonly page: Page
  readonly address: string
  readonly cdp: CDPSession
  /** Paths of the POST requests that pages sent themselves. */
  readonly pagePosts: string[]
}

interface SetupOptions {
  readonly options?: WorkerOptions
  /** The script of the worker; by default that of `workerScript()`. */
  readonly worker?: string
  readonly files?: Readonly<Record<string, string>>
  /** Flags of the server. */
  readonly flags?: readonly string[]
  /** Appended to the address of the page. */
  readonly query?: Readonly<Record<string, string>>
  /** Runs in a page before its own scripts. */
  readonly before?: () => void
}

const scripts = Promise.all([bundle('served.ts'), bundle('worker.ts')])

/** Returns the script of a worker with these options. */
export async function workerScript(options: Partial<ServeOptions> = {}): Promise<string> {
  const [, text] = await scripts
  return `const served = ${JSON.stringify({ version: '1', ...options })};\n${text}`
}

/** Starts an empty server behind a relay, and opens a page of an application with a worker. */
export async function openServedPage(setup: SetupOptions = {}): Promise<Served> {
  const relay = await startRelay(await startServer(...(setup.flags ?? [])))
  const [pageScript] = await scripts
  const app = await startApp({
    '/': '<!doctype html><title>Served</title><h1>At home</h1><script src="/page.js"></script>',
    '/page.js': pageScript,
    '/serviceWorker.bundle.js': setup.worker ?? (await workerScript()),
    ...setup.files,
  })
  const options = JSON.stringify(setup.options ?? {})
  const query = new URLSearchParams({ weft: relay.url, options, ...setup.query })
  const address = `${app.url}/?${query}`
  const context = await profile()
  if (setup.before) await context.addInitScript(setup.before)
  const pagePosts: string[] = []
  context.on('request', (request) => {
    if (request.method() === 'POST' && !request.serviceWorker())
      pagePosts.push(new URL(request.url()).pathname)
  })
  const page = await open(context, address)
  const cdp = await context.newCDPSession(page)
  await cdp.send('ServiceWorker.enable')
  return { app, relay, context, page, address, cdp, pagePosts }
}

/** Opens a page and waits until its client is ready. */
export async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.evaluate(() => window.client.ready)
  return page
}

/** Waits until the page has decided whether it or the worker sends requests. Returns `worker` or `local`. */
export const ready = (page: Page) => page.evaluate(() => window.handle.ready)
export const state = (page: Page) => page.evaluate(() => window.handle.state)
export const reason = (page: Page) => page.evaluate(() => window.handle.reason?.message)

/** Makes the page check for a new worker. */
export const checkForUpdate = (page: Page) =>
  page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))

/** Checks for a new worker, and waits until only the cache of that worker's version exists. */
export async function untilUpdated(page: Page, version: string): Promise<void> {
  await checkForUpdate(page)
  await expect.poll(() => versions(page)).toEqual([version])
}

/** Returns the versions of the worker whose files are cached. */
export const versions = (page: Page) =>
  page.evaluate(async () => (await caches.keys()).map((name) => name.split(' ').at(-1)))

/** Requests concepts through the worker, as the client does. */
export const requestConcepts = (page: Page, ...ids: number[]) =>
  page.evaluate((ids) => window.handle.post('/api/get_concept_bulk', ids), ids)

export const writeNote = (page: Page, text: string) =>
  page.evaluate((text) => window.client.create('the_note', { text }).saved, text)

/** Waits until no write is pending. */
export const untilIdle = (page: Page) =>
  expect.poll(() => page.evaluate(() => window.client.sync.get().pending)).toBe(0)
