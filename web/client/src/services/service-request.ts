import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import { WeftError } from '../model/error.ts'
import { toRefusal } from '../wire/health.ts'
import { parseRecord } from '../wire/json.ts'

/**
 * Sends a request as the current user and returns the JSON object of the response. Rejects with a WeftError that has
 * the server's message, or with the reason of `init.signal` when that aborts.
 */
export async function request<T>(
  client: Client,
  path: string,
  init: RequestInit = {},
): Promise<Partial<T>> {
  let status: number
  let text: string
  try {
    const response = await internalsOf(client).http.fetchWithToken(path, init)
    status = response.status
    text = await response.text()
  } catch (e) {
    throw init.signal?.aborted ? e : noResponseError(path, e)
  }
  return readResponse<T>(status, text, path)
}

export const noResponseError = (path: string, cause?: unknown): WeftError =>
  new WeftError('unavailable', `${path} received no response`, cause)

/**
 * Reads the JSON object of a response.
 *
 * @param defaultMessage the message of the error if the error response has no message
 */
export function readResponse<T>(
  status: number,
  text: string,
  path: string,
  defaultMessage?: string,
): Partial<T> {
  const record = parseRecord<T & { message: string }>(text)
  if (status >= 200 && status < 300) return record
  const error = toRefusal(status, text, path)
  throw defaultMessage && !record.message ? new WeftError(error.kind, defaultMessage) : error
}

/** Returns the options of a POST request with a JSON body. */
export const jsonRequest = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})
