import { join } from 'node:path'
import { build, type InlineConfig, type Rolldown } from 'vite'
import type { File } from './gateway.ts'

/** What the pages of a trial are served, by path: a page, its script, what that loads later, and a worker. */
export async function site(): Promise<Map<string, File>> {
  const type = 'text/javascript'
  const page = {
    input: script('main'),
    output: { entryFileNames: 'main.js', chunkFileNames: '[name].js' },
  }
  const [parts, worker] = await Promise.all([
    built({ rolldownOptions: page }),
    built({
      lib: { entry: script('worker'), formats: ['iife'], name: 'worker' },
      rolldownOptions: { output: { codeSplitting: false } },
    }),
  ])
  const files = new Map<string, File>()
  for (const { fileName, code } of parts) files.set(`/${fileName}`, { type, text: code })
  files.set('/serviceWorker.bundle.js', {
    type,
    get text() {
      return `const version = '${version}';\n${worker[0]?.code}`
    },
  })
  const text = '<!doctype html><title>A tab</title><script type="module" src="/main.js"></script>'
  return files.set('/', { type: 'text/html; charset=utf-8', text })
}

let version = 1

/** From now on there is another version of the worker. */
export function renewWorker(): void {
  version++
}

const script = (name: string): string => join(import.meta.dirname, `page/${name}.ts`)

async function built(how: InlineConfig['build']): Promise<Rolldown.OutputChunk[]> {
  const output = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, target: 'es2023', minify: false, ...how },
  })
  const parts = [output].flat() as Rolldown.RolldownOutput[]
  return parts.flatMap((part) => part.output).filter((part) => part.type === 'chunk')
}
