import { byAge } from '../composition/reader.ts'
import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'

const none: readonly Connection[] = []

/**
 * Connections by the id they are at, oldest first: by one of their ends, or by their type. Built from all
 * that are to be in it when first asked for, and kept up to date from then on.
 */
export class Adjacency {
  readonly #at: (c: Connection) => Id
  readonly #all: () => Iterable<Connection>
  #lists: Map<Id, Connection[]> | undefined

  constructor(at: (c: Connection) => Id, all: () => Iterable<Connection>) {
    this.#at = at
    this.#all = all
  }

  get(id: Id): readonly Connection[] {
    return (this.#lists ?? this.#build()).get(id) ?? none
  }

  /** New connections are nearly always the youngest. */
  add(c: Connection): void {
    const list = this.#lists?.get(this.#at(c))
    if (list === undefined) this.#lists?.set(this.#at(c), [c])
    else if (byAge((list[list.length - 1] as Connection).id, c.id) < 0) list.push(c)
    else list.splice(place(list, c.id), 0, c)
  }

  delete(c: Connection): void {
    const list = this.#lists?.get(this.#at(c))
    if (list === undefined) return
    const i = place(list, c.id)
    if (list[i] === c) list.splice(i, 1)
    if (list.length === 0) this.#lists?.delete(this.#at(c))
  }

  #build(): Map<Id, Connection[]> {
    this.#lists = new Map()
    for (const c of this.#all()) this.add(c)
    return this.#lists
  }
}

/** Where the first connection stands that is not older. */
function place(list: readonly Connection[], id: Id): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (byAge((list[middle] as Connection).id, id) < 0) low = middle + 1
    else high = middle
  }
  return low
}
