import type { Logger } from '../logger/index.ts'
import { replaceMember } from './replace.ts'

/**
 * Logs uncaught errors, unhandled rejections and calls of `console.error`. Returns a function that restores the
 * console.
 */
export function watchErrors(log: Logger['logApplication'], signal: AbortSignal): () => void {
  addEventListener(
    'error',
    ({ message, filename, lineno, colno, error }) =>
      log('ERROR', 'Runtime Error', {
        message,
        source: filename,
        lineno,
        colno,
        stack: (error as Partial<Error> | null)?.stack,
      }),
    { signal },
  )
  addEventListener(
    'unhandledrejection',
    ({ reason }) => {
      const { message, stack } = (reason ?? {}) as Partial<Error>
      log('ERROR', 'Unhandled Promise Rejection', { message: message ?? reason, stack })
    },
    { signal },
  )
  return replaceMember(console, 'error', (original) => (...args: unknown[]) => {
    original.apply(console, args)
    log('ERROR', 'Console Error', { arguments: args })
  })
}
