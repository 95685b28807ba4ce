import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'

// What a visitor downloads, minified and gzipped, in bytes. A change that needs more argues with a number here.
// `at once` is what the page needs before anything works; `later` is loaded when it is first needed.
const budgets = [
  {
    name: 'the client core',
    entry: 'client/src/index.ts',
    external: [],
    atOnce: 14 * 1024,
    // 8 KB of filters. Once a page has started, what only matters beside a server or other tabs: 4 KB that send writes,
    // 2 KB that fetch, 1 KB for when the server is silent, 1 KB for more servers, 2 KB for the stream of changes and
    // the tabs that share it; and of the disk 3 KB that keep, compact and upgrade what was seen, 0.4 KB that change an outbox.
    later: 22 * 1024,
  },
  // 2.4 KB of the rules are patterns that cannot be made to search for ever, 2 KB watch plain forms.
  {
    name: 'the rules of fields',
    entry: 'client/src/validate/index.ts',
    external: [],
    atOnce: 6 * 1024,
    later: 0,
  },
  {
    name: 'accounts',
    entry: 'client/src/account/index.ts',
    external: [],
    atOnce: 3 * 1024,
    later: 0,
  },
  {
    name: 'everything readable and writable',
    entry: 'client/src/records/index.ts',
    external: [],
    atOnce: 8 * 1024,
    later: 0,
  },
  {
    name: 'transactions',
    entry: 'client/src/transaction/index.ts',
    external: [],
    atOnce: 2 * 1024,
    later: 0,
  },
  {
    name: 'what is used most',
    entry: 'client/src/tracker/index.ts',
    external: [],
    atOnce: 1.5 * 1024,
    // Suggestions.
    later: 1.1 * 1024,
  },
  {
    name: 'the two logs',
    entry: 'client/src/logger/index.ts',
    external: [],
    atOnce: 2.5 * 1024,
    // Sending, where a log is on.
    later: 1.1 * 1024,
  },
  {
    name: 'events of the page',
    entry: 'client/src/monitor/index.ts',
    external: [],
    atOnce: 2 * 1024,
    later: 0,
  },
  {
    name: 'uploads, mail and the other services of a server',
    entry: 'client/src/services/index.ts',
    external: [],
    atOnce: 3 * 1024,
    later: 0,
  },
  {
    name: 'a page with a service worker',
    entry: 'client/src/worker/index.ts',
    external: [],
    atOnce: 2.5 * 1024,
    later: 0,
  },
  // In a worker nothing can be loaded later: applications bundle it as one file, of 8.2 KB.
  {
    name: 'what a service worker runs',
    entry: 'client/src/serve/index.ts',
    external: [],
    atOnce: 7.5 * 1024,
    later: 0.68 * 1024,
  },
  {
    name: 'what waits, in words',
    entry: 'client/src/writes/index.ts',
    external: [],
    atOnce: 1024,
    later: 0,
  },
  {
    name: 'devtools',
    entry: 'client/src/devtools/index.ts',
    external: [],
    atOnce: 12 * 1024,
    later: 0,
  },
  {
    name: 'the React hooks',
    entry: 'react/src/index.ts',
    external: ['react', '@weft/client', '@weft/client/account'],
    atOnce: 4 * 1024,
    later: 0,
  },
  // Later, once somebody fills one in, the rules of fields, and what anomalies take.
  {
    name: 'forms in React',
    entry: 'react/src/form/index.ts',
    external: ['react', 'react/jsx-runtime'],
    atOnce: 2.5 * 1024,
    later: 6.5 * 1024,
  },
  {
    name: 'a search with a list',
    entry: 'react/src/select/index.ts',
    external: ['react', 'react/jsx-runtime', '@weft/client'],
    atOnce: 3 * 1024,
    later: 0,
  },
  // At once the button; then the dialog, and stored widgets, which may show all documentation.
  {
    name: 'documentation',
    entry: 'react/src/documentation/index.ts',
    external: ['react', 'react-dom', 'react/jsx-runtime', '@weft/client', 'dompurify'],
    atOnce: 1.5 * 1024,
    later: 20 * 1024,
  },
]

test.each(budgets)(
  '$name stays within its budget',
  { timeout: 60_000 },
  async ({ entry, external, atOnce, later }) => {
    const chunks = await chunksOf(entry, external)
    const first = sizeOf(chunks.filter((chunk) => isAtOnce(chunk, chunks)))
    expect(first).toBeGreaterThan(200)
    expect(first).toBeLessThanOrEqual(atOnce)
    expect(sizeOf(chunks) - first).toBeLessThanOrEqual(later)
  },
)

/** The chunks that an application bundles the entry to: those loaded later may import from those before. */
async function chunksOf(entry: string, external: string[]): Promise<Rolldown.OutputChunk[]> {
  const output = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: join(import.meta.dirname, entry), formats: ['es'], fileName: 'index' },
      rolldownOptions: {
        external,
        preserveEntrySignatures: 'allow-extension',
        output: { minify: true, comments: false, chunkFileNames: '[name].js' },
      },
    },
  })
  const parts = (output as Rolldown.RolldownOutput[]).flatMap((part) => part.output)
  return parts.filter((part) => part.type === 'chunk')
}

/** Says whether the entry, or what it imports without waiting, is or imports the chunk. */
function isAtOnce(chunk: Rolldown.OutputChunk, all: readonly Rolldown.OutputChunk[]): boolean {
  const importers = all.filter((other) => other.imports.includes(chunk.fileName))
  return chunk.isEntry || importers.some((other) => isAtOnce(other, all))
}

const sizeOf = (chunks: readonly Rolldown.OutputChunk[]): number =>
  chunks.reduce((sum, { code }) => sum + gzipSync(code).length, 0)
