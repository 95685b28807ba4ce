import { said } from './json.ts'

/** Who a token is for. One that does not say, as an API key, is for a number that does not give it away. */
export function userOf(token: string | undefined): string | undefined {
  if (!token) return undefined
  const payload = token.split('.')[1] ?? ''
  try {
    const { sub } = said<{ sub: string }>(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    if (sub) return sub
  } catch {}
  let sum = 0
  for (const c of token) sum = (33 * sum + c.charCodeAt(0)) % 2 ** 47
  return `key ${sum}`
}
