import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { main as buildPackage } from '../build.ts'

// Tests of the package that applications install: in a folder outside the workspace, under the name of the incumbent.

const app = mkdtempSync(join(tmpdir(), 'weft-compat-'))
const installed = join(app, 'node_modules/mftsccs-browser')

beforeAll(async () => {
  await buildPackage([installed])
})

afterAll(() => rmSync(app, { recursive: true }))

test('has no dependency, and the 207 names of the contract that are values', async () => {
  const files = readdirSync(installed)
  expect(files).toEqual(expect.arrayContaining(['index.js', 'types', 'serviceWorker.bundle.js']))
  const library = await import(/* @vite-ignore */ pathToFileURL(join(installed, 'index.js')).href)
  expect(Object.keys(library)).toHaveLength(207)
})

test('programs compile against its types', () => {
  writeFileSync(
    join(app, 'program.ts'),
    `import { type Concept, CreateTheCompositionLocal, FreeschemaQuery, init, SchemaQueryListener, StatefulWidget } from 'mftsccs-browser'
     export class List extends StatefulWidget {
       getHtml(): string { return '<ul></ul>' }
     }
     export async function start(): Promise<Concept> {
       await init('https://example.org', '', '', '', true, 'app')
       const query = new FreeschemaQuery()
       query.type = 'the_note'
       SchemaQueryListener(query, '').subscribe((rows: unknown[]) => rows.length)
       return CreateTheCompositionLocal({ the_note: { text: 'hello' } })
     }`,
  )
  const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext']
  const resolution = ['--moduleResolution', 'bundler', '--ignoreConfig', 'program.ts']
  const { status, stdout } = spawnSync(compiler, [...options, ...resolution], {
    cwd: app,
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
})

test('the install step copies the worker into the folder "public", if there is one', () => {
  const install = (cwd: string) =>
    execFileSync(process.execPath, [join(installed, 'install.mjs'), '--if-public'], {
      cwd,
      env: { ...process.env, INIT_CWD: cwd },
    })
  install(app)
  mkdirSync(join(app, 'public'))
  install(app)
  expect(existsSync(join(app, 'public/serviceWorker.bundle.js'))).toBe(true)
})

test('bundlers of applications leave the import of stored code alone', () => {
  const renderer = readFileSync(join(installed, 'imperative.js'), 'utf8')
  expect(renderer).toMatch(/import\(\s*\/\* @vite-ignore \*\/\s*\/\* webpackIgnore: true \*\//)
})
