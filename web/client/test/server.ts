import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

const binary = join(import.meta.dirname, '../../../bin/weft')

/** The real server, empty, for one test. `make build` made it. Anonymous writes unless flags say otherwise. */
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
