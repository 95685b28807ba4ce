import { type Id, isReal } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import { others } from './needs.ts'
import type { PendingWrite } from './status.ts'

/** A write on its way. */
export interface Entry {
  m: Mutation
  /** On disk, or as near to it as this browser gets. */
  saved: boolean
  /** For whoever must wait until it is. */
  saving?: Promise<void>
  /** For whoever waits for the server, and what ends the waiting. */
  synced?: Promise<Id>
  end?: (outcome: Promise<Id>) => void
}

/** What ends when the server has a write, or never will. */
export function syncedOf(entry: Entry): Promise<Id> {
  entry.synced ??= new Promise((end) => {
    entry.end = end
  })
  return entry.synced
}

/** The writes the server has not taken yet, in order. The graph shows each for as long as it is here. */
export class Pending {
  readonly #graph: Graph
  readonly #changed: () => void
  readonly #entries = new Map<string, Entry>()
  /** Keys of writes that are over, should somebody still speak of them. */
  readonly #over = new Set<string>()
  /** The writes of those who are not signed in now, of which the graph shows nothing. */
  #away: Entry[] = []
  #states: Map<Id, PendingWrite['state']> | undefined

  /** Calls changed after whatever changes. */
  constructor(graph: Graph, changed: () => void) {
    this.#graph = graph
    this.#changed = changed
  }

  /** Takes a write in, unless it is here, or over, already. */
  add(entry: Entry): void {
    const { m } = entry
    if (this.knows(m.key)) return
    if (!this.isShown(m)) {
      this.#away.push(entry)
      return
    }
    this.#entries.set(m.key, entry)
    if (m.store && this.#isLost(m)) entry.m = lost(m)
    this.#graph.apply(entry.m)
    this.touch(m)
  }

  /** The graph is of another store now. Returns the writes that were for what the old one held. */
  move(): Mutation[] {
    const gone = this.entries().filter((e) => this.#isLost(e.m))
    this.signedIn(() => {
      for (const entry of gone) entry.m = lost(entry.m)
      this.#graph.move()
    })
    return gone.map((e) => e.m)
  }

  /** The graph is for somebody else now, or for other data. */
  signedIn(change?: () => void): void {
    const entries = this.entries()
    for (const { m } of entries) {
      this.#graph.undo(m)
      this.touch(m)
    }
    this.#graph.clear()
    change?.()
    entries.push(...this.#away)
    this.#away = []
    this.#entries.clear()
    for (const entry of entries) this.add(entry)
  }

  /** Takes in writes that are older than all those here. */
  precede(left: readonly Mutation[]): void {
    const younger = this.entries()
    this.#entries.clear()
    for (const m of left) this.add({ m, saved: true })
    for (const entry of younger) this.#entries.set(entry.m.key, entry)
  }

  /** Puts writes in the order they have on disk. Those not there yet come last. */
  order(keys: readonly string[]): void {
    const all = new Map(this.#entries)
    this.#entries.clear()
    for (const key of [...keys, ...all.keys()]) {
      const entry = all.get(key)
      if (entry) this.#entries.set(key, entry)
    }
  }

  entries(): Entry[] {
    return [...this.#entries.values()]
  }

  /** Writes that are on disk, whoever made them. */
  saved(): Mutation[] {
    return [...this.entries(), ...this.#away].filter((e) => e.saved).map((e) => e.m)
  }

  mutations(): Mutation[] {
    return this.entries().map((e) => e.m)
  }

  /** A write that is shown, by its key. */
  mutation(key: string): Mutation | undefined {
    return this.#entries.get(key)?.m
  }

  /** From now on a write is not shown. */
  hide(entry: Entry): void {
    this.#graph.undo(entry.m)
    this.#entries.delete(entry.m.key)
    this.#away.push(entry)
  }

  /** Takes a write out, for good. */
  remove(key: string): Entry | undefined {
    const entry = this.find(key)
    this.#over.add(key)
    this.#entries.delete(key)
    return entry
  }

  /** Says whether the server has a write, or it was discarded. */
  isOver({ key }: Mutation): boolean {
    return this.#over.has(key)
  }

  /** The state of a record's writes; one that failed counts most. */
  state(id: Id): PendingWrite['state'] | undefined {
    this.#states ??= this.#statesNow()
    return this.#states.get(this.#graph.name(id))
  }

  /** Says whether a mutation is about what another store held. */
  #isLost(m: Mutation): boolean {
    const { store } = this.#graph
    return !!store && m.store !== store && others(m, this.#graph).some(isReal)
  }

  /** Says whether a write is here, or over. */
  knows(key: string): boolean {
    return this.#over.has(key) || this.find(key) !== undefined
  }

  find(key: string): Entry | undefined {
    return this.#entries.get(key) ?? this.#away.find((e) => e.m.key === key)
  }

  /** Says whether whoever is signed in made a mutation, or takes it over. */
  isShown({ user }: Mutation): boolean {
    return !user || user === this.#graph.user
  }

  #statesNow(): Map<Id, PendingWrite['state']> {
    const states = new Map<Id, PendingWrite['state']>()
    for (const m of this.mutations()) {
      const id = this.#graph.name(m.id)
      if (m.failed || !states.has(id)) states.set(id, stateOf(m))
    }
    return states
  }

  touch(m: Mutation): void {
    this.#states = undefined
    this.#graph.watchers.touch(this.#graph.name(m.id))
    if (m.type) this.#graph.watchers.touch(m.type)
    this.#changed()
  }
}

/** What may become another about a write. */
export type Mark = Partial<Pick<Mutation, 'failed' | 'held' | 'batch' | 'user'>>

/** What is left of a write for data that is no more. It is about no record, and nothing can be sent. */
const lost = (m: Mutation): Mutation => ({
  ...m,
  concepts: [],
  connections: [],
  removeConcepts: [],
  removeConnections: [],
  id: 0,
  failed: { kind: 'notFound', message: 'the server no longer has the data' },
})

export const stateOf = (m: Mutation): PendingWrite['state'] => (m.failed ? 'failed' : 'pending')
