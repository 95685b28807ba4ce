import { WeftError } from '@weft/client'
import { asWeftError } from '@weft/client/internal'

/**
 * The error with which calls reject. It is an Error that also has the members of the error object of the wire contract.
 * `data` is the kind of the WeftError.
 */
export class FreeschemaError extends Error {
  readonly ok = false
  readonly status: number
  readonly url: string
  readonly data: string

  constructor({ kind, message, cause }: WeftError, url = '') {
    super(message, { cause })
    this.status = typeof cause === 'number' ? cause : statusOfKind[kind]
    this.data = kind
    this.url = url
  }
}

const statusOfKind: Record<WeftError['kind'], number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  tooLarge: 413,
  unavailable: 500,
  internal: 500,
}

/** Converts an error to the form with which calls reject. */
export const toFreeschemaError = (error: unknown, url?: string): FreeschemaError =>
  error instanceof FreeschemaError ? error : new FreeschemaError(asWeftError(error), url)

/**
 * Waits for `work`. As the wire contract requires, rejects if the user is not signed in, the network fails or the
 * server fails. Resolves with `fallback` after any other error.
 */
export async function orFallback<T, F>(work: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await work
  } catch (e) {
    const error = toFreeschemaError(e)
    if (thrownStatuses.has(error.status)) throw error
    return fallback
  }
}

const thrownStatuses = new Set([401, 406, 500])

/** Waits for `work`. Converts each error to the form of the wire contract and rejects with it. */
export async function orThrow<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (e) {
    throw toFreeschemaError(e)
  }
}

export const refuse = (message: string): never => {
  throw new FreeschemaError(new WeftError('invalid', message))
}
