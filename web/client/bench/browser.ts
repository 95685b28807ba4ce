import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { launch } from '../../e2e/launch.ts'
import type {} from './page.ts'

/** Chromium with the page of the benchmark. */
export interface BenchBrowser {
  readonly version: string
  /**
   * Runs `work` with a new page in a new process with its own profile, and then closes the page. `report` receives the
   * arguments with which the page calls `window.measured`.
   */
  inNewPage<T>(
    work: (page: Page, reopen: () => Promise<Page>) => Promise<T>,
    report?: (...args: Parameters<Window['measured']>) => void,
  ): Promise<T>
  /** Closes the browser. */
  end(): Promise<void>
}

export async function openBrowser(): Promise<BenchBrowser> {
  const files = await bundle()
  const server = createServer((request, response) => {
    // Only a page with these headers has a clock with a resolution of 5 microseconds.
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
    const script = files.get(request.url ?? '')
    response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html')
    response.end(script ?? '<!doctype html><script type="module" src="/page.js"></script>')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const browser = await launch()
  const devtools = await browser.newBrowserCDPSession()

  /** Returns the processor time of all browser processes, in ms, because a page also causes work in other processes. */
  async function cpu(): Promise<number> {
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0)
  }

  async function open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    await page.goto(url)
    await page.waitForFunction(() => window.bench !== undefined)
    // After this time the startup work of a process is done.
    await page.waitForTimeout(500)
    return page
  }

  return {
    version: browser.version(),
    async inNewPage(work, report = () => {}) {
      const context = await browser.newContext()
      await context.exposeFunction('cpu', cpu)
      await context.exposeFunction('measured', report)
      try {
        const page = await open(context)
        return await work(page, async () => {
          await page.close()
          return open(context)
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
        input: {
          page: join(import.meta.dirname, 'page.ts'),
          worker: join(import.meta.dirname, 'crossing/worker.ts'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })) as Rolldown.RolldownOutput
  const scripts = output.filter((part) => part.type === 'chunk')
  return new Map(scripts.map((part) => [`/${part.fileName}`, part.code]))
}
