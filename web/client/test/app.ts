import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import { onTestFinished } from 'vitest'

/** The text of a file, or when there will be one. */
type File = string | Promise<string>

/** An application on an origin of its own: what it serves, by path. What is not there is not found. */
export interface App {
  readonly url: string
  readonly files: Map<string, File>
  /** From now on nobody is answered. */
  stop(): void
}

/** Serves files over HTTP, those under /private/ for nobody to keep, those under /mine/ for who has that cookie. */
export async function startApp(files: Readonly<Record<string, string>>): Promise<App> {
  const all = new Map<string, File>(Object.entries(files))
  const server = createServer(async ({ url = '/' }, answer) => {
    const { pathname } = new URL(url, 'http://app')
    const text = await all.get(pathname)
    if (text === undefined) return void answer.writeHead(404).end()
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html'
    const keep = pathname.startsWith('/private/') ? 'no-store' : 'no-cache'
    const vary = pathname.startsWith('/mine/') ? 'Cookie' : 'Accept-Encoding'
    answer.writeHead(200, { 'Content-Type': type, 'Cache-Control': keep, Vary: vary }).end(text)
  })
  const url = await new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    })
  })
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(stop)
  return { url, files: all, stop }
}

/** The text of a script of the folder `page`, as a bundler makes one file of it. */
export async function bundle(name: string): Promise<string> {
  const output = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      lib: { entry: join(import.meta.dirname, 'page', name), formats: ['iife'], name: 'bundle' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [chunk] = (output as Rolldown.RolldownOutput[]).flatMap((part) => part.output)
  if (chunk?.type !== 'chunk') throw new Error(`${name} did not become a script`)
  return chunk.code
}
