import { WeftError } from '@weft/client'

type Fetch = (path: string, init?: RequestInit) => Promise<Response>

/** Sends a request and returns the JSON of its response. Rejects with a WeftError that has the server's message. */
export async function requestJson(
  path: string,
  init?: RequestInit,
  send: Fetch = fetch,
): Promise<unknown> {
  const response = await send(path, init)
  const json: unknown = await response.json().catch(() => ({}))
  if (response.ok) return json
  const { message = `the server responded with ${response.status}` } = json as { message?: string }
  throw new WeftError(response.status === 401 ? 'unauthorized' : 'invalid', message)
}

/** Returns the options of a POST request with a JSON body. */
export const postJson = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})
