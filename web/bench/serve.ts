import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Starts the binary from `make build` with an empty store on a free port. */
export async function serve(): Promise<{ url: string; end(): Promise<void> }> {
  const data = mkdtempSync(join(tmpdir(), 'weft-bench-'))
  const binary = process.env.WEFT ?? join(import.meta.dirname, '../../bin/weft')
  const child = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '--data', data], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const end = async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(data, { recursive: true, force: true })
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
    if (url === undefined) continue
    child.stdout.resume()
    return { url, end }
  }
  await end()
  throw new Error(`${binary} exited before it was ready`)
}
