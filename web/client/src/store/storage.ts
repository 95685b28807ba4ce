import type { Concept } from '../graph/concept.ts'
import type { Connection } from '../graph/connection.ts'
import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Answer } from '../query/query.ts'

/** What the browser keeps between visits. */
export interface Storage {
  /** Whether `append` survives the page. */
  readonly durable: boolean
  load(): Promise<Saved>
  /** The outbox, oldest first. */
  mutations(): Promise<readonly Mutation[]>
  /** Reserves n ids for good and returns the one above the first: -100 means -101, -102, … */
  reserve(kind: 'concept' | 'connection', n: number): Promise<Id>
  /** Resolves when the mutation is on disk. */
  append(m: Mutation): Promise<void>
  /** Replaces a mutation by what became of it, at once and for good. */
  settle(key: string, row: Row): Promise<void>
  /** Writes down that the server refused a mutation, or that it is to be tried again. */
  mark(key: string, failed: Mutation['failed']): Promise<void>
  discard(keys: readonly string[]): Promise<void>
  /** Keeps what was seen, at leisure. */
  cache(row: Row): void
  remember(query: string, answer: Answer): void
  /** Forgets everything seen, but no mutation. */
  forget(): Promise<void>
  close(): void
}

export interface Saved {
  readonly randomizer: number
  /** Oldest first. */
  readonly mutations: readonly Mutation[]
  readonly seen: Row
  readonly answers: ReadonlyMap<string, Answer>
}

/** A piece of the log of what was seen, with real ids, and of which local id became which. */
export interface Row {
  readonly concepts: readonly Concept[]
  readonly connections: readonly Connection[]
  readonly goneConcepts?: readonly Id[]
  readonly goneConnections?: readonly Id[]
  readonly conceptIds?: readonly (readonly [local: Id, real: Id])[]
  readonly connectionIds?: readonly (readonly [local: Id, real: Id])[]
}

/** A number no other profile has chosen, 53 bits of chance. */
export function randomNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high % 2 ** 21) * 2 ** 32 + low
}

/** Reads a log from its start: later rows win, and what is gone takes its connections along. */
export function merge(rows: Iterable<Row>): Row {
  const concepts = new Map<Id, Concept>()
  const connections = new Map<Id, Connection>()
  const conceptIds = new Map<Id, Id>()
  const connectionIds = new Map<Id, Id>()
  const gone = new Set<Id>()
  for (const row of rows) {
    for (const c of row.concepts) concepts.set(c.id, c)
    for (const c of row.connections) connections.set(c.id, c)
    for (const id of row.goneConcepts ?? []) gone.add(id)
    for (const id of row.goneConnections ?? []) connections.delete(id)
    for (const [local, real] of row.conceptIds ?? []) conceptIds.set(local, real)
    for (const [local, real] of row.connectionIds ?? []) connectionIds.set(local, real)
  }
  for (const id of gone) concepts.delete(id)
  const alive = (c: Connection) => !gone.has(c.from) && !gone.has(c.to) && !gone.has(c.type)
  return {
    concepts: [...concepts.values()],
    connections:
      gone.size > 0 ? [...connections.values()].filter(alive) : [...connections.values()],
    conceptIds: [...conceptIds],
    connectionIds: [...connectionIds],
  }
}
