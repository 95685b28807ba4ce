import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished, test } from 'vitest'
import { binary } from '../../e2e/weft.ts'
import type { SchemaData } from '../src/schema/index.ts'
import { mulberry } from './dice.ts'
import { Dice } from './typed-dice.ts'
import { type Network, TypedRun } from './typed-run.ts'

/*
 * Random schemas, random writes, and clients of two versions of the schema, compared with a simple model (`typed-model.ts`).
 * `make test` runs a few seeds, in about 20 s of processor time. Many seeds, after `make build`, in `web/`:
 *
 *   SEEDS=10000 npx vitest run client/test/typed-dice.test.ts              all seeds up to 10,000, about an hour
 *   SEED=2001 SEEDS=2100 npx vitest run client/test/typed-dice.test.ts     these hundred
 *   SEED=17 npx vitest run client/test/typed-dice.test.ts                  this one
 */

const { SEED = '1', SEEDS = process.env['SEED'] ?? '60' } = process.env
const seedsPerServer = 50
const stepsPerSeed = 25
/** The real fetch, which reaches the server even while a client is offline. */
const originalFetch = globalThis.fetch

const [firstSeed, lastSeed] = [Number(SEED), Number(SEEDS)]
const firstSeeds: number[] = []
for (let seed = firstSeed; seed <= lastSeed; seed += seedsPerServer) firstSeeds.push(seed)

test.each(firstSeeds)(
  'clients of two versions of a schema agree with the model, seeds from %i',
  { timeout: 600_000 },
  async (first) => {
    const server = await startServer()
    const last = Math.min(first + seedsPerServer - 1, lastSeed)
    for (let seed = first; seed <= last; seed++) {
      const run = new TypedRun(new Dice(mulberry(seed)), `${seed}`, server)
      try {
        await run.run(stepsPerSeed)
      } catch (error) {
        throw new Error(`SEED=${seed}\n${run.log.join('\n')}`, { cause: error })
      }
    }
  },
)

/** Starts an empty server with an admin, who may push schemas. */
async function startServer() {
  const flags = ['--anonymous-writes', '--setup-link=always', '--unique-checks=1000000']
  const args = ['serve', '--store', 'memory:', '--listen', '127.0.0.1:0', ...flags]
  const server = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(async () => {
    if (server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit')
  })
  const linked = new Promise<string>((resolve) => {
    createInterface(server.stderr).on('line', (line) => {
      if (/^http.*setup/.test(line)) resolve(line)
    })
  })
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string]
  const token = new URL(await linked).searchParams.get('token')
  const account = { email: 'ada@example.org', password: 'correct horse battery' }
  await post(`${url}/api/auth/setup`, { token, ...account })
  const { data } = (await post(`${url}/api/auth/login`, account)) as { data: { token: string } }
  const pushSchema = async (schema: SchemaData) =>
    void (await post(`${url}/api/v1/schema`, { schema, prune: true }, data.token))
  const origins = [url, url.replace('127.0.0.1', 'localhost')]
  return { origins, network: createNetwork(), pushSchema }
}

/** The network between this process and a server, which has several origins. */
function createNetwork(): Network {
  const unreachable = new Set<string>()
  const open = new Map<AbortController, string>()
  globalThis.fetch = async (input, init = {}) => {
    const { origin } = new URL(String(input))
    if (unreachable.has(origin)) throw new TypeError('fetch failed')
    const cut = new AbortController()
    open.set(cut, origin)
    const signals = [cut.signal, ...(init.signal ? [init.signal] : [])]
    return originalFetch(input, { ...init, signal: AbortSignal.any(signals) })
  }
  onTestFinished(() => {
    globalThis.fetch = originalFetch
  })
  return {
    cut(origin) {
      unreachable.add(origin)
      for (const [controller, of] of open) {
        if (of === origin) controller.abort(new TypeError('terminated'))
        open.delete(controller)
      }
    },
    restore: (origin) => void unreachable.delete(origin),
  }
}

async function post(url: string, body: object, token?: string): Promise<unknown> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token && { Authorization: `Bearer ${token}` }),
  }
  const response = await originalFetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${text}`)
  return JSON.parse(text)
}
