import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join, relative } from 'node:path'
import { build, type Rolldown } from 'vite'

const folder = join(import.meta.dirname, 'page')
const sources = join(import.meta.dirname, '../src')

/** Scripts of the documents in `page/`. */
const entries = ['main', 'devtools', 'entries', 'links', 'storage', 'tabs']

let origin: Promise<string> | undefined

/**
 * Serves the documents in `page/` until this process ends. Returns the address of the folder. Their scripts are
 * bundled, because a request for each module of the library takes more processor time than most tests.
 */
export function servePageFolder(): Promise<string> {
  origin ??= startServer()
  return origin
}

async function startServer(): Promise<string> {
  const scripts = await buildScripts()
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://server')
    const script = scripts.get(pathname)
    const type = script === undefined ? 'text/html; charset=utf-8' : 'text/javascript'
    const text = script ?? (await readDocument(pathname))
    const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache' }
    response.writeHead(text === undefined ? 404 : 200, headers).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The process may end while the server is listening.
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const readDocument = (pathname: string): Promise<string | undefined> =>
  readFile(join(folder, basename(pathname) || 'index.html'), 'utf8').catch(() => undefined)

/**
 * Bundles the scripts by path. A chunk that is loaded on demand has the path of its module in `src/`, so that tests can
 * refuse requests for it.
 */
async function buildScripts(): Promise<ReadonlyMap<string, string>> {
  const output = await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      lib: {
        entry: Object.fromEntries(entries.map((name) => [name, join(folder, `${name}.ts`)])),
        formats: ['es'],
      },
      rolldownOptions: {
        output: {
          entryFileNames: '[name].ts',
          chunkFileNames: ({ facadeModuleId }) =>
            facadeModuleId ? relative(sources, facadeModuleId) : 'shared-[hash].js',
        },
      },
    },
  })
  const chunks = (output as Rolldown.RolldownOutput[])
    .flatMap((part) => part.output)
    .filter((part) => part.type === 'chunk')
  return new Map(chunks.map(({ fileName, code }) => [`/${fileName}`, code]))
}
