/**
 * Replaces each part of `next` that equals the same part of `old` by the object in `old`, and returns `old` itself if
 * everything is equal. Both are plain data and dates, without cycles. Modifies `next`. Costs one visit of each key.
 */
export function reuseEqualParts<T>(old: unknown, next: T): T {
  if (Object.is(old, next) || !isObject(old) || !isObject(next)) return next
  if (Array.isArray(old) !== Array.isArray(next)) return next
  if (next instanceof Date) return old instanceof Date && +old === +next ? (old as T) : next
  const target: Record<string, unknown> = next
  const oldKeys = Object.keys(old)
  const keys = Object.keys(target)
  let isEqual = keys.length === oldKeys.length
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    const oldPart = old[key]
    const nextPart = target[key]
    const part = reuseEqualParts(oldPart, nextPart)
    if (part !== nextPart) target[key] = part
    isEqual &&= oldKeys[i] === key && part === oldPart
  }
  return isEqual ? (old as T) : next
}

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === 'object' && x !== null
