import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll } from 'vitest'
import type {} from './page/entries.ts'
import type {} from './page/main.ts'

let pages: Promise<ViteDevServer> | undefined

/** A page with a client of the server at that address, and with what uses one. */
export async function openEntries(context: BrowserContext, weft: string): Promise<Page> {
  pages ??= serve()
  const [origin = ''] = (await pages).resolvedUrls?.local ?? []
  const page = await context.newPage()
  await page.goto(`${origin}entries.html?weft=${encodeURIComponent(weft)}`)
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
  return page
}

async function serve(): Promise<ViteDevServer> {
  const server = await createServer({
    root: join(import.meta.dirname, 'page'),
    configFile: false,
    cacheDir: join(import.meta.dirname, '../../node_modules/.vite'),
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0, hmr: false },
  })
  return server.listen()
}

afterAll(async () => {
  await (await pages)?.close()
  pages = undefined
})
