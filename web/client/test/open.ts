import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { type Client, createClient, type Id, type LiveQuery } from '../src/index.ts'
import { insideOf } from '../src/inside.ts'

/** A client that keeps nothing, closed when the test ends. */
export function open(url: string, token?: string): Client {
  const client = createClient({ url, token, storage: 'memory' })
  onTestFinished(() => client.close())
  return client
}

/** A client without a server. */
export const alone = (): Client => open('http://127.0.0.1:1')

/** A server of its own kind: it answers each path with some JSON. */
export async function startAnswering(answer: (path: string) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(answer(request.url ?? '')))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Listens to a query until the test ends; returns what reads its rows. */
export function watch<T>(query: LiveQuery<T>): () => readonly T[] {
  onTestFinished(query.subscribe(() => {}))
  return () => {
    const state = query.get()
    return state.status === 'ready' ? state.data : []
  }
}

export const until = (holds: () => boolean): Promise<void> =>
  expect.poll(holds, { timeout: 5_000, interval: 10 }).toBe(true)

/** The id the server knows. */
export const realOf = (client: Client, id: Id): Id => insideOf(client).graph.real(id)

/** Counts the requests of this process that are sent from now on, by path. */
export function countRequests(): (path: string) => number {
  const seen: string[] = []
  const real = globalThis.fetch
  globalThis.fetch = (input, init) => {
    seen.push(new URL(String(input)).pathname)
    return real(input, init)
  }
  onTestFinished(() => {
    globalThis.fetch = real
  })
  return (path) => seen.filter((p) => p === path).length
}

/** Counts the requests of this process that are answered from now on, by path. */
export function countAnswers(): (path: string) => number {
  const seen: string[] = []
  const real = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const answer = await real(input, init)
    await answer.clone().text()
    seen.push(new URL(String(input)).pathname)
    return answer
  }
  onTestFinished(() => {
    globalThis.fetch = real
  })
  return (path) => seen.filter((p) => p === path).length
}
