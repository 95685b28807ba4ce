import { type Id, isReal } from '../graph/id.ts'
import type { Graph } from '../local/graph.ts'

/** How often concepts and connections were used, by their ids. */
export interface Counts {
  readonly concepts: Readonly<Record<string, number>>
  readonly connections: Readonly<Record<string, number>>
}

export type Kind = keyof Counts

export const kinds: readonly Kind[] = ['concepts', 'connections']

/**
 * The uses of one graph by one user. Who reads before they sign in is the one who signs in; what somebody else
 * read, or another store held, is nobody's business any more.
 */
export class Uses {
  readonly #graph: Graph
  readonly #of = { concepts: new Map<Id, number>(), connections: new Map<Id, number>() }
  /** Records that were read. What is inside them is looked up when the uses are looked at, not at each read. */
  readonly #records = new Map<Id, number>()
  #user: string | undefined
  #store: string | undefined

  constructor(graph: Graph) {
    this.#graph = graph
  }

  add(kind: Kind, id: Id, uses = 1): void {
    this.#more(this.#of[kind], id, uses)
  }

  addRecord(id: Id): void {
    this.#more(this.#records, id, 1)
  }

  /** The uses by the ids that the server knows, as far as it does; those used most first. */
  ranked(kind: Kind): [Id, number][] {
    this.#spread()
    const all = this.#of[kind]
    const real = kind === 'concepts' ? 'real' : 'realConnection'
    for (const [id, uses] of all) {
      const known = this.#graph[real](id)
      if (known === id) continue
      all.delete(id)
      this.#more(all, known, uses)
    }
    return [...all].sort(([, x], [, y]) => y - x)
  }

  /** Uses as the server is told of them: of real ids, and of so many at most. */
  counts(most: number): Counts {
    const counts: Record<Kind, Record<string, number>> = { concepts: {}, connections: {} }
    for (const kind of kinds)
      for (const [id, uses] of this.ranked(kind))
        if (isReal(id) && most-- > 0) counts[kind][id] = uses
    return counts
  }

  /** Forgets uses that were counted elsewhere. */
  subtract(counts: Counts): void {
    for (const kind of kinds)
      for (const [id, uses] of Object.entries(counts[kind])) {
        const all = this.#of[kind]
        const left = (all.get(+id) ?? 0) - uses
        if (left > 0) all.set(+id, left)
        else all.delete(+id)
      }
  }

  /** A record is used with all that is inside. */
  #spread(): void {
    this.#turn()
    for (const [record, uses] of this.#records) {
      this.add('concepts', record, uses)
      for (const { id, to } of this.#graph.links(record)) {
        this.add('connections', id, uses)
        this.add('concepts', to, uses)
      }
    }
    this.#records.clear()
  }

  #more(counts: Map<Id, number>, id: Id, uses: number): void {
    this.#turn()
    // Zero is nobody.
    if (id) counts.set(id, (counts.get(id) ?? 0) + uses)
  }

  #turn(): void {
    const { user, store } = this.#graph
    if (other(this.#user, user) || other(this.#store, store)) {
      for (const kind of kinds) this.#of[kind].clear()
      this.#records.clear()
    }
    this.#user = user
    this.#store = store
  }
}

const other = (was: string | undefined, is: string | undefined) => was !== undefined && was !== is
