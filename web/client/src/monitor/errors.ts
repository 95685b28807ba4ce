import type { Note } from './monitor.ts'
import { replace } from './replace.ts'

/** Logs errors that nobody caught, and what is written to the console as one. */
export function watchErrors(note: Note, signal: AbortSignal): () => void {
  addEventListener(
    'error',
    ({ message, filename, lineno, colno, error }) =>
      note('ERROR', 'Runtime Error', {
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
      note('ERROR', 'Unhandled Promise Rejection', { message: message ?? reason, stack })
    },
    { signal },
  )
  return replace(console, 'error', (original) => (...given: unknown[]) => {
    original.apply(console, given)
    note('ERROR', 'Console Error', { arguments: given })
  })
}
