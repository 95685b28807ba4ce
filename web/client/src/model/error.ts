/** The kinds of error that programs distinguish. `unavailable` means that the same request may succeed later. */
export type ErrorKind =
  | 'invalid'
  | 'notFound'
  | 'conflict'
  | 'unauthorized'
  | 'forbidden'
  | 'tooLarge'
  | 'unavailable'
  | 'internal'

/** The rule of a schema that a refused write violates, and where it does. */
export interface Refused {
  /** The record, by its real or local id. */
  readonly record?: number
  /** Path of the field, such as `address.city` or `tags.0`. */
  readonly field?: string
  readonly rule?: string
}

/** An error with a kind for programs and a message for people. */
export class WeftError extends Error implements Refused {
  override readonly name = 'WeftError'
  readonly kind: ErrorKind
  declare readonly record?: number
  declare readonly field?: string
  declare readonly rule?: string

  constructor(kind: ErrorKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/** Returns only the members of `Refused`. They are undefined for an error that is not about a schema. */
export const placeOf = ({ record, field, rule }: Refused): Refused => ({
  ...(record !== undefined && { record }),
  ...(field !== undefined && { field }),
  ...(rule !== undefined && { rule }),
})

/** Returns a WeftError unchanged. Wraps anything else, which is a defect of this library, as an `internal` error. */
export const asWeftError = (error: unknown): WeftError =>
  error instanceof WeftError ? error : new WeftError('internal', String(error), error)
