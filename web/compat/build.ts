import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'vite'
import { oneChunkAtOnce } from '../one-chunk.ts'
import { commonMembers, copyDocuments, writeManifest } from '../packages/src/stage.ts'

/*
 * Builds the package that applications install, into `dist`:
 *
 *   index.js, *.js             the library with everything it needs; parts that load on demand are separate files
 *   types/                     type declarations of this package and of the client, because the former refer to the latter
 *   serviceWorker.bundle.js    the service worker, one classic script
 *   install.mjs                copies the worker into the application's `public` folder; also runs after an install
 *   package.json               without dependencies
 */

const web = join(import.meta.dirname, '..')
const { name, version, description } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'),
) as Record<string, string>

export async function main([folder = join(import.meta.dirname, 'dist')]: string[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await buildLibrary(folder)
  await buildWorker(folder)
  emitTypes(join(folder, 'types'))
  copyFileSync(join(import.meta.dirname, 'install.mjs'), join(folder, 'install.mjs'))
  copyDocuments('compat', folder)
  writeManifest(folder, manifest)
}

const manifest = {
  name,
  version,
  description,
  ...commonMembers('compat'),
  type: 'module',
  main: './index.js',
  module: './index.js',
  types: './types/compat/src/index.d.ts',
  exports: {
    '.': { types: './types/compat/src/index.d.ts', default: './index.js' },
    './serviceWorker.bundle.js': './serviceWorker.bundle.js',
    './package.json': './package.json',
  },
  files: ['*.js', 'install.mjs', 'types'],
  bin: { 'weft-compat-worker': './install.mjs' },
  scripts: { postinstall: 'node install.mjs --if-public' },
  sideEffects: false,
}

const libraryEntry = join(import.meta.dirname, 'src/index.ts')

async function buildLibrary(outDir: string): Promise<void> {
  await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      lib: {
        entry: libraryEntry,
        formats: ['es'],
        fileName: () => 'index.js',
      },
      rolldownOptions: {
        output: {
          minify: true,
          // The annotations tell bundlers of applications to leave the import of stored code unchanged.
          comments: { annotation: true, jsdoc: false, legal: false },
          chunkFileNames: '[name].js',
          codeSplitting: oneChunkAtOnce(libraryEntry),
        },
      },
    },
  })
}

async function buildWorker(outDir: string): Promise<void> {
  await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    define: { __VERSION__: JSON.stringify(version) },
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      lib: {
        entry: join(import.meta.dirname, 'src/worker/script.ts'),
        formats: ['iife'],
        name: 'worker',
        fileName: () => 'serviceWorker.bundle.js',
      },
      rolldownOptions: { output: { codeSplitting: false, minify: true } },
    },
  })
}

/** Emits declarations, and replaces names of packages in them by relative paths. */
function emitTypes(outDir: string): void {
  const options = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--skipLibCheck']
  const module = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2023']
  const compiler = join(web, 'node_modules/.bin/tsc')
  // For the client, which the compiler treats as a package, it writes declarations only for the files listed here.
  const client = Object.values(exportsOf('client')).map((path) => join(web, 'client', path))
  const entries = [join(import.meta.dirname, 'src/index.ts'), ...client]
  const flags = [
    '--ignoreConfig',
    '--strict',
    '--allowImportingTsExtensions',
    '--types',
    'vite/client',
  ]
  // With several threads on a busy machine, the compiler leaves out some files without an error.
  const output = ['--singleThreaded', '--rootDir', web, '--outDir', outDir]
  execFileSync(compiler, [...options, ...module, ...flags, ...output, ...entries], { cwd: web })
  for (const file of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue
    const path = join(outDir, file)
    writeFileSync(path, withRelativeImports(readFileSync(path, 'utf8'), dirname(path), outDir))
  }
}

/** Makes the imports of a declaration file relative, with the extension `.js`. */
function withRelativeImports(text: string, folder: string, root: string): string {
  return text
    .replace(/(from |import\()(['"])(@weft\/[^'"]+)\2/g, (_, start, quote, id) => {
      const to = relative(folder, join(root, sourceOf(id)))
      return `${start}${quote}${to.startsWith('.') ? to : `./${to}`}${quote}`
    })
    .replace(/(from |import\()(['"])(\.[^'"]+)\.tsx?\2/g, '$1$2$3.js$2')
}

/** Returns the source file of an entry of a package in this repository: `client/src/graph/index.ts`. */
function sourceOf(id: string): string {
  const [, folder = '', ...inside] = id.split('/')
  const path = exportsOf(folder)[['.', ...inside].join('/')]
  if (path === undefined) throw new Error(`${id} is not exported`)
  return join(folder, path)
}

function exportsOf(folder: string): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(web, folder, 'package.json'), 'utf8')) as {
    exports: Record<string, string>
  }
  return manifest.exports
}
