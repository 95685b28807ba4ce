import { WeftError } from '../model/error.ts'

/** Returns a received value that must be a list. Throws `internal` for anything else. */
export const expectList = (x: unknown): readonly unknown[] =>
  Array.isArray(x) ? x : throwMalformed('a list', x)

/** Returns a received value that must have a numeric id. Throws `internal` for anything else. */
export function expectRecord<T extends { readonly id: number }>(x: unknown): T {
  const record = x as T | null | undefined
  return typeof record?.id === 'number' ? record : throwMalformed('a record', x)
}

/** Throws `internal` with the type and the size of a malformed value, never its content, which may be a secret. */
export function throwMalformed(expected: string, seen: unknown): never {
  const text = JSON.stringify(seen)
  const size = text?.length ?? 0
  throw new WeftError('internal', `expected ${expected}, not ${typeof seen} (${size} characters)`)
}
