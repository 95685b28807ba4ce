import { type ErrorKind, WeftError } from '@weft/client'
import { account } from './client.ts'

export { errorText } from './error-text.ts'

/**
 * Sends a request to a path of the server as the signed-in user, and returns the JSON of its response. `init.json` is sent as
 * the body, by POST unless `init.method` is set. Rejects with a `WeftError` that has the message and kind of the server's
 * error, or the kind `unavailable` if the server cannot be reached.
 */
export async function request<T>(path: string, init: RequestOptions = {}): Promise<T> {
  return (await send<T>(path, init)).body
}

/** A page of a list. */
export interface Page<T> {
  readonly rows: readonly T[]
  /** The cursor of the next page; empty after the last. */
  readonly next: string
}

/** Loads a page of a list. The response has the cursor of the next page in the header `X-Weft-After`. */
export async function requestPage<T>(path: string): Promise<Page<T>> {
  const { body, headers } = await send<readonly T[]>(path)
  return { rows: body, next: headers.get('X-Weft-After') ?? '' }
}

async function send<T>(
  path: string,
  init: RequestOptions = {},
): Promise<{ body: T; headers: Headers }> {
  const { json, ...rest } = init
  const response = await account.fetch(
    path,
    json === undefined
      ? rest
      : {
          method: 'POST',
          ...rest,
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(json),
        },
  )
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return { body: body as T, headers: response.headers }
  const { kind, message } = (body ?? {}) as { kind?: ErrorKind; message?: string }
  throw new WeftError(
    kind ?? kindOf(response.status),
    message || `The server responded with ${response.status}.`,
  )
}

/** The options of `fetch`, and `json`: a value that is sent as the body. */
export interface RequestOptions extends RequestInit {
  readonly json?: unknown
}

function kindOf(status: number): ErrorKind {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'notFound'
  return status >= 500 ? 'unavailable' : 'invalid'
}
