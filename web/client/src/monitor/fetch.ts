import type { Level } from '../logger/index.ts'
import type { Note } from './monitor.ts'
import { replace } from './replace.ts'

/** Logs requests that failed, or were answered with an error, but those to paths that begin so. */
export function watchFetch(note: Note, ignore: readonly string[]): () => void {
  return replace(globalThis, 'fetch', (original) => async (input, init) => {
    const began = performance.now()
    try {
      const answer = await original.call(globalThis, input, init)
      if (!answer.ok && answer.type !== 'opaque' && answer.type !== 'opaqueredirect') {
        const { status, statusText, url } = answer
        const level = status >= 500 ? 'ERROR' : 'WARNING'
        log(level, { type: 'ERROR', message: `Status ${status} ${statusText}`.trim(), status, url })
      }
      return answer
    } catch (e) {
      // Who gives up a request knows.
      if (!(e instanceof DOMException && e.name === 'AbortError'))
        log('ERROR', { type: 'ERROR', message: 'Network Request Failed', error: e })
      throw e
    }

    function log(level: Level, response: Readonly<Record<string, unknown>>): void {
      const request = input instanceof Request ? input : undefined
      const url = new URL(request?.url ?? `${input}`, document.baseURI)
      const path = url.pathname.replace(/^\/{2,}/, '/')
      if (ignore.some((beginning) => path.startsWith(beginning))) return
      const { body } = init ?? {}
      note(level, 'Failed Network Request', {
        request: {
          type: 'REQUEST',
          message: 'Network Request',
          method: init?.method ?? request?.method ?? 'GET',
          url: url.href,
          body: typeof body === 'string' || body instanceof URLSearchParams ? body : undefined,
        },
        response: {
          url: url.href,
          responseTime: `${Math.round(performance.now() - began)} ms`,
          ...response,
        },
      })
    }
  })
}
