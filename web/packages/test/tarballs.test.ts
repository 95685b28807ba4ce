import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main as buildPackages } from '../src/build.ts'

const dir = mkdtempSync(join(tmpdir(), 'weft-packages-'))
const [first, second] = [join(dir, 'first'), join(dir, 'second')]
const names = ['client', 'react', 'compat']

beforeAll(async () => {
  await buildPackages([first])
  for (const name of names)
    execFileSync('tar', ['-xzf', tarballOf(name), '--one-top-level', '-C', dir], { cwd: dir })
})
afterAll(() => rmSync(dir, { recursive: true }))

test('two builds of the same sources are identical', async () => {
  await buildPackages([second])
  const files = filesBelow(first)
  expect(files.length).toBeGreaterThan(100)
  expect(filesBelow(second)).toEqual(files)
  const differing = files.filter(
    (file) => !readFileSync(join(first, file)).equals(readFileSync(join(second, file))),
  )
  expect(differing).toEqual([])
})

describe.each(names)('the tarball of %s', (name) => {
  test('has no defect according to attw and publint', async () => {
    expect(await defectsOf(readFileSync(tarballOf(name)))).toEqual([])
  })

  test('has a licence, a README and neither sources nor tests', () => {
    const files = filesBelow(unpackedFolder(name))
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
    expect(
      files.filter((file) => /(?<!\.d)\.tsx?$|(^|\/)(test|bench|faults)\//.test(file)),
    ).toEqual([])
  })

  test('names its licence and repository, and no file of this repository', () => {
    const manifest = readFileSync(join(unpackedFolder(name), 'package.json'), 'utf8')
    expect(JSON.parse(manifest)).toMatchObject({
      license: 'Apache-2.0',
      repository: { url: 'git+https://github.com/weft-graph/weft.git', directory: `web/${name}` },
    })
    const readme = readFileSync(join(unpackedFolder(name), 'README.md'), 'utf8')
    expect(`${manifest}${readme}`).not.toMatch(
      /"\.\/src\/|\]\(\.|workspace:|127\.0\.0\.1:\d+\/packages/,
    )
  })
})

test('attw and publint report a package whose types and entries are wrong', async () => {
  const manifest = {
    name: 'broken',
    version: '1.0.0',
    type: 'module',
    exports: { '.': { default: './index.js', types: './index.d.ts' }, './missing': './missing.js' },
  }
  const broken = tarballWith({
    'package.json': JSON.stringify(manifest),
    'index.js': 'export const a = 1',
    'index.d.ts': "export { a } from './absent.js'",
  })
  const defects = await defectsOf(broken)
  expect(defects).toEqual(
    expect.arrayContaining([
      expect.stringContaining('InternalResolutionError'),
      expect.stringContaining('does not exist'),
      expect.stringContaining('types'),
    ]),
  )
})

test('@weft/react imports sigma in the entry point /graph-view only', () => {
  const { exports, peerDependenciesMeta } = manifestOf('react')
  const users = Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .filter(([, { default: file }]) => packagesReachedFrom('react', file).has('sigma'))
    .map(([entry]) => entry)
  expect(users).toEqual(['./graph-view'])
  expect(peerDependenciesMeta).toMatchObject({ sigma: { optional: true } })
})

test('React and the client are peer dependencies of @weft/react, so that an application has one of each', () => {
  const { dependencies = {}, peerDependencies = {} } = manifestOf('react')
  expect(Object.keys(dependencies)).toEqual(['dompurify'])
  expect(Object.keys(peerDependencies)).toEqual(
    expect.arrayContaining(['react', 'react-dom', '@weft/client']),
  )
})

test('@weft/react imports published entry points of @weft/client only', () => {
  const published = Object.keys(manifestOf('client').exports)
  const imported = filesBelow(join(unpackedFolder('react'), 'dist')).flatMap((file) =>
    specifiersIn(readFileSync(join(unpackedFolder('react'), 'dist', file), 'utf8')),
  )
  const entries = imported
    .filter((name) => name.startsWith('@weft/client'))
    .map((name) => name.replace('@weft/client', '.'))
  expect(entries).toContain('.')
  expect(entries.filter((entry) => !published.includes(entry))).toEqual([])
})

interface PackedManifest {
  readonly exports: Readonly<Record<string, { readonly default: string }>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
}

function manifestOf(name: string): PackedManifest {
  return JSON.parse(readFileSync(join(unpackedFolder(name), 'package.json'), 'utf8'))
}

const tarballOf = (name: string): string => join(first, `packages/weft-${name}-0.1.0.tgz`)

/** Returns the folder of an unpacked tarball. tar names it after the archive. */
const unpackedFolder = (name: string): string => join(dir, `weft-${name}-0.1.0`, 'package')

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/**
 * Returns the defects of a tarball. Two findings do not count as defects, because the packages are modules for
 * bundlers, browsers and Node 20: that Node 10 cannot resolve the entry points, and that CommonJS must import modules
 * dynamically.
 */
async function defectsOf(tarball: Buffer): Promise<string[]> {
  const types = await checkPackage(createPackageFromTarballData(tarball), {
    // The worker is a script without exports.
    excludeEntrypoints: ['./serviceWorker.bundle.js'],
  })
  const problems = types.types ? types.problems : [{ kind: 'the package has no types' }]
  const wrong = problems.filter(
    (problem) =>
      problem.kind !== 'CJSResolvesToESM' &&
      !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
  )
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(tarball).buffer },
    level: 'suggestion',
    strict: true,
  })
  return [
    ...wrong.map((problem) => JSON.stringify(problem)),
    ...messages.map((message) => `${message.code}: ${formatMessage(message, pkg)}`),
  ]
}

/** Creates a tarball with the given files in the folder `package`. */
function tarballWith(files: Readonly<Record<string, string>>): Buffer {
  const folder = join(dir, 'broken/package')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return gzipSync(execFileSync('tar', ['-c', '-C', dirname(folder), 'package']))
}

/** Returns the packages that a module imports, directly or through other modules of its package, statically or on demand. */
function packagesReachedFrom(name: string, entry: string): ReadonlySet<string> {
  const [packages, seen] = [new Set<string>(), new Set<string>()]
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const specifier of specifiersIn(readFileSync(file, 'utf8')))
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier))
      else packages.add(specifier)
  }
  visit(join(unpackedFolder(name), entry))
  return packages
}

function specifiersIn(text: string): string[] {
  return [...text.matchAll(/(?:from|import|import\() ?(['"])([^'"]+)\1/g)].map(
    ([, , specifier = '']) => specifier,
  )
}
