import type { Level } from '../logger/index.ts'
import type { Note } from './monitor.ts'
import { replace } from './replace.ts'

/** Logs requests that failed, or were answered with an error, but those to addresses that are to be ignored. */
export function watchFetch(note: Note, ignored: (address: URL) => boolean): () => void {
  return replace(globalThis, 'fetch', (original) => async (input, init) => {
    const began = performance.now()
    try {
      const answer = await original.call(globalThis, input, init)
      if (!answer.ok && answer.type !== 'opaque' && answer.type !== 'opaqueredirect') {
        const { status, statusText } = answer
        log(status >= 500 ? 'ERROR' : 'WARNING', `Status ${status} ${statusText}`.trim(), {
          status,
        })
      }
      return answer
    } catch (e) {
      const { aborted } = init?.signal ?? (input as Partial<Request>).signal ?? {}
      // Who gives up a request knows.
      if (!aborted || (e as Partial<Error> | undefined)?.name === 'TimeoutError')
        log('ERROR', 'Network Request Failed', { error: e })
      throw e
    }

    function log(level: Level, message: string, more: Readonly<Record<string, unknown>>): void {
      const request = input instanceof Request ? input : undefined
      const given = request?.url ?? `${input}`
      const address = URL.canParse(given, document.baseURI) && new URL(given, document.baseURI)
      if (address && ignored(address)) return
      const url = address ? address.href : given
      const { body } = init ?? {}
      note(level, 'Failed Network Request', {
        request: {
          type: 'REQUEST',
          message: 'Network Request',
          method: init?.method ?? request?.method ?? 'GET',
          url,
          body: typeof body === 'string' || body instanceof URLSearchParams ? `${body}` : undefined,
        },
        response: {
          type: 'ERROR',
          message,
          url,
          responseTime: `${Math.round(performance.now() - began)} ms`,
          ...more,
        },
      })
    }
  })
}
