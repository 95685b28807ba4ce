/**
 * The next value, built from as many pieces of the old one as are equal: the old one itself if they are
 * equal all through. Both are plain data without cycles.
 */
export function share<T>(old: unknown, next: T): T {
  if (Object.is(old, next) || !isPlain(old) || !isPlain(next)) return next
  if (Array.isArray(old) !== Array.isArray(next)) return next
  const into: Record<string, unknown> = next
  const oldKeys = Object.keys(old)
  const keys = Object.keys(into)
  let same = keys.length === oldKeys.length
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    const was = old[key]
    const is = into[key]
    const shared = share(was, is)
    if (shared !== is) into[key] = shared
    same &&= oldKeys[i] === key && shared === was
  }
  return same ? (old as T) : next
}

const isPlain = (x: unknown): x is Record<string, unknown> => typeof x === 'object' && x !== null
