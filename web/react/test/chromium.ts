import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page, Request } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { expect, onTestFinished } from 'vitest'
import { sharedBrowser } from '../../e2e/browser.ts'

/** A document in Chromium with the code under test loaded, and its requests. */
export interface Opened {
  readonly page: Page
  /** URLs of all requests except those for the document and its script. */
  readonly requests: string[]
}

/** Handles a path of the test server. The handler of `*` handles all paths without a specific handler. */
export type Handler = (response: ServerResponse, url: URL) => void

/**
 * Opens a document with this body and the script of a fixture, `entry`. The test server also serves `paths`. `launchBrowser`
 * returns the browser that the tests of a file use.
 */
export async function open(
  entry: `fixture-${string}`,
  body = '',
  paths: Record<string, Handler> = {},
  launchBrowser: () => Promise<Browser> = sharedBrowser,
): Promise<Opened> {
  const { script, style } = await bundle(entry)
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://server')
    if (url.pathname === '/') {
      html(
        response,
        `<!doctype html><html lang="en">${style}<script src="/script.js"></script>${body}`,
      )
    } else if (url.pathname === '/script.js') javascript(response, script)
    else if (paths[url.pathname]) paths[url.pathname]?.(response, url)
    else if (paths['*']) paths['*'](response, url)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const page = await pageOfFile(launchBrowser)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await page.goto(url)
  const requests: string[] = []
  const record = (request: Request) => {
    if (request.url() !== url && !request.url().endsWith('/script.js')) requests.push(request.url())
  }
  page.on('request', record)
  onTestFinished(() => {
    page.off('request', record)
    server.close()
  })
  return { page, requests }
}

const html = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(text)
const javascript = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8' }).end(text)

/**
 * Returns the page that all tests of a file share, in its own browser profile. Each test loads its own document into it, from
 * its own origin.
 */
async function pageOfFile(launchBrowser: () => Promise<Browser>): Promise<Page> {
  const { testPath } = expect.getState()
  if (current?.testPath === testPath && current?.browser.isConnected()) return current.page
  await current?.page.context().close()
  const browser = await launchBrowser()
  const page = await browser.newPage()
  // The timeout is long, because it detects deadlocks only: the cores may be busy with other work.
  page.setDefaultTimeout(60_000)
  current = { testPath, browser, page }
  return page
}

let current:
  | { readonly testPath: string | undefined; readonly browser: Browser; readonly page: Page }
  | undefined

/** A bundled fixture: its script, and its CSS as a style element. */
interface Bundle {
  readonly script: string
  readonly style: string
}

/** Bundles a fixture, once for all files of this process. */
function bundle(entry: string): Promise<Bundle> {
  const bundled =
    bundles.get(entry) ??
    build({
      configFile: false,
      logLevel: 'silent',
      define: { 'process.env.NODE_ENV': '"development"' },
      build: {
        write: false,
        lib: { entry: join(import.meta.dirname, entry), formats: ['iife'], name: 'inTest' },
        rolldownOptions: { output: { codeSplitting: false } },
      },
    }).then((output) => {
      const parts = (output as Rolldown.RolldownOutput[]).flatMap((part) => part.output)
      const text = (ending: string) => {
        const part = parts.find(({ fileName }) => fileName.endsWith(ending))
        return part?.type === 'chunk' ? part.code : String(part?.source ?? '')
      }
      return { script: text('.js'), style: `<style>${text('.css')}</style>` }
    })
  bundles.set(entry, bundled)
  return bundled
}

const bundles = new Map<string, Promise<Bundle>>()

declare global {
  interface Window {
    /** Called by hostile code if it runs. */
    hit: () => void
  }
}
