/** Parses JSON. Returns undefined for malformed text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a JSON object whose members may all be missing. Returns `{}` for anything else. */
export function parseRecord<T>(text: string): Partial<T> {
  const json = parseJson(text)
  return isRecord(json) ? (json as Partial<T>) : {}
}

/** Reports whether a value is an object other than an array. */
export const isRecord = (x: unknown): x is Record<string, unknown> =>
  typeof x === 'object' && x !== null && !Array.isArray(x)
