import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeConcepts, decodeConnections } from '@weft/client/internal'
import { currentInternals } from '../src/start.ts'

/*
 * The recordings of the incumbent client, one per line of the files in `recorded/`: the records that it had, a call,
 * and the result. Concepts are `[id, type, category, value, owner, is a composition, created]`, connections
 * `[id, from, type, to, owner, order, created]`.
 */

type ConceptRow = readonly [number, number, number, string, number, 0 | 1, string]
type ConnectionRow = readonly [number, number, number, number, number, number, string]

/** One recording. Members that a group does not need are missing. */
export interface Recording {
  readonly name: string
  readonly call: string
  readonly concepts?: readonly ConceptRow[]
  readonly connections?: readonly ConnectionRow[]
  readonly result?: any
  readonly threw?: any
  readonly args?: any
  readonly answer?: any
  readonly query?: any
  readonly response?: any
  readonly searchResponse?: any
  readonly recursive?: any
  readonly actions?: { readonly concepts: readonly any[]; readonly connections: readonly any[] }
}

/** Reads the recordings of a group. */
export function recordings(group: string): Recording[] {
  const text = readFileSync(join(import.meta.dirname, 'recorded', `${group}.jsonl`), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Adds the records of a recording to the graph of the open client. */
export function loadRecords({ concepts = [], connections = [] }: Recording): void {
  const json = concepts.map(
    ([id, typeId, categoryId, characterValue, userId, composition, at]) => ({
      ...{ id, typeId, categoryId, characterValue, userId, accessId: 4 },
      ...{ isComposition: composition === 1, entryTimeStamp: at },
    }),
  )
  const links = connections.map(([id, from, typeId, to, userId, orderId, at]) => ({
    ...{ id, ofTheConceptId: from, toTheConceptId: to, typeId, userId, orderId, accessId: 4 },
    entryTimeStamp: at,
  }))
  const records = { concepts: decodeConcepts(json), connections: decodeConnections(links) }
  currentInternals().graph.add(records)
}

/** Returns a value in the form of the recordings, which JSON can represent. */
export function encode(value: unknown): unknown {
  if (value === undefined) return '__undefined__'
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(encode)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, encode(member)]))
}
