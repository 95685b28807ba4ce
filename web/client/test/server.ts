import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

const { WEFT: binary = join(import.meta.dirname, '../../../bin/weft') } = process.env

/** A token of an account, which is made if there is none of that name. */
export async function tokenOf(url: string, name: string): Promise<string> {
  const body = JSON.stringify({ email: `${name}@example.org`, password: 'correct horse battery' })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${url}/api/auth/signup`, { method: 'POST', headers, body })
  const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', headers, body })
  const { data } = (await answer.json()) as { data: { token: string } }
  return data.token
}

/** The real server, empty, for one test. `make build` made it, or WEFT names it. Anonymous writes unless flags say otherwise. */
export async function startServer(...flags: string[]): Promise<string> {
  const more = flags.length > 0 ? flags : ['--anonymous-writes']
  const args = ['serve', '--store', 'memory:', '--listen', '127.0.0.1:0', ...more]
  const server = spawn(binary, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(async () => {
    if (server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit')
  })
  const [url] = await once(createInterface(server.stdout), 'line')
  return url as string
}
