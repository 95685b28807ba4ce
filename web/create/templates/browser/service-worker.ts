import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'

/**
 * Builds `src/worker.ts` as one file, `worker.js`, which contains the list of the files to store for offline use. The
 * version of the worker changes when one of these files changes. `npm run dev` has no service worker.
 */
export function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    async generateBundle(_options, files) {
      const assets = Object.keys(files).filter((name) => name.startsWith('assets/'))
      const version = createHash('sha256').update(assets.join()).digest('hex').slice(0, 12)
      const source = await bundleWorker({
        __VERSION__: JSON.stringify(version),
        __ASSETS__: JSON.stringify(assets.map((name) => `/${name}`)),
      })
      this.emitFile({ type: 'asset', fileName: 'worker.js', source })
    },
  }
}

async function bundleWorker(define: Record<string, string>): Promise<string> {
  const entry = fileURLToPath(new URL('src/worker.ts', import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: 'error',
    define,
    build: {
      write: false,
      lib: { entry, formats: ['iife'], name: 'worker' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [{ output }] = result as [Rolldown.RolldownOutput]
  return output[0].code
}
