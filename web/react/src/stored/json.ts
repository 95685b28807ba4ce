/**
 * Readers of JSON of unknown shape. Each returns an empty value instead of throwing when the shape is not as expected.
 */

/** Returns an own property of an object; undefined for anything else. */
export function memberOf(json: unknown, key: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, key)) return undefined
  return (json as Record<string, unknown>)[key]
}

/**
 * Returns the string under a key. Page builders store missing values as the words in `missingValues`; these words
 * become "".
 */
export function textIn(json: unknown, key: string): string {
  const value = memberOf(json, key)
  return typeof value !== 'string' || missingValues.has(value) ? '' : value
}

const missingValues = new Set(['undefined', 'null', 'NaN'])

/** Returns the id under a key; 0 when it is not a safe integer. */
export function idIn(json: unknown, key = 'id'): number {
  const id = memberOf(json, key)
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : 0
}

/** Returns the array under a key; an empty one when there is none. */
export function listIn(json: unknown, key: string): readonly unknown[] {
  const list = memberOf(json, key)
  return Array.isArray(list) ? list : []
}
