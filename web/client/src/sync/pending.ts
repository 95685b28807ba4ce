import { WeftError } from '../graph/error.ts'
import { type Id, isReal } from '../graph/id.ts'
import type { Mutation, Receipt } from '../graph/mutation.ts'
import type { Graph } from '../local/graph.ts'
import { ignore } from '../wire/wait.ts'
import { needs, others } from './needs.ts'
import type { PendingWrite } from './status.ts'

/** A write on its way. */
export interface Entry {
  m: Mutation
  /** On disk, or as near to it as this browser gets. */
  saved: boolean
  /** For whoever must wait until it is. */
  saving?: Promise<void>
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

  /** The writes that may be sent, oldest first. */
  waiting(): Mutation[] {
    const ready = this.entries().filter((e) => e.saved && !e.m.failed && !e.m.held)
    return ready.map((e) => e.m)
  }

  /** The server took writes, all at once. Returns those that were here. */
  settle(keys: readonly string[], receipt: Receipt): Entry[] {
    const entries = keys.flatMap((key) => this.#remove(key) ?? [])
    this.#graph.settle(receipt, undefined)
    for (const { m } of entries) {
      if (this.#isShown(m)) this.#graph.settle(nothing, m)
      this.#touch(m)
    }
    return entries
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

  /** Something about writes is another now. Returns them as they are from then on. */
  mark(keys: readonly string[], mark: Mark): Mutation[] {
    return keys.flatMap((key) => {
      const entry = this.#find(key)
      if (!entry) return []
      const wasShown = this.#isShown(entry.m)
      entry.m = { ...entry.m, ...mark }
      if (wasShown && !this.#isShown(entry.m)) {
        this.#graph.undo(entry.m)
        this.#entries.delete(key)
        this.#away.push(entry)
      }
      this.#touch(entry.m)
      return entry.m
    })
  }

  /** Keys of the writes that go, fail, are retried and are discarded with one. */
  together(key: string): string[] {
    const m = this.#find(key)?.m
    const whole = m?.batch ?? m?.held
    const mates = this.mutations().filter((o) => (o.batch ?? o.held) === whole)
    return whole === undefined ? [key] : mates.map((o) => o.key)
  }

  /** Keys of writes and of those that refer to what only they make, transactions whole. */
  dependents(keys: readonly string[]): string[] {
    const gone = new Set(keys)
    const lost = new Set<Id>()
    const wholes = new Set<string>()
    const all = this.mutations()
    for (let before = -1; before < gone.size; ) {
      before = gone.size
      for (const m of all) {
        const whole = m.batch ?? m.held ?? ''
        if (!gone.has(m.key)) {
          if (!wholes.has(whole) && !needs(m, this.#graph).some((id) => lost.has(id))) continue
          gone.add(m.key)
          if (whole) wholes.add(whole)
        }
        for (const c of [...m.concepts, ...m.connections]) lost.add(c.id)
      }
    }
    return all.flatMap((m) => (gone.has(m.key) ? m.key : []))
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

/** What may become another about a write. */
export type Mark = Partial<Pick<Mutation, 'failed' | 'held' | 'batch' | 'user'>>

const nothing: Receipt = { concepts: [], connections: [], conceptIds: [], connectionIds: [] }

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
