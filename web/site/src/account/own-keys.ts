import { account } from './own.ts'

/** A key that a program has, without its text. */
export interface Key {
  readonly id: string
  readonly name: string
  readonly write: boolean
  /** When it was used last, as ISO 8601; null when it was not. */
  readonly used: string | null
}

export const keys = async (): Promise<readonly Key[]> =>
  (await said('/api/auth/keys')) as readonly Key[]

/** Makes a key and returns its text, which nobody can see again. */
export async function newKey(name: string, write: boolean): Promise<string> {
  const { key } = (await said('/api/auth/keys', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, write }),
  })) as { key: string }
  return key
}

export async function endKey(id: string): Promise<void> {
  await said(`/api/auth/keys?id=${encodeURIComponent(id)}`, { method: 'DELETE' })
}

async function said(path: string, init?: RequestInit): Promise<unknown> {
  const answer = await account.fetch(path, init)
  const json = (await answer.json().catch(() => ({}))) as { message?: string }
  if (!answer.ok) throw new Error(json.message ?? `the server answered ${answer.status}`)
  return json
}
