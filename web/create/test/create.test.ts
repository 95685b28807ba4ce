import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { freePort } from '../../e2e/program.ts'
import { startWeft, type Weft } from '../../e2e/weft.ts'
import { createApp, preview, runCreate, runScript, temporaryFolder } from './app.ts'

// Tests of applications outside the repository, which install the packages from the binary.

let weft: Weft
let endWeft: () => Promise<void>

beforeAll(async () => {
  weft = await startWeft((end) => {
    endWeft = end
  })
})
afterAll(() => endWeft())

describe.each(['react-ts', 'vanilla-ts'])('the template %s', { timeout: 900_000 }, (template) => {
  test('creates an application that type-checks and works offline', async () => {
    const app = createApp(weft.url, template)
    runScript(app, 'build')
    const url = await preview(app)
    const page = await (await profile()).newPage()
    const title = `from ${template}`

    await page.goto(url)
    await page.getByLabel('New note').fill(title)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('All changes are saved').waitFor()
    await expect.poll(() => weft.count('the_note')).toBeGreaterThan(0)
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')

    await weft.kill()
    await page.reload()
    await page.getByText(title).waitFor()
    await page.getByLabel('New note').fill(`${title}, offline`)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Offline, 1 changes to send').waitFor()

    await weft.start()
    await page.getByText('All changes are saved').waitFor()
    await page.getByText(`${title}, offline`).waitFor()
    if (template === 'react-ts') expect(await renderOnServer(app)).toBe('<p>loading idle</p>')
  })
})

/** Renders the hooks of the installed package without a browser, as frameworks with server-side rendering do. */
async function renderOnServer(app: string): Promise<string> {
  const program = join(app, 'render.mjs')
  writeFileSync(
    program,
    `import { createClient } from '@weft/client'
     import { useQuery, useSyncStatus, WeftProvider } from '@weft/react'
     import '@weft/react/documentation'
     import '@weft/react/form'
     import '@weft/react/select'
     import { createElement } from 'react'
     import { renderToString } from 'react-dom/server'
     const Page = () => {
       const notes = useQuery({ type: 'the_note' })
       return createElement('p', null, notes.status + ' ' + useSyncStatus().state)
     }
     const client = createClient({ url: '${weft.url}', storage: 'memory' })
     console.log(renderToString(createElement(WeftProvider, { client }, createElement(Page))))
     client.close()`,
  )
  return execFileSync(process.execPath, [program], { encoding: 'utf8' }).trim()
}

test('the template node creates a program that type-checks, writes and reads', {
  timeout: 900_000,
}, () => {
  const app = createApp(weft.url, 'node')
  runScript(app, 'check')
  expect(runScript(app, 'start', 'Buy thread')).toContain('[ ] Buy thread\n')
  expect(runScript(app, 'start')).toContain('[ ] Buy thread\n')
  const wrong = 'import { createClient } from "@weft/client"\ncreateClient({ url: 1 })\n'
  writeFileSync(join(app, 'src/wrong.ts'), wrong)
  expect(() => runScript(app, 'check')).toThrow(/failed/)
})

describe('create-weft', () => {
  test('reports a server that does not respond, and writes nothing', async () => {
    const folder = temporaryFolder()
    const server = `http://127.0.0.1:${await freePort()}`
    const { status, stderr } = runCreate(weft.url, folder, ['app', '--server', server])
    expect(status).toBe(1)
    expect(stderr).toContain(`no server responds at ${server}`)
    expect(stderr).toContain('weft serve --anonymous-writes')
    expect(readdirSync(folder)).toEqual([])
  })

  test('refuses a folder with files, an unknown template and a malformed URL', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'app'))
    writeFileSync(join(folder, 'app/mine.txt'), 'mine')
    const run = (...args: string[]) => runCreate(weft.url, folder, ['--server', weft.url, ...args])
    expect(run('app')).toMatchObject({ status: 1, stderr: expect.stringContaining('mine.txt') })
    const unknown = expect.stringContaining('react-ts, vanilla-ts, node')
    expect(run('new', '--template', 'vue')).toMatchObject({ status: 2, stderr: unknown })
    const malformed = expect.stringContaining('not "localhost"')
    expect(run('new', '--server', 'localhost')).toMatchObject({ status: 2, stderr: malformed })
    expect(readdirSync(folder)).toEqual(['app'])
  })

  test('with --no-install, only writes the files', () => {
    const folder = temporaryFolder()
    const args = ['My App', '--template', 'node', '--server', weft.url, '--no-install']
    expect(runCreate(weft.url, folder, args).status).toBe(0)
    const app = join(folder, 'My App')
    expect(existsSync(join(app, 'node_modules'))).toBe(false)
    expect(JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')).name).toBe('my-app')
    expect(readFileSync(join(app, '.npmrc'), 'utf8')).toContain(`${weft.url}/packages/`)
    expect(existsSync(join(app, '.gitignore'))).toBe(true)
  })
})
