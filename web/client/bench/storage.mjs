// Bundles the measurement of the disk, because Node reads no TypeScript by itself, and runs it.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

const out = mkdtempSync(join(import.meta.dirname, '../../node_modules/.bench-'))
try {
  await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    build: { ssr: 'storage.ts', outDir: out, target: 'es2023', minify: false },
  })
  await import(pathToFileURL(join(out, 'storage.js')).href)
} finally {
  rmSync(out, { recursive: true, force: true })
}
