import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Headers of an error response. */
const refusalHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
  'Content-Type': 'application/json',
  'Retry-After': '7',
}

/** An HTTP proxy in front of a server that records requests, and holds back or refuses responses. */
export interface Relay {
  readonly url: string
  /** Paths of the POST requests, oldest first. */
  readonly posts: string[]
  /** Paths of the POST requests whose responses were sent completely, oldest first. */
  readonly answered: string[]
  /** Holds back the responses to POST requests from now on. Returns a function that releases them. */
  hold(): () => void
  /** Closes open connections, and every new connection at its first request. */
  disconnect(): void
  /** Forwards requests again. */
  reconnect(): void
  /** Responds to the next POST requests to a path with this status, without forwarding the requests to the server. */
  refuse(path: string, status: number, times: number): void
}

/** Starts a relay, which stops after the test. */
export async function startRelay(server: string): Promise<Relay> {
  const posts: string[] = []
  const answered: string[] = []
  const refusals = new Map<string, { status: number; times: number }>()
  let held: Promise<void> | undefined
  let isDisconnected = false
  const relay = createServer((request, response) => {
    const path = request.url ?? ''
    if (request.method === 'POST') {
      posts.push(path)
      response.on('finish', () => answered.push(path))
    }
    if (isDisconnected) return void request.socket.destroy()
    const refusal = refusals.get(path)
    if (request.method === 'POST' && refusal && refusal.times-- > 0) {
      request.resume()
      return void response.writeHead(refusal.status, refusalHeaders).end('{}')
    }
    forward(server, request, response, () => held)
  })
  const url = await new Promise<string>((resolve) => {
    relay.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`)
    })
  })
  onTestFinished(() => {
    relay.closeAllConnections()
    relay.close()
  })
  return {
    url,
    posts,
    answered,
    hold: () => {
      let release!: () => void
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => {
        held = undefined
        release()
      }
    },
    disconnect: () => {
      isDisconnected = true
      relay.closeAllConnections()
    },
    reconnect: () => {
      isDisconnected = false
    },
    refuse: (path, status, times) => refusals.set(path, { status, times }),
  }
}

/** Forwards a request to the server. The response to a POST request waits for `held`. */
function forward(
  server: string,
  request: IncomingMessage,
  response: ServerResponse,
  held: () => Promise<void> | undefined,
): void {
  const { method, headers } = request
  const upstream = sendRequest(
    server + request.url,
    { method, headers },
    async (upstreamResponse) => {
      if (method === 'POST') await held()
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
      upstreamResponse.pipe(response)
    },
  )
  upstream.on('error', () => response.destroy())
  response.on('close', () => upstream.destroy())
  request.pipe(upstream)
}
