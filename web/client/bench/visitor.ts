import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { launch } from '../../e2e/launch.ts'
import type {} from './page.ts'

/** Chromium with the benchmark's page in it. */
export interface Visitor {
  readonly version: string
  /** Lets work run in a new page, in a new process and a profile of its own, and closes that. Tell is the page's. */
  alone<T>(
    work: (page: Page, reopen: () => Promise<Page>) => Promise<T>,
    tell?: (...told: Parameters<Window['measured']>) => void,
  ): Promise<T>
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
  const devtools = await browser.newBrowserCDPSession()

  /** Of all processes of the browser, because not all of what a page asks for is done in its own. */
  async function cpu(): Promise<number> {
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0)
  }

  async function open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    await page.goto(url)
    await page.waitForFunction(() => window.bench !== undefined)
    // By then a new process has done what it does for itself.
    await page.waitForTimeout(500)
    return page
  }

  return {
    version: browser.version(),
    async alone(work, tell = () => {}) {
      const context = await browser.newContext()
      await context.exposeFunction('cpu', cpu)
      await context.exposeFunction('measured', tell)
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
