import { expect, test } from 'vitest'
import type { Concept } from '../src/model/concept.ts'
import type { Connection } from '../src/model/connection.ts'
import { type CacheChange, CacheLog, type CacheRow, readCacheLog } from '../src/store/cache-log.ts'
import { mulberry } from './dice.ts'

test('a log returns the newest records, no matter how its rows were compacted', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = mulberry(seed)
    const roll = (sides: number) => Math.floor(random() * sides)
    const changes = Array.from({ length: roll(30) }, () => randomChange(roll))
    const rows = changes.flatMap(rowsOf)
    const expected = modelOf(changes)
    expect(contents(readCacheLog(rows)), `seed ${seed}`).toEqual(expected)
    const cut = roll(rows.length + 1)
    const tail = new CacheLog()
    for (const row of rows.slice(cut)) tail.read(row)
    expect(contents(readCacheLog([...rows.slice(0, cut), ...tail.rows()])), `seed ${seed}`).toEqual(
      expected,
    )
  }
})

test('records are unchanged after packing into columns and unpacking', () => {
  const concepts = [
    concept(1, { value: '', composition: true, access: 3 }),
    concept(2 ** 40, { type: -(2 ** 45), value: 'ä\0\ud83d', created: '2026-01-01' }),
    concept(-7, { category: 1, owner: 2 ** 31, access: 5 }),
  ]
  const connections = [connection(9, 1, -7), connection(2 ** 50, 2 ** 40, 1)]
  const log = new CacheLog()
  log.add({ concepts, connections })
  expect(readCacheLog(log.rows())).toEqual({ concepts, connections })
})

/** Returns a random change. It uses few ids, so that they occur again. */
function randomChange(roll: (sides: number) => number): CacheChange {
  const id = () => 1 + roll(8)
  const several = <T>(make: () => T): T[] => Array.from({ length: roll(4) }, make)
  return {
    concepts: several(() => concept(id(), { value: `${roll(3)}` })),
    connections: several(() => link(10 + roll(16))),
    removeConcepts: roll(3) > 0 ? [] : several(id),
    removeConnections: roll(3) > 0 ? [] : several(() => 10 + roll(16)),
  }
}

/** The ends of a connection never change. */
const link = (id: number) => connection(id, 1 + (id % 8), 1 + ((3 * id) % 7))

function rowsOf(change: CacheChange): CacheRow[] {
  const log = new CacheLog()
  log.add(change)
  return log.rows()
}

/**
 * Returns the contents of a log as a slow model computes them. Removing a concept removes its connections, even those
 * that are added later.
 */
function modelOf(changes: readonly CacheChange[]) {
  const concepts = new Map<number, Concept>()
  const connections = new Map<number, Connection>()
  const removedIds = new Set<number>()
  for (const { removeConcepts = [], removeConnections = [], ...change } of changes) {
    for (const c of change.concepts ?? []) {
      concepts.set(c.id, c)
      removedIds.delete(c.id)
    }
    const losesAnEnd = (c: Connection) =>
      [c.from, c.to, c.type].some((id) => removeConcepts.includes(id))
    const added = (change.connections ?? []).filter((c) => !removeConnections.includes(c.id))
    for (const c of added) if (!losesAnEnd(c)) connections.set(c.id, c)
    for (const id of removeConcepts) {
      concepts.delete(id)
      removedIds.add(id)
    }
    for (const id of removeConnections) connections.delete(id)
  }
  for (const c of connections.values())
    if ([c.from, c.to, c.type].some((id) => removedIds.has(id))) connections.delete(c.id)
  return contents({ concepts: [...concepts.values()], connections: [...connections.values()] })
}

/** Returns the last version of each record, by id. */
const contents = (records: {
  concepts: readonly Concept[]
  connections: readonly Connection[]
}) => ({
  concepts: Object.fromEntries(records.concepts.map((c) => [c.id, c])),
  connections: Object.fromEntries(records.connections.map((c) => [c.id, c])),
})

const concept = (id: number, rest: Partial<Concept> = {}): Concept => ({
  id,
  type: 51,
  category: 4,
  value: 'v',
  owner: 999,
  access: 4,
  composition: false,
  created: '2026-01-01T00:00:00Z',
  ...rest,
})

const connection = (id: number, from: number, to: number): Connection => ({
  id,
  from,
  to,
  type: from,
  order: 1,
  owner: 999,
  access: 4,
  created: '2026-01-01T00:00:00Z',
})
