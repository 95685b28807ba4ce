import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { type Client, createClient, type Id, type LiveQuery } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'

/** Creates a client with storage in memory, which is closed when the test ends. */
export function open(url: string, token?: string): Client {
  const client = createClient({ url, token, storage: 'memory' })
  onTestFinished(() => client.close())
  return client
}

/** Creates a client whose server is unreachable. */
export const offlineClient = (): Client => open('http://127.0.0.1:1')

/** Starts a server that responds to each path with the JSON that `respond` returns. Returns its address. */
export async function startJsonServer(respond: (path: string) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(respond(request.url ?? '')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Subscribes to a query until the test ends. Returns a function that reads its rows. */
export function watch<T>(query: LiveQuery<T>): () => readonly T[] {
  onTestFinished(query.subscribe(() => {}))
  return () => {
    const state = query.get()
    return state.status === 'ready' ? state.data : []
  }
}

export const until = (holds: () => boolean): Promise<void> =>
  expect.poll(holds, { interval: 10 }).toBe(true)

/** Returns the server's id of a record, or the local id if the record is not synced. */
export const realOf = (client: Client, id: Id): Id => internalsOf(client).graph.real(id)

/** Counts the requests that this process sends from now on. Returns a function from path to number. */
export function countRequests(): (path: string) => number {
  const paths: string[] = []
  const originalFetch = globalThis.fetch
  globalThis.fetch = (input, init) => {
    paths.push(new URL(String(input)).pathname)
    return originalFetch(input, init)
  }
  onTestFinished(() => {
    globalThis.fetch = originalFetch
  })
  return (path) => paths.filter((p) => p === path).length
}

/** Counts the responses that this process receives from now on. Returns a function from path to number. */
export function countResponses(): (path: string) => number {
  const paths: string[] = []
  const originalFetch = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const response = await originalFetch(input, init)
    await response.clone().text()
    paths.push(new URL(String(input)).pathname)
    return response
  }
  onTestFinished(() => {
    globalThis.fetch = originalFetch
  })
  return (path) => paths.filter((p) => p === path).length
}
