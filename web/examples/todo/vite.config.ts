import { createHash } from 'node:crypto'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin, type Rolldown } from 'vite'

export default defineConfig({
  plugins: [react(), serviceWorker()],
  cacheDir: '../../node_modules/.vite',
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
})

/**
 * Bundles the service worker as one file, with the list of the page's assets and a version that changes with them.
 */
function serviceWorker(): Plugin {
  return {
    name: 'service worker',
    apply: 'build',
    async generateBundle(_options, files) {
      const assets = Object.keys(files).filter((name) => name.startsWith('assets/'))
      const version = createHash('sha256').update(assets.join()).digest('hex').slice(0, 12)
      this.emitFile({
        type: 'asset',
        fileName: 'worker.js',
        source: await bundleWorker(
          version,
          assets.map((name) => `/${name}`),
        ),
      })
    },
  }
}

async function bundleWorker(version: string, assets: readonly string[]): Promise<string> {
  const result = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: 'error',
    define: { __VERSION__: JSON.stringify(version), __ASSETS__: JSON.stringify(assets) },
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, 'src/worker.ts'), formats: ['iife'], name: 'worker' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [{ output }] = result as [Rolldown.RolldownOutput]
  return output[0].code
}
