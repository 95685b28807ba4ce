import { WeftError } from '../graph/error.ts'

/** Says how many characters of which kind of JSON came instead of what was expected. What they say may be a secret. */
export function malformed(expected: string, seen: unknown): never {
  const text = JSON.stringify(seen)
  throw new WeftError('internal', `expected ${expected}, not ${text?.length} of ${typeof seen}`)
}

/** A list that came over the network. */
export const listOf = (x: unknown): readonly unknown[] =>
  Array.isArray(x) ? x : malformed('a list', x)

/** A concept or a connection that came over the network. */
export function recordOf<T extends { readonly id: number }>(x: unknown): T {
  const record = x as T | null | undefined
  return typeof record?.id === 'number' ? record : malformed('a record', x)
}
