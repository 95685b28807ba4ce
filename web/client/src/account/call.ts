import { type ErrorKind, WeftError } from '../graph/error.ts'
import type { Profile, Session } from './profile.ts'

/** A record that a server said. */
export type Said = Readonly<Record<string, unknown>>

/** Asks a server. Rejects with `unavailable` when it does not answer, `invalid` for a path that leads to another. */
export async function send(
  url: string,
  path: string,
  init: RequestInit,
  token?: string,
): Promise<Response> {
  const address = new URL(path, url)
  if (address.origin !== new URL(url).origin)
    throw new WeftError('invalid', `${path} is no path of the server`)
  const headers = new Headers(init.headers)
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
  try {
    const signal = AbortSignal.any([
      ...(init.signal ? [init.signal] : []),
      AbortSignal.timeout(30_000),
    ])
    return await fetch(address, { ...init, headers, signal })
  } catch (e) {
    if (init.signal?.aborted) throw e
    throw new WeftError('unavailable', 'the server does not answer; is there a network?', e)
  }
}

/** What an answer says. Rejects with the server's words when it is a refusal. */
export async function said(answer: Response): Promise<Said> {
  const json: unknown = await answer.json().catch(() => undefined)
  const record = (typeof json === 'object' && json !== null ? json : {}) as Said
  if (answer.ok) return record
  const { kind, message } = record as { kind?: ErrorKind; message?: string }
  const [usual, ours] = usualOf(answer.status)
  throw new WeftError(kind ?? usual, message || ours)
}

/** For a refusal that says nothing. The texts for 404 and 500 are the contract's. */
function usualOf(status: number): [ErrorKind, string] {
  if (status === 404) return ['notFound', '404, Not found']
  if (status === 500) return ['internal', '500, internal server error']
  return [status === 401 ? 'unauthorized' : 'unavailable', `the server answered ${status}`]
}

/** A body of JSON, and what says so. */
export const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

export const post = async (url: string, path: string, body: unknown): Promise<Said> =>
  said(await send(url, path, json(body)))

/** The session in an answer to a sign-in. */
export function sessionOf(answer: Said): Session {
  const { data } = answer as { data?: Said }
  const { refreshtoken, token } = data ?? {}
  if (typeof token !== 'string' || typeof refreshtoken !== 'string')
    throw new WeftError('internal', 'the server signed in without tokens')
  return { profile: profileOf(data ?? {}), refresh: refreshtoken }
}

/** What is kept of what a server says about somebody. */
export function profileOf(data: Said): Profile {
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
