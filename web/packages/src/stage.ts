import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CompiledFile, writeFiles } from './compile.ts'
import { publishedEntries, readManifest, web } from './layout.ts'

const sourceRepository = 'https://github.com/weft-graph/weft'

/** Members of every published package.json. */
export function commonMembers(folder: string) {
  return {
    license: 'Apache-2.0',
    repository: {
      type: 'git',
      url: `git+${sourceRepository}.git`,
      directory: `web/${folder}`,
    },
    engines: { node: '>=20.19' },
    publishConfig: { access: 'public' },
  }
}

/**
 * Writes a compiled workspace package to the folder `staged`: `dist`, package.json, README and licence. The
 * package.json of the workspace names source files; the published package.json names the compiled files.
 */
export function stageCompiled(
  folder: string,
  files: readonly CompiledFile[],
  staged: string,
): void {
  const { devDependencies, scripts, exports, ...manifest } = readManifest(folder)
  const hasStyles = files.some(({ path }) => path.endsWith('.css.js'))
  writeFiles(join(staged, 'dist'), files)
  writeManifest(staged, {
    ...manifest,
    ...commonMembers(folder),
    sideEffects: hasStyles ? ['*.css.js'] : false,
    exports: { ...compiledExports(folder), './package.json': './package.json' },
    files: ['dist'],
  })
  copyDocuments(folder, staged)
}

export function writeManifest(staged: string, manifest: object): void {
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/**
 * Copies the licence and the README. In the README, links to other files of the repository become absolute, and the
 * section about the source is left out.
 */
export function copyDocuments(folder: string, staged: string): void {
  copyFileSync(join(web, '../LICENSE'), join(staged, 'LICENSE'))
  const readme = readFileSync(join(web, folder, 'README.md'), 'utf8')
  const published = readme.replace(/\n## The source\n[\s\S]*?(?=\n## |$)/, '')
  writeFileSync(join(staged, 'README.md'), withAbsoluteLinks(published, `web/${folder}`))
}

function withAbsoluteLinks(markdown: string, folder: string): string {
  const base = `${sourceRepository}/blob/main/${folder}/`
  return markdown.replace(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, path: string) => {
    return `](${new URL(path, base).href})`
  })
}

function compiledExports(folder: string): Record<string, object> {
  const compiled = (source: string) => source.replace('./src/', './dist/').replace(/\.tsx?$/, '')
  return Object.fromEntries(
    publishedEntries(folder).map(([entry, source]) => [
      entry,
      { types: `${compiled(source)}.d.ts`, default: `${compiled(source)}.js` },
    ]),
  )
}
