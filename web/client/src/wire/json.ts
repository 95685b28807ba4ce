/** The record a text says, as far as it says one. */
export function said<T>(text: string): Partial<T> {
  const json = parse(text)
  return isRecord(json) ? (json as Partial<T>) : {}
}

/** The value a text says, or undefined. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isRecord = (x: unknown): x is Record<string, unknown> =>
  typeof x === 'object' && x !== null && !Array.isArray(x)
