import { join } from 'node:path'
import { build } from 'rolldown'
import { oneChunkAtOnce } from '../../one-chunk.ts'
import { type CompiledFile, writeFiles } from './compile.ts'
import { publishedEntries, web } from './layout.ts'

/**
 * Bundles the client for pages without a build step, which import it from the server:
 *
 *   weft.js, graph.js, worker/serve.js, …   one module for each entry of `@weft/client`
 *   assets/NAME-HASH.js                     parts that several entries share, or that are loaded on demand
 *   weft.d.ts, graph.d.ts, …                declarations of the entries
 *   types/                                  further declarations that the declarations of the entries refer to
 */
export async function buildScriptBundle(
  folder: string,
  compiled: readonly CompiledFile[],
): Promise<void> {
  const entries = publishedEntries('client')
    .filter(([entry]) => entry !== './internal')
    .map(([entry, source]) => ({
      name: entry === '.' ? 'weft' : entry.replace('./', ''),
      source,
    }))
  await build({
    input: Object.fromEntries(
      entries.map(({ name, source }) => [name, join(web, 'client', source)]),
    ),
    preserveEntrySignatures: 'allow-extension',
    transform: { target: 'es2022' },
    logLevel: 'warn',
    output: {
      dir: folder,
      format: 'esm',
      minify: true,
      comments: false,
      entryFileNames: '[name].js',
      chunkFileNames: 'assets/[name]-[hash:8].js',
      codeSplitting: oneChunkAtOnce(join(web, 'client/src/index.ts')),
    },
  })
  const declarations = compiled.filter(({ path }) => path.endsWith('.d.ts'))
  writeFiles(join(folder, 'types'), declarations)
  writeFiles(
    folder,
    entries.map(({ name, source }) => {
      const up = '../'.repeat(name.split('/').length - 1) || './'
      const target = `${up}types/${source.replace('./src/', '').replace(/\.ts$/, '.js')}`
      return { path: `${name}.d.ts`, text: `export * from '${target}'\n` }
    }),
  )
}
