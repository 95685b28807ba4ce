import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../e2e/program.ts'

/** Creates a folder outside the repository for one test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-create-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * The environment of a user. npm may use its cache, because lock files fix the versions. NODE_ENV, which the test
 * runner sets, is removed, so that Vite builds for production.
 */
const env: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_ENV: undefined,
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
}

/**
 * Runs create-weft as a user does: npx loads it from the server.
 *
 * @returns the exit code and the output
 */
export function runCreate(server: string, folder: string, args: readonly string[]) {
  const program = ['--yes', `${server}/packages/create-weft.tgz`, ...args]
  const { status, stdout, stderr } = spawnSync('npx', program, {
    cwd: folder,
    encoding: 'utf8',
    env,
  })
  return { status, stdout, stderr }
}

/** Creates and installs an application, and returns its folder. Throws if that fails. */
export function createApp(server: string, template: string): string {
  const folder = temporaryFolder()
  const args = ['app', '--template', template, '--server', server]
  const { status, stdout, stderr } = runCreate(server, folder, args)
  if (status !== 0) throw new Error(`create-weft ended with ${status}: ${stdout}${stderr}`)
  return join(folder, 'app')
}

/** Runs a script of an application and returns its output. */
export function runScript(folder: string, script: string, ...args: string[]): string {
  const command = ['run', '--silent', script, '--', ...args]
  return execFileSync('npm', command, { cwd: folder, encoding: 'utf8', env })
}

/** Serves the built application until the test ends, and returns its URL. */
export async function preview(folder: string): Promise<string> {
  const port = await freePort()
  const args = ['preview', '--host', '127.0.0.1', '--port', String(port), '--strictPort']
  const vite = spawn(join(folder, 'node_modules/.bin/vite'), args, { cwd: folder, env })
  onTestFinished(() => void vite.kill())
  await firstOutput(vite)
  return `http://127.0.0.1:${port}`
}

function firstOutput(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`vite preview ended with ${code}`)))
  })
}
