/** For programs, and there are few. `unavailable` means that the same request may succeed later. */
export type ErrorKind =
  | 'invalid'
  | 'notFound'
  | 'conflict'
  | 'unauthorized'
  | 'forbidden'
  | 'tooLarge'
  | 'unavailable'
  | 'internal'

/** A kind for programs, a sentence for people that says what was seen. */
export class WeftError extends Error {
  override readonly name = 'WeftError'
  readonly kind: ErrorKind

  constructor(kind: ErrorKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/** The error itself when it is one of ours; anything else is our fault. */
export const asWeftError = (error: unknown): WeftError =>
  error instanceof WeftError ? error : new WeftError('internal', String(error), error)
