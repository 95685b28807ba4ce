import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { markdownTable } from './text.ts'

/** The imports that an application needs to store, find and watch data, by library. */
const imports: Readonly<Record<string, string>> = {
  weft: `export { createClient } from '@weft/client'`,
  tinybase: `export { createIndexes, createRelationships, createStore } from 'tinybase'
export { createIndexedDbPersister } from 'tinybase/persisters/persister-indexed-db'`,
  dexie: `export { Dexie, liveQuery } from 'dexie'`,
  tanstack: `export { createCollection, createLiveQueryCollection, eq, localOnlyCollectionOptions } from '@tanstack/db'`,
}

/** Measures the download sizes, minified and gzipped. Returns a table. */
export async function sizeTable(names: readonly string[]): Promise<string> {
  const rows: string[][] = []
  for (const name of names) {
    const text = imports[name]
    if (text === undefined) continue
    const [atOnce, all] = await sizesOf(text)
    rows.push([name, kilobytes(atOnce), kilobytes(all - atOnce)])
  }
  return markdownTable(['minified and gzipped (KB)', 'at once', 'when first needed'], rows)
}

async function sizesOf(text: string): Promise<[atOnce: number, all: number]> {
  const entry = join(import.meta.dirname, 'entry.ts')
  const outputs = (await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? text : undefined),
      },
    ],
    build: {
      write: false,
      target: 'es2023',
      lib: { entry, formats: ['es'] },
      rolldownOptions: {
        preserveEntrySignatures: 'allow-extension',
        output: { minify: true, comments: false },
      },
    },
  })) as Rolldown.RolldownOutput[]
  const output = outputs.flatMap(({ output }) => output)
  const chunks = output.filter((part) => part.type === 'chunk')
  const atOnce = new Set(chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName))
  for (const name of atOnce)
    for (const imported of chunks.find((chunk) => chunk.fileName === name)?.imports ?? [])
      atOnce.add(imported)
  const size = (list: typeof chunks) => list.reduce((n, { code }) => n + gzipSync(code).length, 0)
  return [size(chunks.filter((chunk) => atOnce.has(chunk.fileName))), size(chunks)]
}

const kilobytes = (bytes: number): string => (bytes / 1024).toFixed(1)
