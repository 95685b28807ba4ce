import { parseRecord } from './json.ts'

/**
 * Returns the user id in a token, without verifying the token; undefined without a token. An API key contains no user
 * id. For a key, returns a checksum that does not reveal it.
 */
export function userFromToken(token: string | undefined): string | undefined {
  if (!token) return undefined
  const payload = token.split('.')[1] ?? ''
  try {
    const json = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const { sub } = parseRecord<{ sub: string }>(json)
    if (sub) return sub
  } catch {}
  let checksum = 0
  for (const c of token) checksum = (33 * checksum + c.charCodeAt(0)) % 2 ** 47
  return `key ${checksum}`
}
