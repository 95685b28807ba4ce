import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'

// What a visitor downloads, minified and gzipped, in bytes. A change that needs more argues with a number here.
const budgets = [
  { name: 'the client core', entry: 'client/src/index.ts', external: [], most: 14 * 1024 },
  {
    name: 'the React hooks',
    entry: 'react/src/index.ts',
    external: ['react', '@weft/client'],
    most: 4 * 1024,
  },
]

test.each(budgets)(
  '$name stays within its budget',
  { timeout: 60_000 },
  async ({ entry, external, most }) => {
    const size = await sizeOf(entry, external)
    expect(size).toBeGreaterThan(200)
    expect(size).toBeLessThanOrEqual(most)
  },
)

async function sizeOf(entry: string, external: string[]): Promise<number> {
  const output = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: join(import.meta.dirname, entry), formats: ['es'], fileName: 'index' },
      rolldownOptions: { external, output: { minify: true, comments: false } },
    },
  })
  const chunks = (output as Rolldown.RolldownOutput[]).flatMap((part) => part.output)
  return chunks.reduce((sum, part) => sum + ('code' in part ? gzipSync(part.code).length : 0), 0)
}
