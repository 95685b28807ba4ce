import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { afterAll, describe, expect, test } from 'vitest'
import { startApp } from '../client/test/app.ts'
import { profile } from './browser.ts'
import type {} from './guide.ts'
import { startWeft } from './weft.ts'

const web = join(import.meta.dirname, '..')
const address = 'http://127.0.0.1:8080'
const sharedHeading = 'Helpers used by the examples'

interface Program {
  readonly heading: string
  readonly language: string
  readonly text: string
  /** Whether the program runs in a service worker instead of a page. */
  readonly isWorker: boolean
}

const pages = ['client.md', 'client-queries.md', 'client-recipes.md'].map((name) =>
  readFileSync(join(web, '../docs', name), 'utf8'),
)
const programs = pages.flatMap(programsOf)

/** Returns the programs of a page with their headings. If the first section is shared code, each program starts with it. */
function programsOf(page: string): Program[] {
  const all = page.split(/^## /m).flatMap((section) => {
    const [heading = ''] = section.split('\n')
    const [, language, text] = /^```(tsx?)\n(.*?)^```$/ms.exec(section) ?? []
    const isWorker = text?.includes('@weft/client/worker/serve') ?? false
    return language && text ? [{ heading, language, text, isWorker }] : []
  })
  const [first, ...rest] = all
  if (first?.heading !== sharedHeading) return all
  return rest.map((program) => ({ ...program, text: first.text + program.text }))
}

const dir = mkdtempSync(join(web, 'node_modules/.guide-'))
afterAll(() => rmSync(dir, { recursive: true }))

test('every example of the guide and the recipes is run and type-checked', () => {
  const fences = pages.join('').match(/^```tsx?$/gm)?.length ?? 0
  const helpers = pages.filter((page) => page.includes(`## ${sharedHeading}`)).length
  expect(programs.length + helpers).toBe(fences)
  const compilerOptions = { noPropertyAccessFromIndexSignature: false }
  const files = [...programs.map((program) => writeModule(program, address)), '../../e2e/guide.ts']
  writeFileSync(
    join(dir, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, files, include: [] }),
  )
  execFileSync(join(web, 'node_modules/.bin/tsc'), ['-p', dir], { stdio: 'inherit' })
})

describe('the example of the guide or recipes', () => {
  const scripts = programs.filter(({ language, isWorker }) => language === 'ts' && !isWorker)
  test.each(scripts)('$heading', async (program) => {
    const page = await run(program)
    await page.waitForFunction(() => window.guide.finished)
    for (const [actual, promised] of await page.evaluate(() => window.guide.seen))
      expect(actual).toEqual(promised)
    expect(await page.evaluate(() => window.guide.seen.length)).toBe(
      program.text.split(' // → ').length - 1,
    )
  })

  test.each(programs.filter(({ language }) => language === 'tsx'))('$heading', async (program) => {
    const page = await run(program)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Buy thread').waitFor()
    await page.getByText('idle').waitFor()
  })

  test.each(programs.filter(({ isWorker }) => isWorker))('$heading', async (program) => {
    const script = await bundle(writeModule(program, address))
    const body = '<!doctype html><h1>At home</h1>'
    const app = await startApp({ '/': body, '/worker.js': script })
    const page = await (await profile()).newPage()
    await page.goto(app.url)
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/worker.js')
      await navigator.serviceWorker.ready
    })
    app.stop()
    await page.goto(`${app.url}/elsewhere`)
    expect(await page.locator('h1').textContent()).toBe('At home')
  })
})

/** Runs a program in an empty page on the origin of a new server. */
async function run(program: Program): Promise<Page> {
  const weft = await startWeft()
  const script = await bundle(writeModule(program, weft.url))
  const page = await (await profile()).newPage()
  page.on('pageerror', (error) => expect.soft(error).toBeUndefined())
  await page.route(`${weft.url}/guide`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><body></body>' }),
  )
  await page.goto(`${weft.url}/guide`)
  await page.evaluate(() => {
    window.guide = { seen: [], finished: false }
    window.see = (actual, promised) => window.guide.seen.push([actual, promised])
  })
  await page.addScriptTag({ content: script, type: 'module' })
  return page
}

/** Writes a program as a module, with each `expression // → value` replaced by `see(expression, value)`. Returns its path. */
function writeModule({ heading, language, text, isWorker }: Program, url: string): string {
  const seen = text.replaceAll(address, url).replaceAll(/^(.+?) \/\/ → (.+)$/gm, 'see(($1), ($2))')
  const client =
    isWorker || text.includes('createClient(')
      ? ''
      : `import { createClient } from '@weft/client'\nconst weft = createClient({ url: '${url}' })\n`
  const close = language === 'ts' && !isWorker ? '\nwindow.guide.finished = true\n' : ''
  const path = join(dir, `${heading.toLowerCase().replaceAll(/\W+/g, '-')}.${language}`)
  writeFileSync(path, client + seen + close)
  return path
}

async function bundle(path: string): Promise<string> {
  const result = await build({
    root: dir,
    configFile: false,
    logLevel: 'silent',
    oxc: { jsx: { runtime: 'automatic', development: false } },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      lib: { entry: path, formats: ['es'] },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [{ output }] = result as [Rolldown.RolldownOutput]
  return output[0].code
}
