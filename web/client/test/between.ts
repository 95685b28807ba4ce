import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request that came by. */
interface Seen {
  readonly path: string
  /** From the question mark on, or empty. */
  readonly search: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** In milliseconds. */
  readonly at: number
}

/** What stands between a client and a server, as a proxy does: it lets requests through, or answers in its own way. */
export interface Between {
  readonly url: string
  /** The requests to a path so far, those it answered itself among them. */
  seen(path: string): readonly Seen[]
  /** Answers the next request to a path itself: each answer once, in turn. */
  next(path: string, ...answers: Answer[]): void
}

/** Answers a request. Pass asks the server, and says what it answered. */
export type Answer = (
  to: ServerResponse,
  pass: () => Promise<{ status: number; text: string }>,
) => unknown

/** An answer of its own, as JSON unless it is a text. */
export const says =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (to) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    to.writeHead(status, { 'Access-Control-Allow-Origin': '*', ...headers })
    to.end(text)
  }

export async function between(server: string): Promise<Between> {
  const seen: Seen[] = []
  const planned = new Map<string, Answer[]>()

  const listener = createServer(async (from, to) => {
    const chunks: Buffer[] = []
    for await (const chunk of from) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { pathname: path, search } = new URL(from.url ?? '', server)
    const { method = 'GET', headers } = from
    seen.push({ path, search, headers, body, at: Date.now() })
    const pass = async () => {
      const kept = Object.entries(headers).filter(([name]) => !hops.has(name))
      const init = { method, headers: kept as [string, string][], ...(body ? { body } : {}) }
      const answer = await fetch(server + from.url, init)
      return { status: answer.status, text: await answer.text() }
    }
    const answer = method === 'OPTIONS' ? undefined : planned.get(path)?.shift()
    if (answer) return void answer(to, pass)
    const { status, text } = await pass().catch(() => ({ status: 502, text: '<h1>gone</h1>' }))
    to.writeHead(status, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': '*, Authorization',
    })
    to.end(text)
  })
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    seen: (path) => seen.filter((s) => s.path === path),
    next: (path, ...answers) => planned.set(path, [...(planned.get(path) ?? []), ...answers]),
  }
}

/** Headers of one line alone. */
const hops = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
])
