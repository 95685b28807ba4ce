import { readFields } from '../composition/read.ts'
import type { Fields } from '../composition/value.ts'
import type { Id } from '../model/id.ts'
import { addToSet } from './collections.ts'
import type { Graph } from './graph.ts'
import { reuseEqualParts } from './structural-sharing.ts'

/** The snapshot of a record that is not watched is kept for this time, in ms. */
const defaultLifetime = 600_000

interface Snapshot {
  readonly fields: Fields | undefined
  isFresh: boolean
  /** Time at which the snapshot was taken, in ms since the epoch. */
  readonly takenAt: number
}

/**
 * Compositions as nested data. Each composition has one snapshot, which all readers share.
 *
 *     (none) ──get──▶ fresh ──something inside changed──▶ stale ──get──▶ fresh (equal parts are the same objects)
 *        ▲                                                  │
 *        └────────── older than the lifetime, not watched ──┘ (also from fresh)
 *
 * It is enough to watch the main concept of a snapshot. Each connection inside a record has the main concept as its
 * type, so a change of the connection also touches that concept. Values never change. If concepts were missing when a
 * snapshot was taken, loading them makes the snapshot stale and notifies the listeners of the record.
 *
 * `get` costs one Map look-up for a fresh snapshot, and otherwise one visit of each value of the record.
 */
export class RecordCache {
  readonly #graph: Graph
  readonly #lifetime: number
  readonly #snapshots = new Map<Id, Snapshot>()
  /** Missing concept → the records in which it was missing. */
  readonly #waiting = new Map<Id, Set<Id>>()
  /** The concepts that were missing in the last read. */
  #missing: Id[] = []
  #sweptAt = Date.now()

  constructor(graph: Graph, lifetime: number = defaultLifetime) {
    this.#graph = graph
    this.#lifetime = lifetime
    graph.onTouched = (id) => this.#onTouched(id)
  }

  /**
   * Returns a composition; undefined if it is not loaded. The result is the same object until a value inside the
   * composition changes.
   */
  get(id: Id): Fields | undefined {
    const main = this.#graph.canonical(id)
    const old = this.#snapshots.get(main)
    if (old?.isFresh) return old.fields
    const read = this.#read(main)
    const fields = reuseEqualParts(old?.fields, read)
    const takenAt = Date.now()
    if (takenAt - this.#sweptAt >= this.#lifetime) this.#sweep(takenAt)
    this.#snapshots.set(main, { fields, isFresh: read !== undefined, takenAt })
    for (const missing of this.#missing) addToSet(this.#waiting, missing, main)
    return fields
  }

  /** Returns the concepts inside a record that are not loaded. */
  missing(id: Id): readonly Id[] {
    this.#read(this.#graph.canonical(id))
    return this.#missing
  }

  #read(main: Id): Fields | undefined {
    const graph = this.#graph
    this.#missing = []
    if (!graph.concept(main)?.composition) return undefined
    graph.onMissing = this.#addMissing
    try {
      const fields = readFields(graph, main)
      return typeof fields === 'object' ? (fields as Fields) : undefined
    } finally {
      graph.onMissing = undefined
    }
  }

  readonly #addMissing = (id: Id) => {
    this.#missing.push(id)
  }

  #onTouched(id: Id): void {
    this.#markStale(id)
    const waiting = this.#waiting.size > 0 && this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    for (const record of waiting) {
      this.#markStale(record)
      this.#graph.watchers.notify(record)
    }
  }

  /** Evicts snapshots that are old and not watched. Runs once per lifetime. */
  #sweep(now: number): void {
    this.#sweptAt = now
    for (const [id, { takenAt }] of this.#snapshots) {
      const isOld = now - takenAt >= this.#lifetime
      if (isOld && !this.#graph.watchers.has(id)) this.#snapshots.delete(id)
    }
    for (const [missing, records] of this.#waiting) {
      for (const id of records) if (!this.#snapshots.has(id)) records.delete(id)
      if (records.size === 0) this.#waiting.delete(missing)
    }
  }

  #markStale(id: Id): void {
    const snapshot = this.#snapshots.get(id)
    if (snapshot) snapshot.isFresh = false
  }
}
