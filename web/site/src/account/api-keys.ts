import { postJson, requestJson } from '../request-json.ts'
import { account } from './client.ts'

/** An API key without its secret text. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly write: boolean
  /** Time of the last use in ISO 8601; null if the key has not been used. */
  readonly used: string | null
}

export const listKeys = async (): Promise<readonly ApiKey[]> =>
  (await requestJson('/api/auth/keys', undefined, account.fetch)) as readonly ApiKey[]

/** Creates a key and returns its secret text, which the server does not show again. */
export async function createKey(name: string, write: boolean): Promise<string> {
  const { key } = (await requestJson(
    '/api/auth/keys',
    postJson({ name, write }),
    account.fetch,
  )) as { key: string }
  return key
}

export async function revokeKey(id: string): Promise<void> {
  const path = `/api/auth/keys?id=${encodeURIComponent(id)}`
  await requestJson(path, { method: 'DELETE' }, account.fetch)
}
