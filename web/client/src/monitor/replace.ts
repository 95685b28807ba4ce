/**
 * Puts something in place of a member, made of what was there. Returns what puts that back, unless somebody else
 * put something on top meanwhile: then it stays, and must do nothing more than the original.
 */
export function replace<T extends object, K extends keyof T>(
  owner: T,
  name: K,
  make: (original: T[K]) => T[K],
): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name)
  const mine = make(owner[name])
  owner[name] = mine
  return () => {
    if (owner[name] !== mine) return
    if (own) Object.defineProperty(owner, name, own)
    else Reflect.deleteProperty(owner, name)
  }
}
