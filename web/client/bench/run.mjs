// Bundles the benchmark as a page would be and runs it in Node, which reads no TypeScript by itself.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

const out = mkdtempSync(join(tmpdir(), 'weft-bench-'))
try {
  await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    build: { ssr: 'bench.ts', outDir: out, target: 'es2023', minify: false },
  })
  await import(pathToFileURL(join(out, 'bench.js')).href)
} finally {
  rmSync(out, { recursive: true, force: true })
}
