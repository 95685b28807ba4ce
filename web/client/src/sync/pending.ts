import { WeftError } from '../graph/error.ts'
import { type Id, isLocal, isReal } from '../graph/id.ts'
import type { Mutation, Receipt } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import { ignore } from '../wire/http.ts'
import type { PendingWrite } from './status.ts'

/** A write on its way. */
export interface Entry {
  m: Mutation
  /** On disk, or as near to it as this browser gets. */
  saved: boolean
  /** For whoever made the write here and waits for the server, and what ends the waiting. */
  synced?: Promise<Id>
  end?: (id: Id | Promise<Id>) => void
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
    if (this.#find(m.key) || this.#over.has(m.key)) return
    if (!this.#isShown(m)) {
      this.#away.push(entry)
      return
    }
    this.#entries.set(m.key, entry)
    if (m.store && this.#isLost(m)) entry.m = lost(m)
    this.#graph.apply(entry.m)
    this.#touch(m)
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
      this.#touch(m)
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

  entries(): Entry[] {
    return [...this.#entries.values()]
  }

  mutations(): Mutation[] {
    return this.entries().map((e) => e.m)
  }

  /** The oldest write that can go. One that builds on a refused one waits for that. */
  next(): Entry | undefined {
    for (const entry of this.#entries.values()) {
      if (entry.saved && !entry.m.failed && !entry.m.held && this.#needs(entry.m).length === 0)
        return entry
    }
    return undefined
  }

  /** The server took a write. Returns it if it was here. */
  settle(key: string, receipt: Receipt): Entry | undefined {
    const entry = this.#remove(key)
    this.#graph.settle(receipt, entry && this.#isShown(entry.m) ? entry.m : undefined)
    if (entry) this.#touch(entry.m)
    return entry
  }

  /** Forgets writes as if they had never been made. */
  drop(keys: readonly string[]): void {
    for (const key of keys.toReversed()) {
      const entry = this.#remove(key)
      if (!entry) continue
      if (this.#isShown(entry.m)) this.#graph.undo(entry.m)
      this.#touch(entry.m)
      entry.synced?.catch(ignore)
      entry.end?.(Promise.reject(new WeftError('conflict', 'discarded')))
    }
  }

  /** The server refused a write, or it is to be tried again. Returns it as it is from then on. */
  mark(key: string, failed: Mutation['failed']): Mutation | undefined {
    const entry = this.#find(key)
    if (!entry) return undefined
    entry.m = { ...entry.m, failed }
    this.#touch(entry.m)
    return entry.m
  }

  /** Keys of a write and of those after it that refer to what only it makes. */
  dependents(key: string): string[] {
    const keys: string[] = []
    const lost = new Set<Id>()
    for (const m of this.mutations()) {
      if (m.key !== key && !this.#needs(m).some((id) => lost.has(id))) continue
      keys.push(m.key)
      for (const c of [...m.concepts, ...m.connections]) lost.add(c.id)
    }
    return keys
  }

  /** The state of a record's writes; one that failed counts most. */
  state(id: Id): PendingWrite['state'] | undefined {
    this.#states ??= this.#statesNow()
    return this.#states.get(this.#graph.name(id))
  }

  /** The local ids a mutation refers to, does not bring along, and the server does not know yet. */
  #needs(m: Mutation): Id[] {
    return this.#others(m).filter(isLocal)
  }

  /** Says whether a mutation is about what another store held. */
  #isLost(m: Mutation): boolean {
    const { store } = this.#graph
    return !!store && m.store !== store && this.#others(m).some(isReal)
  }

  /** What a mutation refers to and does not bring along, by the ids the server knows, if it does. */
  #others(m: Mutation): Id[] {
    const own = new Set(m.concepts.map((c) => c.id))
    const ends = m.connections.flatMap((c) => [c.from, c.to, c.type]).concat(m.removeConcepts)
    const concepts = ends.filter((id) => !own.has(id)).map((id) => this.#graph.real(id))
    return [...concepts, ...m.removeConnections.map((id) => this.#graph.realConnection(id))]
  }

  #find(key: string): Entry | undefined {
    return this.#entries.get(key) ?? this.#away.find((e) => e.m.key === key)
  }

  /** Says whether whoever is signed in made a mutation, or takes it over. */
  #isShown({ user }: Mutation): boolean {
    return !user || user === this.#graph.user
  }

  #remove(key: string): Entry | undefined {
    const entry = this.#find(key)
    this.#over.add(key)
    this.#entries.delete(key)
    return entry
  }

  #statesNow(): Map<Id, PendingWrite['state']> {
    const states = new Map<Id, PendingWrite['state']>()
    for (const m of this.mutations()) {
      const id = this.#graph.name(m.id)
      if (m.failed || !states.has(id)) states.set(id, stateOf(m))
    }
    return states
  }

  #touch(m: Mutation): void {
    this.#states = undefined
    this.#graph.watchers.touch(this.#graph.name(m.id))
    if (m.type) this.#graph.watchers.touch(m.type)
    this.#changed()
  }
}

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
