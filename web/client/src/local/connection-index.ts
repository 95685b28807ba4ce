import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import { Adjacency } from './adjacency.ts'

/** Connections by where they start, where they end, and by their type. */
export class ConnectionIndex {
  readonly out: Adjacency<Connection>
  readonly in: Adjacency<Connection>
  readonly ofType: Adjacency<Connection>
  readonly #parts: readonly Adjacency<Connection>[]

  /** All lists what is to be in the index, whenever a part of it is built. */
  constructor(all: () => Iterable<Connection>) {
    const by = (at: (c: Connection) => Id) => new Adjacency(at, all)
    this.out = by((c) => c.from)
    this.in = by((c) => c.to)
    this.ofType = by((c) => c.type)
    this.#parts = [this.out, this.in, this.ofType]
  }

  add(c: Connection): void {
    for (const part of this.#parts) part.add(c)
  }

  delete(c: Connection): void {
    for (const part of this.#parts) part.delete(c)
  }

  /** Every connection that has the concept as an end or as its type. */
  at(id: Id): Set<Connection> {
    return new Set(this.#parts.flatMap((part) => part.get(id)))
  }
}
