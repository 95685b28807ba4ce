import type { Concept } from '../model/concept.ts'
import type { Connection } from '../model/connection.ts'
import type { Id } from '../model/id.ts'
import type { Records } from '../model/mutation.ts'
import {
  type ConceptColumns,
  type ConnectionColumns,
  forEachConcept,
  forEachConnection,
  packConcepts,
  packConnections,
} from './record-columns.ts'

/** A change of the cache: records from the server, and ids of removed records. */
export interface CacheChange extends Partial<Records> {
  readonly removeConcepts?: readonly Id[] | undefined
  readonly removeConnections?: readonly Id[] | undefined
}

/** A row of the cache log. Its removals come before its records. */
export interface CacheRow {
  readonly concepts?: ConceptColumns
  readonly connections?: ConnectionColumns
  readonly removeConcepts?: readonly Id[]
  readonly removeConnections?: readonly Id[]
}

/** A row has at most this number of concepts and this number of connections. */
const recordsPerRow = 4_000

/** Reports whether a row is less than half full. */
export const isSmallRow = ({ concepts, connections }: CacheRow): boolean =>
  Math.max(concepts?.id.length ?? 0, connections?.id.length ?? 0) < recordsPerRow / 2

/**
 * Returns the records of a log. A record may occur more than once, the newest last. Duplicates are not removed here:
 * the graph compares ids anyway, and a second comparison took a third of the start time.
 */
export function readCacheLog(rows: readonly CacheRow[]): Records {
  /** Removed ids, with the index of the last row that removes them. */
  const removedConcepts = new Map<Id, number>()
  const removedConnections = new Map<Id, number>()
  for (const [i, { removeConcepts = [], removeConnections = [] }] of rows.entries()) {
    for (const id of removeConcepts) removedConcepts.set(id, i)
    for (const id of removeConnections) removedConnections.set(id, i)
  }
  const concepts: Concept[] = []
  const connections: Connection[] = []
  for (const [i, row] of rows.entries()) {
    const add = (c: Concept) => isCurrent(removedConcepts, c, i) && concepts.push(c)
    if (row.concepts) forEachConcept(row.concepts, add)
  }
  if (removedConcepts.size > 0) for (const c of concepts) removedConcepts.delete(c.id)
  const exists = (id: Id) => !removedConcepts.has(id)
  const hasEnds = (c: Connection) => exists(c.from) && exists(c.to) && exists(c.type)
  for (const [i, row] of rows.entries()) {
    const add = (c: Connection) =>
      isCurrent(removedConnections, c, i) && hasEnds(c) && connections.push(c)
    if (row.connections) forEachConnection(row.connections, add)
  }
  return { concepts, connections }
}

/** Reports whether no later row removes a record of the given row. */
const isCurrent = (removed: ReadonlyMap<Id, number>, { id }: { readonly id: Id }, row: number) =>
  removed.size === 0 || (removed.get(id) ?? 0) <= row

/** A log in memory, to be written as rows: the current records and the removed ids. */
export class CacheLog {
  readonly concepts = new Map<Id, Concept>()
  readonly connections = new Map<Id, Connection>()
  readonly #removedConcepts = new Set<Id>()
  readonly #removedConnections = new Set<Id>()
  readonly #addConcept = (c: Concept) => void this.concepts.set(c.id, c)
  readonly #addConnection = (c: Connection) => void this.connections.set(c.id, c)

  /** Adds a row that is newer than all rows added before. */
  read({ concepts, connections, removeConcepts, removeConnections }: CacheRow): void {
    this.remove({ removeConcepts, removeConnections })
    if (concepts) forEachConcept(concepts, this.#addConcept)
    if (connections) forEachConnection(connections, this.#addConnection)
  }

  /** Adds a change that is newer than all rows and changes added before. Its removals come after its records. */
  add({ concepts = [], connections = [], removeConcepts, removeConnections }: CacheChange): void {
    concepts.forEach(this.#addConcept)
    connections.forEach(this.#addConnection)
    this.remove({ removeConcepts, removeConnections })
  }

  remove({ removeConcepts = [], removeConnections = [] }: CacheChange): void {
    for (const id of removeConcepts) {
      this.concepts.delete(id)
      this.#removedConcepts.add(id)
    }
    for (const id of removeConnections) {
      this.connections.delete(id)
      this.#removedConnections.add(id)
    }
  }

  /** Returns the current records, without connections of removed concepts. */
  records(): Records {
    const { concepts, connections } = this
    const removed = new Set([...this.#removedConcepts].filter((id) => !concepts.has(id)))
    if (removed.size > 0) {
      for (const c of connections.values()) {
        if (removed.has(c.from) || removed.has(c.to) || removed.has(c.type))
          connections.delete(c.id)
      }
    }
    return { concepts: [...concepts.values()], connections: [...connections.values()] }
  }

  /** Returns the log as rows that can be appended to earlier rows. */
  rows(): CacheRow[] {
    const { concepts, connections } = this.records()
    const rows: CacheRow[] = []
    for (let i = 0; i < Math.max(concepts.length, connections.length); i += recordsPerRow) {
      rows.push({
        concepts: packConcepts(concepts.slice(i, i + recordsPerRow)),
        connections: packConnections(connections.slice(i, i + recordsPerRow)),
      })
    }
    if (this.#removedConcepts.size + this.#removedConnections.size === 0) return rows
    const [removeConcepts, removeConnections] = [
      [...this.#removedConcepts],
      [...this.#removedConnections],
    ]
    const [first, ...more] = rows
    return [{ ...first, removeConcepts, removeConnections }, ...more]
  }
}
