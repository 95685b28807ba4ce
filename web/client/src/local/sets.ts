/** Adds to the set at a key. */
export function addTo<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key)
  if (set) set.add(value)
  else sets.set(key, new Set([value]))
}
