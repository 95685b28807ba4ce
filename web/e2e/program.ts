import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A running binary on a free port with its own data directory. */
export interface Program {
  readonly url: string
  readonly port: number
  readonly data: string
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>
  /** Starts the binary again with the same port and data. The default flag is `--anonymous-writes`. */
  start(flags?: string[]): Promise<void>
  /** Deletes the contents of the data directory. The process must not be running. */
  empty(): void
  /** Kills the process and removes the data directory. */
  end(): Promise<void>
}

/** Starts the binary, with these variables in its environment. The caller must end it. */
export async function startProgram(
  binary: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<Program> {
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
      const env = { ...process.env, ...variables }
      child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
      await waitUntilListening(child)
    },
    async kill() {
      const running = child
      child = undefined
      if (!running || running.exitCode !== null) return
      const exited = new Promise((resolve) => running.once('exit', resolve))
      running.kill('SIGKILL')
      await exited
    },
    empty() {
      for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true })
    },
    async end() {
      await program.kill()
      rmSync(data, { recursive: true, force: true })
      rmSync(reservationOf(port), { force: true })
    },
  }
  await program.start().catch(async (e) => {
    await program.end()
    throw e
  })
  return program
}

/** Resolves when the process prints its address. Before that, another process might respond on the port. */
function waitUntilListening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (reason: string) => reject(new Error(`weft ${reason}: ${output}`))
    const timer = setTimeout(fail, 60_000, 'did not become ready')
    child.stderr?.on('data', (chunk) => {
      output = (output + chunk).slice(-4000)
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      fail(`ended with ${code}`)
    })
    child.stdout?.once('data', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/**
 * Returns a free port below the ephemeral range, and reserves it. Otherwise another test could take the port between a kill
 * and a start, and the clients of this program would write to the program of that test. The reservation is a file with the process id.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (reserve(reservationOf(port)) && (await isFree(port))) return port
  }
  throw new Error('no port from 10,000 to 30,000 is free')
}

const reservationOf = (port: number): string => join(tmpdir(), `weft-e2e-port-${port}`)

/** Creates a reservation file for this process. Returns false if the file belongs to another process that is running. */
function reserve(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (isRunning(Number(readFileSync(file, 'utf8')))) return false
    writeFileSync(file, String(process.pid))
    return true
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
