import { readFields } from '../composition/read.ts'
import type { Fields } from '../composition/value.ts'
import type { Id } from '../graph/id.ts'
import type { Graph } from './graph.ts'
import { addTo } from './sets.ts'
import { share } from './share.ts'

/** How long a snapshot that nobody watches is kept, in ms. */
const longest = 600_000

/**
 * Compositions as nested data, one snapshot each for everybody who reads it. A snapshot hangs on its main
 * concept alone: every connection inside a record has that as its type, and values never change. Only
 * concepts that had not arrived when it was taken are waited for besides.
 */
export class Records {
  readonly #graph: Graph
  readonly #snapshots = new Map<Id, Snapshot>()
  readonly #awaited = new Map<Id, Set<Id>>()
  readonly #lifetime: number
  #missing: Id[] = []
  #swept = Date.now()

  constructor(graph: Graph, lifetime: number = longest) {
    this.#graph = graph
    this.#lifetime = lifetime
    graph.touched = (id) => this.#touched(id)
  }

  /** The same object until something inside it changes; then parts that did not change are the same. */
  get(id: Id): Fields | undefined {
    const name = this.#graph.name(id)
    const old = this.#snapshots.get(name)
    if (old?.fresh) return old.fields
    const fields = this.#read(name)
    const now = Date.now()
    const next = { fields: share(old?.fields, fields), fresh: fields !== undefined, at: now }
    if (now - this.#swept >= this.#lifetime) this.#sweep(now)
    this.#snapshots.set(name, next)
    for (const missing of this.#missing) addTo(this.#awaited, missing, name)
    return next.fields
  }

  /** What reading the record found missing. */
  missing(id: Id): readonly Id[] {
    this.#read(this.#graph.name(id))
    return this.#missing
  }

  #read(id: Id): Fields | undefined {
    const graph = this.#graph
    const missing: Id[] = []
    this.#missing = missing
    if (!graph.concept(id)?.composition) return undefined
    graph.missed = (id) => missing.push(id)
    try {
      const fields = readFields(graph, id)
      return typeof fields === 'object' ? (fields as Fields) : undefined
    } finally {
      graph.missed = undefined
    }
  }

  #touched(id: Id): void {
    this.#spoil(id)
    const records = this.#awaited.size > 0 && this.#awaited.get(id)
    if (!records) return
    this.#awaited.delete(id)
    for (const record of records) {
      this.#spoil(record)
      this.#graph.watchers.touch(record)
    }
  }

  /** Forgets what is old and not watched. */
  #sweep(now: number): void {
    this.#swept = now
    for (const [id, { at }] of this.#snapshots)
      if (now - at >= this.#lifetime && !this.#graph.watchers.has(id)) this.#snapshots.delete(id)
    for (const [missing, records] of this.#awaited) {
      for (const id of records) if (!this.#snapshots.has(id)) records.delete(id)
      if (records.size === 0) this.#awaited.delete(missing)
    }
  }

  #spoil(id: Id): void {
    const snapshot = this.#snapshots.get(id)
    if (snapshot) snapshot.fresh = false
  }
}

interface Snapshot {
  readonly fields: Fields | undefined
  fresh: boolean
  /** When it was taken. */
  readonly at: number
}
