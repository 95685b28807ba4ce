import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { launch } from '../../e2e/launch.ts'
import type {} from './page.ts'

/** Chromium with the benchmark's page in it. */
export interface Visitor {
  readonly version: string
  /** Lets work run in a new page, in a new process and a profile of its own, and closes that. */
  alone<T>(work: (page: Page, reopen: () => Promise<Page>) => Promise<T>): Promise<T>
  end(): Promise<void>
}

export async function openBrowser(): Promise<Visitor> {
  const files = await bundle()
  const server = createServer((request, answer) => {
    // Only such a page has a clock of 5 microseconds.
    answer.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    answer.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
    const script = files.get(request.url ?? '')
    answer.setHeader('Content-Type', script ? 'text/javascript' : 'text/html')
    answer.end(script ?? '<!doctype html><script type="module" src="/page.js"></script>')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const browser = await launch()
  return {
    version: browser.version(),
    async alone(work) {
      const context = await browser.newContext()
      const open = async () => {
        const page = await context.newPage()
        await page.goto(url)
        await page.waitForFunction(() => window.measure !== undefined)
        return page
      }
      try {
        const page = await open()
        return await work(page, async () => {
          await page.close()
          return open()
        })
      } finally {
        await context.close()
      }
    },
    async end() {
      await browser.close()
      server.close()
    },
  }
}

async function bundle(): Promise<Map<string, string>> {
  const { output } = (await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2023',
      rolldownOptions: {
        input: join(import.meta.dirname, 'page.ts'),
        output: { entryFileNames: 'page.js', chunkFileNames: '[name].js' },
      },
    },
  })) as Rolldown.RolldownOutput
  const scripts = output.filter((part) => part.type === 'chunk')
  return new Map(scripts.map((part) => [`/${part.fileName}`, part.code]))
}
