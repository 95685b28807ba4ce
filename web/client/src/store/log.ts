import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import type { Records } from '../graph/mutation.ts'
import {
  type ConceptColumns,
  type ConnectionColumns,
  eachConcept,
  eachConnection,
  packConcepts,
  packConnections,
} from './columns.ts'

/** What is to be kept: records that were seen, and ids of records that have gone since. */
export interface Seen extends Partial<Records> {
  readonly removeConcepts?: readonly Id[] | undefined
  readonly removeConnections?: readonly Id[] | undefined
}

/** A piece of the log of what was seen. What it removes went before what it has came. */
export interface Row {
  readonly concepts?: ConceptColumns
  readonly connections?: ConnectionColumns
  readonly removeConcepts?: readonly Id[]
  readonly removeConnections?: readonly Id[]
}

/** Rows hold at most so many concepts and so many connections. */
const rowSize = 4_000

/** Says whether a row is far from full. */
export const isSmall = ({ concepts, connections }: Row): boolean =>
  Math.max(concepts?.id.length ?? 0, connections?.id.length ?? 0) < rowSize / 2

/**
 * What a log comes to. The same record may be there more than once, the younger one later: what takes them in
 * looks at each by its id anyway, and to do so here as well took a third of the time that starting takes.
 */
export function readLog(rows: readonly Row[]): Records {
  const gone = new Map<Id, number>()
  const goneConnections = new Map<Id, number>()
  for (const [i, { removeConcepts = [], removeConnections = [] }] of rows.entries()) {
    for (const id of removeConcepts) gone.set(id, i)
    for (const id of removeConnections) goneConnections.set(id, i)
  }
  const concepts: Concept[] = []
  const connections: Connection[] = []
  for (const [i, row] of rows.entries()) {
    if (row.concepts) eachConcept(row.concepts, (c) => stays(gone, c, i) && concepts.push(c))
  }
  if (gone.size > 0) for (const c of concepts) gone.delete(c.id)
  const hangs = (c: Connection) => !gone.has(c.from) && !gone.has(c.to) && !gone.has(c.type)
  for (const [i, row] of rows.entries()) {
    const add = (c: Connection) => stays(goneConnections, c, i) && hangs(c) && connections.push(c)
    if (row.connections) eachConnection(row.connections, add)
  }
  return { concepts, connections }
}

/** Says whether what came with a row was removed by no later one. */
const stays = (removed: ReadonlyMap<Id, number>, { id }: { readonly id: Id }, row: number) =>
  removed.size === 0 || (removed.get(id) ?? 0) <= row

/** What a log comes to that is to be a log again: what is there, and what was removed. */
export class Log {
  readonly concepts = new Map<Id, Concept>()
  readonly connections = new Map<Id, Connection>()
  readonly #gone = new Set<Id>()
  readonly #goneConnections = new Set<Id>()
  readonly #addConcept = (c: Concept) => void this.concepts.set(c.id, c)
  readonly #addConnection = (c: Connection) => void this.connections.set(c.id, c)

  /** Reads on: later rows win. */
  read({ concepts, connections, removeConcepts, removeConnections }: Row): void {
    this.remove({ removeConcepts, removeConnections })
    if (concepts) eachConcept(concepts, this.#addConcept)
    if (connections) eachConnection(connections, this.#addConnection)
  }

  /** Takes in what came, or went, after all that was read. */
  add({ concepts = [], connections = [], removeConcepts, removeConnections }: Seen): void {
    concepts.forEach(this.#addConcept)
    connections.forEach(this.#addConnection)
    this.remove({ removeConcepts, removeConnections })
  }

  remove({ removeConcepts = [], removeConnections = [] }: Seen): void {
    for (const id of removeConcepts) {
      this.concepts.delete(id)
      this.#gone.add(id)
    }
    for (const id of removeConnections) {
      this.connections.delete(id)
      this.#goneConnections.add(id)
    }
  }

  /** What is there. What is gone took its connections along. */
  records(): Records {
    const { concepts, connections } = this
    const gone = new Set([...this.#gone].filter((id) => !concepts.has(id)))
    if (gone.size > 0) {
      for (const c of connections.values()) {
        if (gone.has(c.from) || gone.has(c.to) || gone.has(c.type)) connections.delete(c.id)
      }
    }
    return { concepts: [...concepts.values()], connections: [...connections.values()] }
  }

  /** The same as rows, that say it all to whoever read the rows before. */
  rows(): Row[] {
    const { concepts, connections } = this.records()
    const rows: Row[] = []
    for (let i = 0; i < Math.max(concepts.length, connections.length); i += rowSize) {
      rows.push({
        concepts: packConcepts(concepts.slice(i, i + rowSize)),
        connections: packConnections(connections.slice(i, i + rowSize)),
      })
    }
    if (this.#gone.size + this.#goneConnections.size === 0) return rows
    const [removeConcepts, removeConnections] = [[...this.#gone], [...this.#goneConnections]]
    const [first, ...more] = rows
    return [{ ...first, removeConcepts, removeConnections }, ...more]
  }
}
