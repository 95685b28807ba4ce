import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import { Adjacency } from './adjacency.ts'

/** Connections by where they start, where they end, and by their type. */
export class ConnectionIndex {
  readonly out: Adjacency<Connection>
  readonly in: Adjacency<Connection>
  readonly ofType: Adjacency<Connection>

  /** All lists what is to be in the index, whenever a part of it is built. */
  constructor(all: () => Iterable<Connection>) {
    this.out = new Adjacency((c) => c.from, all)
    this.in = new Adjacency((c) => c.to, all)
    this.ofType = new Adjacency((c) => c.type, all)
  }

  add(c: Connection): void {
    this.out.add(c)
    this.in.add(c)
    this.ofType.add(c)
  }

  delete(c: Connection): void {
    this.out.delete(c)
    this.in.delete(c)
    this.ofType.delete(c)
  }

  /** Every connection that has the concept as an end or as its type. */
  at(id: Id): Set<Connection> {
    return new Set([...this.out.get(id), ...this.in.get(id), ...this.ofType.get(id)])
  }
}
