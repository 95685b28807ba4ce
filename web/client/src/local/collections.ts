import type { Id } from '../model/id.ts'

/** Adds to the set at a key. */
export function addToSet<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key)
  if (set) set.add(value)
  else sets.set(key, new Set([value]))
}

/** A multiset of ids. */
export class Counts {
  readonly #counts = new Map<Id, number>()

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  has(id: Id): boolean {
    return this.#counts.size > 0 && this.#counts.has(id)
  }

  ids(): Iterable<Id> {
    return this.#counts.keys()
  }

  /** Adds one occurrence of an id. Reports whether it is the first. */
  increment(id: Id): boolean {
    const n = this.#counts.get(id) ?? 0
    this.#counts.set(id, n + 1)
    return n === 0
  }

  /** Removes one occurrence of an id. Reports whether it was the last; false if there was none. */
  decrement(id: Id): boolean {
    const n = this.#counts.get(id) ?? 0
    if (n > 1) this.#counts.set(id, n - 1)
    else this.#counts.delete(id)
    return n === 1
  }

  /** Adds the count of one id to that of another. */
  move(from: Id, to: Id): void {
    const n = this.#counts.get(from)
    if (n === undefined) return
    this.#counts.delete(from)
    this.#counts.set(to, (this.#counts.get(to) ?? 0) + n)
  }
}
