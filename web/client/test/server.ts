import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

const { WEFT: binary = join(import.meta.dirname, '../../../bin/weft') } = process.env

/**
 * Returns a token of the account with this name, which is created if it does not exist. The request says that the
 * caller renews tokens, as the client of this package does.
 */
export async function tokenOf(url: string, name: string): Promise<string> {
  const credentials = { email: `${name}@example.org`, password: 'correct horse battery' }
  const body = JSON.stringify({ ...credentials, refresh: true })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${url}/api/auth/signup`, { method: 'POST', headers, body })
  const response = await fetch(`${url}/api/auth/login`, { method: 'POST', headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`sign-in of ${name} failed: ${response.status} ${text}`)
  const { data } = JSON.parse(text) as { data: { token: string } }
  return data.token
}

/**
 * Starts an empty server for one test and returns its address. Uses the program from `make build`, or
 * the one that the variable WEFT names. Without flags the server accepts anonymous writes.
 */
export async function startServer(...flags: string[]): Promise<string> {
  const serveFlags = flags.length > 0 ? flags : ['--anonymous-writes']
  const args = ['serve', '--store', 'memory:', '--listen', '127.0.0.1:0', ...serveFlags]
  // A server lives for one test. It starts with a quarter less processor time if it collects its garbage less often.
  const env = { ...process.env, GOGC: '800' }
  const server = spawn(binary, args, { stdio: ['ignore', 'pipe', 'ignore'], env })
  onTestFinished(async () => {
    if (server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit')
  })
  const [url] = await once(createInterface(server.stdout), 'line')
  return url as string
}
