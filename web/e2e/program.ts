import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The real binary on a free port, with a data directory of its own. `make build` made it, or WEFT names it. */
export interface Program {
  readonly url: string
  readonly port: number
  readonly data: string
  /** Ends it the hard way, as a power cut would. */
  kill(): Promise<void>
  /** Starts it again on the same port and data. Anonymous writes unless flags say otherwise. */
  start(flags?: string[]): Promise<void>
  /** Removes its data, of which it must not be in the middle: kill it before. */
  empty(): void
  /** Ends it and removes its data, for good. */
  end(): Promise<void>
}

/** Starts the binary, which is for the caller to end. */
export async function startProgram(binary: string): Promise<Program> {
  const port = await freePort()
  const data = mkdtempSync(join(tmpdir(), 'weft-e2e-'))
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined

  const program: Program = {
    url,
    port,
    data,
    async start(flags = ['--anonymous-writes']) {
      const args = ['serve', '--listen', `127.0.0.1:${port}`, '--data', data, ...flags]
      child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      await ready(child)
    },
    async kill() {
      const dying = child
      child = undefined
      if (!dying || dying.exitCode !== null) return
      const gone = new Promise((resolve) => dying.once('exit', resolve))
      dying.kill('SIGKILL')
      await gone
    },
    empty() {
      for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true })
    },
    async end() {
      await program.kill()
      rmSync(data, { recursive: true, force: true })
    },
  }
  await program.start().catch(async (e) => {
    await program.end()
    throw e
  })
  return program
}

/** Resolves once it says on standard output where it listens: who answers there before is somebody else. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const fail = (what: string) => reject(new Error(`weft ${what}: ${said}`))
    const late = setTimeout(fail, 15_000, 'did not become ready')
    child.stderr?.on('data', (chunk) => {
      said = (said + chunk).slice(-4000)
    })
    child.once('exit', (code) => {
      clearTimeout(late)
      fail(`ended with ${code}`)
    })
    child.stdout?.once('data', () => {
      clearTimeout(late)
      resolve()
    })
  })
}

/** A port that stays free while a program is killed and started again: below those that systems give to whoever asks for any. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (await isFree(port)) return port
  }
  throw new Error('no port from 10,000 to 30,000 is free')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
