import { byAge } from '../composition/reader.ts'
import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'

const none: readonly Connection[] = []

/** The connections at each id, oldest first. New ones are nearly always the youngest. */
export class Adjacency {
  readonly #lists = new Map<Id, Connection[]>()

  get(id: Id): readonly Connection[] {
    return this.#lists.get(id) ?? none
  }

  add(id: Id, c: Connection): void {
    const list = this.#lists.get(id)
    if (list === undefined) this.#lists.set(id, [c])
    else if (byAge((list[list.length - 1] as Connection).id, c.id) < 0) list.push(c)
    else list.splice(place(list, c.id), 0, c)
  }

  delete(id: Id, c: Connection): void {
    const list = this.#lists.get(id)
    if (list === undefined) return
    const i = place(list, c.id)
    if (list[i] === c) list.splice(i, 1)
    if (list.length === 0) this.#lists.delete(id)
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
