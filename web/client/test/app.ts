import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import { onTestFinished } from 'vitest'

/** The content of a file, or a promise of it. */
type File = string | Promise<string>

/** An application on its own origin. Paths without a file respond with 404. */
export interface App {
  readonly url: string
  /** The files by path. */
  readonly files: Map<string, File>
  /** Refuses all requests from now on. */
  stop(): void
}

/**
 * Serves files over HTTP. The responses forbid caching of files under /private/, and say that files under /mine/ vary
 * by cookie.
 */
export async function startApp(files: Readonly<Record<string, string>>): Promise<App> {
  const filesByPath = new Map<string, File>(Object.entries(files))
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://app')
    const text = await filesByPath.get(pathname)
    if (text === undefined) return void response.writeHead(404).end()
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html'
    const cacheControl = pathname.startsWith('/private/') ? 'no-store' : 'no-cache'
    const vary = pathname.startsWith('/mine/') ? 'Cookie' : 'Accept-Encoding'
    response
      .writeHead(200, { 'Content-Type': type, 'Cache-Control': cacheControl, Vary: vary })
      .end(text)
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
  return { url, files: filesByPath, stop }
}

/** Bundles a script of the folder `page` into one file, once for all test files of this process. Returns its source. */
export function bundle(name: string): Promise<string> {
  const bundled = bundles.get(name) ?? buildBundle(name)
  bundles.set(name, bundled)
  return bundled
}

const bundles = new Map<string, Promise<string>>()

async function buildBundle(name: string): Promise<string> {
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
