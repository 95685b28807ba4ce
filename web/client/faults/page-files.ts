import { join } from 'node:path'
import { build, type InlineConfig, type Rolldown } from 'vite'
import type { StaticFile } from './gateway.ts'

/** Builds the files of a trial, by path: a page, its script with the chunks that it loads, and a service worker. */
export async function buildPageFiles(): Promise<Map<string, StaticFile>> {
  const type = 'text/javascript'
  const page = {
    input: scriptPath('main'),
    output: { entryFileNames: 'main.js', chunkFileNames: '[name].js' },
  }
  const [chunks, worker] = await Promise.all([
    buildChunks({ rolldownOptions: page }),
    buildChunks({
      lib: { entry: scriptPath('worker'), formats: ['iife'], name: 'worker' },
      rolldownOptions: { output: { codeSplitting: false } },
    }),
  ])
  const files = new Map<string, StaticFile>()
  for (const { fileName, code } of chunks) files.set(`/${fileName}`, { type, text: code })
  files.set('/serviceWorker.bundle.js', {
    type,
    get text() {
      return `const version = '${workerVersion}';\n${worker[0]?.code}`
    },
  })
  const text = '<!doctype html><title>A tab</title><script type="module" src="/main.js"></script>'
  return files.set('/', { type: 'text/html; charset=utf-8', text })
}

let workerVersion = 1

/** Serves another version of the service worker from now on. */
export function releaseWorkerVersion(): void {
  workerVersion++
}

const scriptPath = (name: string): string => join(import.meta.dirname, `page/${name}.ts`)

async function buildChunks(options: InlineConfig['build']): Promise<Rolldown.OutputChunk[]> {
  const output = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, target: 'es2023', minify: false, ...options },
  })
  const parts = [output].flat() as Rolldown.RolldownOutput[]
  return parts.flatMap((part) => part.output).filter((part) => part.type === 'chunk')
}
