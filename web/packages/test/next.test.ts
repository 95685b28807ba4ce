import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { freePort } from '../../e2e/program.ts'
import { startWeft } from '../../e2e/weft.ts'

// Next and its compiler take 340 MB, so this test runs only in `make test-next`. `create.test.ts` renders the hooks on a
// server in every run.
const { NEXT: isSelected } = process.env

test.skipIf(!isSelected)(
  'a page of Next is rendered on the server and live in the browser',
  async () => {
    const weft = await startWeft()
    const app = mkdtempSync(join(tmpdir(), 'weft-next-'))
    onTestFinished(() => rmSync(app, { recursive: true, force: true }))
    cpSync(join(import.meta.dirname, 'next'), app, { recursive: true })
    writeFileSync(join(app, '.npmrc'), `@weft:registry=${weft.url}/packages/\n`)
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      NEXT_PUBLIC_WEFT: weft.url,
    }
    const run = (...command: string[]) => execFileSync('npm', command, { cwd: app, env })
    // `npm ci` would refuse a lock file that lacks the compilers of other platforms.
    run('install', '--no-audit', '--no-fund', '--no-save', '@weft/client', '@weft/react')
    run('exec', 'next', 'build')
    const url = await startNext(app, env)

    expect(await (await fetch(url)).text()).toContain('loading, idle')
    const page = await (await profile()).newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(url)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Buy thread').waitFor()
    await page.getByText('ready, idle').waitFor()
    expect(await weft.count('the_note')).toBe(1)
    expect(errors).toEqual([])
  },
)

/** Starts Next until the test ends, and returns its URL. */
async function startNext(app: string, env: NodeJS.ProcessEnv): Promise<string> {
  const port = String(await freePort())
  const args = [join(app, 'node_modules/next/dist/bin/next'), 'start', '--port', port]
  const next = spawn(process.execPath, args, { cwd: app, env })
  onTestFinished(() => void next.kill())
  await ready(next)
  return `http://127.0.0.1:${port}/`
}

function ready(next: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    next.stdout?.on('data', (chunk) => {
      output += chunk
      if (output.includes('Ready')) resolve()
    })
    next.once('exit', (code) => reject(new Error(`next ended with ${code}: ${output}`)))
  })
}
