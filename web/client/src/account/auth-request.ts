import { type ErrorKind, WeftError } from '../model/error.ts'
import type { Profile, Session } from './stored-profile.ts'

/** Time limit of one request, in milliseconds. */
const requestTimeout = 30_000

/** A decoded JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>

/**
 * Sends a request to a path of the server. Rejects with `unavailable` if no response arrives within 30 seconds, and
 * with `invalid` for a path on another origin. If `init.signal` aborts, rejects with the reason of the signal.
 */
export async function sendRequest(
  url: string,
  path: string,
  init: RequestInit,
  token?: string,
): Promise<Response> {
  const address = new URL(path, url)
  if (address.origin !== new URL(url).origin)
    throw new WeftError('invalid', `${path} is not a path of the server`)
  const headers = new Headers(init.headers)
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
  try {
    const signal = AbortSignal.any([
      ...(init.signal ? [init.signal] : []),
      AbortSignal.timeout(requestTimeout),
    ])
    return await fetch(address, { ...init, headers, signal })
  } catch (e) {
    if (init.signal?.aborted) throw e
    throw new WeftError('unavailable', 'the server does not respond; is there a network?', e)
  }
}

/** Reads the JSON object of a response. Rejects with the server's kind and message for an error response. */
export async function readResponse(response: Response): Promise<JsonRecord> {
  const json: unknown = await response.json().catch(() => undefined)
  const record = (typeof json === 'object' && json !== null ? json : {}) as JsonRecord
  if (response.ok) return record
  const { kind, message } = record as { kind?: ErrorKind; message?: string }
  const [defaultKind, defaultMessage] = defaultErrorOf(response.status)
  throw new WeftError(kind ?? defaultKind, message || defaultMessage)
}

/** The error for a response without an error body. The wire contract prescribes the messages for 404 and 500. */
function defaultErrorOf(status: number): [ErrorKind, string] {
  if (status === 404) return ['notFound', '404, Not found']
  if (status === 500) return ['internal', '500, internal server error']
  return [status === 401 ? 'unauthorized' : 'unavailable', `the server responded with ${status}`]
}

/** Returns the options of a POST request with a JSON body. */
export const jsonRequest = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

export const postJson = async (url: string, path: string, body: unknown): Promise<JsonRecord> =>
  readResponse(await sendRequest(url, path, jsonRequest(body)))

/** Decodes the session in the response to a sign-in or a renewal. */
export function decodeSession(json: JsonRecord): Session {
  const { data } = json as { data?: JsonRecord }
  const { refreshtoken, token } = data ?? {}
  if (typeof token !== 'string' || typeof refreshtoken !== 'string')
    throw new WeftError('internal', 'the response to the sign-in or renewal has no tokens')
  return { profile: decodeProfile(data ?? {}), refresh: refreshtoken }
}

/** Decodes the members of a profile that are stored. */
export function decodeProfile(data: JsonRecord): Profile {
  const { token, expires, email, userConcept, entity, entityDetails, roles, confirmed } = data
  return {
    token: String(token),
    expires: String(expires),
    email: String(email),
    userConcept: Number(userConcept),
    entity: (entity ?? []) as Profile['entity'],
    entityDetails: (entityDetails ?? { id: 0 }) as Profile['entityDetails'],
    roles: (roles ?? []) as readonly string[],
    confirmed: typeof confirmed === 'string' ? confirmed : undefined,
  }
}
