import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request that the proxy received. */
interface ProxiedRequest {
  readonly path: string
  /** Query string with its question mark, or empty. */
  readonly search: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Time of arrival in milliseconds since 1970. */
  readonly at: number
}

/** An HTTP proxy between a client and a server, which forwards requests or responds itself. */
export interface TestProxy {
  readonly url: string
  /** Returns the requests to a path so far, oldest first. These include requests that were not forwarded. */
  requests(path: string): readonly ProxiedRequest[]
  /** Responds to the next requests to a path with these responders. Each is used once, in this order. */
  next(path: string, ...responders: Responder[]): void
}

/** Responds to a request. `forward` sends the request to the server and returns its response. */
export type Responder = (
  response: ServerResponse,
  forward: () => Promise<{ status: number; text: string }>,
) => unknown

/** Creates a responder with a fixed response. A body that is a string is sent unchanged, any other body as JSON. */
export const respondWith =
  (status: number, body: unknown, headers: Record<string, string> = {}): Responder =>
  (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'Access-Control-Allow-Origin': '*', ...headers })
    response.end(text)
  }

/** Starts a proxy in front of the server at this address. It stops after the test. */
export async function startProxy(server: string): Promise<TestProxy> {
  const received: ProxiedRequest[] = []
  const planned = new Map<string, Responder[]>()

  const listener = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { pathname: path, search } = new URL(request.url ?? '', server)
    const { method = 'GET', headers } = request
    received.push({ path, search, headers, body, at: Date.now() })
    const forward = async () => {
      const forwarded = Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name))
      const init = { method, headers: forwarded as [string, string][], ...(body ? { body } : {}) }
      const upstream = await fetch(server + request.url, init)
      return { status: upstream.status, text: await upstream.text() }
    }
    const respond = method === 'OPTIONS' ? undefined : planned.get(path)?.shift()
    if (respond) return void respond(response, forward)
    const { status, text } = await forward().catch(() => ({
      status: 502,
      text: '<h1>Bad gateway</h1>',
    }))
    response.writeHead(status, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': '*, Authorization',
    })
    response.end(text)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    requests: (path) => received.filter((r) => r.path === path),
    next: (path, ...responders) => planned.set(path, [...(planned.get(path) ?? []), ...responders]),
  }
}

/** Headers that apply to one connection only. */
const hopByHopHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
])
