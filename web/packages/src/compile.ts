import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { publishedEntries, web } from './layout.ts'

/** A compiled file: its path below the source folder of its package, such as `graph/index.d.ts`, and its content. */
export interface CompiledFile {
  readonly path: string
  readonly text: string
}

/**
 * Source files that the compiler does not find by following imports from the entry points: workers and ambient types.
 */
const furtherSources: Readonly<Record<string, readonly string[]>> = {
  react: ['src/graph-view/layout-worker.ts', 'src/graph-view/force-atlas.d.ts'],
}

/**
 * Compiles the published entries of a package and all files that they import: one module and one declaration file for
 * each source file. Bundlers can then leave out unused modules, and load on demand the modules that the source loads on
 * demand.
 *
 * Packages are compiled one at a time, because the compiler does not write files that are imported by the name of their
 * package.
 */
export function compile(folder: string): readonly CompiledFile[] {
  const out = mkdtempSync(join(web, 'node_modules/.compiled-'))
  try {
    const entries = publishedEntries(folder).map(([, source]) => source)
    const sources = [...entries, ...(furtherSources[folder] ?? [])]
    runCompiler(
      sources.map((file) => join(web, folder, file)),
      out,
    )
    const files = filesOf(folder, out)
    assertComplete(files)
    return files
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

function runCompiler(files: readonly string[], outDir: string): void {
  const project = join(outDir, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    target: 'es2022',
    rootDir: web,
    outDir,
    // The types of Node are left out, because a page has no Node API.
    types: ['vite/client'],
  }
  const config = { extends: join(web, 'tsconfig.json'), compilerOptions, include: [] }
  mkdirSync(outDir, { recursive: true })
  writeFileSync(project, JSON.stringify({ ...config, files }))
  // With several threads on a busy machine, the compiler leaves out some files without an error.
  const flags = ['--project', project, '--singleThreaded']
  execFileSync(join(web, 'node_modules/.bin/tsc'), flags, { cwd: web, stdio: 'inherit' })
}

/** Reads the output of one package, and adds a module for each of its style sheets. */
function filesOf(folder: string, out: string): CompiledFile[] {
  const source = join(web, folder, 'src')
  const compiled = readTree(join(out, folder, 'src'), /\.(js|d\.ts)$/)
  const styles = readTree(source, /\.css$/).map(({ path, text }) => ({
    path: `${path}.js`,
    text: styleModule(text),
  }))
  return [...compiled.map(publishable), ...styles].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function readTree(root: string, pattern: RegExp): CompiledFile[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return { path: relative(root, path), text: readFileSync(path, 'utf8') }
    })
}

/**
 * Makes the text of a compiled file independent of this repository. The compiler rewrites the extensions of imports in
 * modules, but not in declarations, URLs and imports of style sheets.
 */
function publishable({ path, text }: CompiledFile): CompiledFile {
  const styles = path.endsWith('.d.ts') ? '' : '$1$2$3.js$2'
  const changed = text
    .replace(/(from |import |import\()(['"])(\.[^'"]+)\.tsx?\2/g, '$1$2$3.js$2')
    .replace(/(new URL\()(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2')
    .replace(/(import )(['"])(\.[^'"]+\.css)\2/g, styles)
  return { path, text: changed }
}

/**
 * Returns a module that adds a style sheet to the document. Unlike an import of CSS it runs without a bundler and on a
 * server, and unlike a style element it is permitted by a Content-Security-Policy without inline styles.
 */
function styleModule(css: string): string {
  return [
    "if (typeof document !== 'undefined') {",
    '  const sheet = new CSSStyleSheet()',
    `  sheet.replaceSync(${JSON.stringify(css)})`,
    '  document.adoptedStyleSheets.push(sheet)',
    '}',
    'export {}',
    '',
  ].join('\n')
}

/** Throws if a file refers to a file that was not compiled. */
function assertComplete(files: readonly CompiledFile[]): void {
  const paths = new Set(files.map(({ path }) => path))
  for (const { path, text } of files) {
    const references = text.matchAll(/(?:from|import|import\(|new URL\() ?(['"])(\.[^'"]+)\1/g)
    for (const [, , reference = ''] of references) {
      const module = join(dirname(path), reference)
      const target = path.endsWith('.d.ts') ? module.replace(/\.js$/, '.d.ts') : module
      if (!paths.has(target)) throw new Error(`${path} refers to ${reference}, which is missing`)
    }
  }
}

/** Writes compiled files below a folder. */
export function writeFiles(folder: string, files: readonly CompiledFile[]): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
