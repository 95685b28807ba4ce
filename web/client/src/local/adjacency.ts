import { byAge } from '../composition/reader.ts'
import type { Id } from '../graph/id.ts'

interface Named {
  readonly id: Id
}

const none: readonly never[] = []

/**
 * Connections by the id they are at, oldest first: by one of their ends, or by their type; concepts by
 * theirs, or by value. Built from all that are to be in it when asked for while it is empty, and kept up to date from then on.
 */
export class Adjacency<T extends Named, K = Id> {
  readonly #at: (c: T) => K
  readonly #all: () => Iterable<T>
  readonly #lists = new Map<K, T[]>()

  constructor(at: (c: T) => K, all: () => Iterable<T>) {
    this.#at = at
    this.#all = all
  }

  get(at: K): readonly T[] {
    if (this.#lists.size === 0) for (const c of this.#all()) this.#put(c)
    return this.#lists.get(at) ?? none
  }

  add(c: T): void {
    if (this.#lists.size > 0) this.#put(c)
  }

  delete(c: T): void {
    const list = this.#lists.get(this.#at(c))
    if (list === undefined) return
    const i = place(list, c.id)
    if (list[i] === c) list.splice(i, 1)
    if (list.length === 0) this.#lists.delete(this.#at(c))
  }

  /** New ones are nearly always the youngest. */
  #put(c: T): void {
    const at = this.#at(c)
    const list = this.#lists.get(at)
    if (list === undefined) this.#lists.set(at, [c])
    else if (byAge((list[list.length - 1] as T).id, c.id) < 0) list.push(c)
    else list.splice(place(list, c.id), 0, c)
  }
}

/** Where the first one stands that is not older. */
function place(list: readonly Named[], id: Id): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (byAge((list[middle] as Named).id, id) < 0) low = middle + 1
    else high = middle
  }
  return low
}
