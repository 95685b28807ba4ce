import type { Graph } from '../local/graph.ts'
import { type Id, isReal } from '../model/id.ts'

/** Numbers of uses of concepts and connections, by id. */
export interface Counts {
  readonly concepts: Readonly<Record<string, number>>
  readonly connections: Readonly<Record<string, number>>
}

export type Kind = keyof Counts

export const kinds: readonly Kind[] = ['concepts', 'connections']

/**
 * Counts the uses of one graph by one user. Counts from before a sign-in belong to the user who signs in. All counts
 * are cleared when the user or the server's store changes.
 */
export class UsageCounts {
  readonly #graph: Graph
  readonly #counts = { concepts: new Map<Id, number>(), connections: new Map<Id, number>() }
  /**
   * Reads of whole records, by id. The concepts inside a record are counted only when the counts are needed, not at
   * each read.
   */
  readonly #records = new Map<Id, number>()
  #user: string | undefined
  #store: string | undefined

  constructor(graph: Graph) {
    this.#graph = graph
  }

  add(kind: Kind, id: Id, uses = 1): void {
    this.#increase(this.#counts[kind], id, uses)
  }

  addRecord(id: Id): void {
    this.#increase(this.#records, id, 1)
  }

  /** Lists the counts, highest first, by real id where one is known. */
  rank(kind: Kind): [Id, number][] {
    this.#countMembers()
    const counts = this.#counts[kind]
    const resolve = kind === 'concepts' ? 'real' : 'realConnection'
    for (const [id, uses] of counts) {
      const real = this.#graph[resolve](id)
      if (real === id) continue
      counts.delete(id)
      this.#increase(counts, real, uses)
    }
    return [...counts].sort(([, x], [, y]) => y - x)
  }

  /** Returns the highest counts of real ids, at most `maxIds` in all. */
  snapshot(maxIds: number): Counts {
    const counts: Record<Kind, Record<string, number>> = { concepts: {}, connections: {} }
    let idsLeft = maxIds
    for (const kind of kinds)
      for (const [id, uses] of this.rank(kind))
        if (isReal(id) && idsLeft-- > 0) counts[kind][id] = uses
    return counts
  }

  /** Subtracts counts that the server has received. */
  subtract(received: Counts): void {
    for (const kind of kinds)
      for (const [id, uses] of Object.entries(received[kind])) {
        const counts = this.#counts[kind]
        const remaining = (counts.get(+id) ?? 0) - uses
        if (remaining > 0) counts.set(+id, remaining)
        else counts.delete(+id)
      }
  }

  /** Counts the members of the records read since the last call. */
  #countMembers(): void {
    this.#clearIfReplaced()
    for (const [record, uses] of this.#records) {
      this.add('concepts', record, uses)
      for (const { id, to } of this.#graph.connectionsOfType(record)) {
        this.add('connections', id, uses)
        this.add('concepts', to, uses)
      }
    }
    this.#records.clear()
  }

  #increase(counts: Map<Id, number>, id: Id, uses: number): void {
    this.#clearIfReplaced()
    // Id 0 means "no record".
    if (id) counts.set(id, (counts.get(id) ?? 0) + uses)
  }

  #clearIfReplaced(): void {
    const { user, store } = this.#graph
    if (isReplaced(this.#user, user) || isReplaced(this.#store, store)) {
      for (const kind of kinds) this.#counts[kind].clear()
      this.#records.clear()
    }
    this.#user = user
    this.#store = store
  }
}

const isReplaced = (previous: string | undefined, current: string | undefined): boolean =>
  previous !== undefined && previous !== current
