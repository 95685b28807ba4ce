import type { WorkerLink } from './worker-link.ts'

/** Paths of idempotent requests: reads, and batches of writes. The server recognises a repeated batch. */
const idempotentPaths = /^\/api\/(get[-_]|freeschema-query|v1\/local-concepts)/

/**
 * Creates a fetch that sends idempotent POST requests through the worker. All other requests, and those that the worker
 * does not respond to, go through `direct`.
 */
export function routeThroughWorker(link: WorkerLink, direct: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    const { method, body, signal } = init
    const url = String(input)
    const hasTextBody = method === 'POST' && typeof body === 'string'
    if (!hasTextBody || !idempotentPaths.test(new URL(url).pathname)) return direct(input, init)
    const headers = Object.fromEntries(new Headers(init.headers))
    const response = await link.send({ url, headers, body }, signal)
    if (!response) return direct(input, init)
    // Status 0 means a network error, for which fetch rejects with a TypeError.
    if (response.status === 0) throw new TypeError(response.text)
    return new Response(response.status === 204 ? null : response.text, response)
  }
}
