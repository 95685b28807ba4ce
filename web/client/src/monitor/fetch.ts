import type { Level, Logger } from '../logger/index.ts'
import { replaceMember } from './replace.ts'

/**
 * Logs requests that failed or received an error response. Returns a function that restores `fetch`.
 *
 * @param isIgnored reports whether requests to an address are not logged
 */
export function watchFetch(
  log: Logger['logApplication'],
  isIgnored: (address: URL) => boolean,
): () => void {
  return replaceMember(globalThis, 'fetch', (original) => async (input, init) => {
    const startedAt = performance.now()
    try {
      const response = await original.call(globalThis, input, init)
      const isOpaque = response.type === 'opaque' || response.type === 'opaqueredirect'
      if (!response.ok && !isOpaque) {
        const { status, statusText } = response
        const level = status >= 500 ? 'ERROR' : 'WARNING'
        logFailure(level, `Status ${status} ${statusText}`.trim(), { status })
      }
      return response
    } catch (e) {
      const { aborted } = init?.signal ?? (input as Partial<Request>).signal ?? {}
      // An aborted request is logged only after a timeout. Otherwise the page aborted it on purpose.
      if (!aborted || (e as Partial<Error> | undefined)?.name === 'TimeoutError')
        logFailure('ERROR', 'Network Request Failed', { error: e })
      throw e
    }

    function logFailure(
      level: Level,
      message: string,
      details: Readonly<Record<string, unknown>>,
    ): void {
      const request = input instanceof Request ? input : undefined
      const target = request?.url ?? `${input}`
      const address = URL.canParse(target, document.baseURI) && new URL(target, document.baseURI)
      if (address && isIgnored(address)) return
      const url = address ? address.href : target
      const { body } = init ?? {}
      log(level, 'Failed Network Request', {
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
          responseTime: `${Math.round(performance.now() - startedAt)} ms`,
          ...details,
        },
      })
    }
  })
}
