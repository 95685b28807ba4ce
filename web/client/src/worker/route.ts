import type { Link } from './link.ts'

/**
 * What may be asked twice: questions, and the batches of the outbox, whose records the server knows by their local
 * ids.
 */
const repeatable = /^\/api\/(get[-_]|freeschema-query|v1\/local-concepts)/

/** A fetch that has the worker make what may be made twice, and makes itself what that does not answer, and all else. */
export function routed(link: Link, direct: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    const { method, body, signal } = init
    const url = String(input)
    const fits = method === 'POST' && typeof body === 'string'
    if (!fits || !repeatable.test(new URL(url).pathname)) return direct(input, init)
    const headers = Object.fromEntries(new Headers(init.headers))
    const answer = await link.ask({ url, headers, body }, signal)
    if (!answer) return direct(input, init)
    if (answer.status === 0) throw new TypeError(answer.text)
    return new Response(answer.status === 204 ? null : answer.text, answer)
  }
}
