/**
 * Replaces a member of an object by a wrapper. Returns a function that restores the original. It does nothing if other
 * code has replaced the wrapper in the meantime: that code may still call the wrapper, which from then on must only
 * call the original.
 */
export function replaceMember<T extends object, K extends keyof T>(
  owner: T,
  name: K,
  wrap: (original: T[K]) => T[K],
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name)
  const wrapper = wrap(owner[name])
  owner[name] = wrapper
  return () => {
    if (owner[name] !== wrapper) return
    if (descriptor) Object.defineProperty(owner, name, descriptor)
    else Reflect.deleteProperty(owner, name)
  }
}
