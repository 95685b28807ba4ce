/**
 * The next value, built from as many pieces of the old one as are equal: the old one itself if they are
 * equal all through. Both are plain data without cycles.
 */
export function share<T>(old: unknown, next: T): T {
  if (Object.is(old, next) || !isPlain(old) || !isPlain(next)) return next
  if (Array.isArray(old) !== Array.isArray(next)) return next
  const [a, b] = [old as Record<string, unknown>, next as Record<string, unknown>]
  const keys = Object.keys(b)
  const oldKeys = Object.keys(a)
  let same = keys.length === oldKeys.length
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    const was = a[key]
    const is = b[key]
    const shared = share(was, is)
    if (shared !== is) b[key] = shared
    if (oldKeys[i] !== key || shared !== was) same = false
  }
  return (same ? old : next) as T
}

const isPlain = (x: unknown): x is object => typeof x === 'object' && x !== null
