import { expect, test } from 'vitest'
import type { Concept } from '../src/graph/concept.ts'
import type { Connection } from '../src/graph/connection.ts'
import { Log, type Row, readLog, type Seen } from '../src/store/log.ts'
import { mulberry } from './dice.ts'

test('a log comes to what it says last, whoever reads it, and however it was written anew', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = mulberry(seed)
    const roll = (sides: number) => Math.floor(random() * sides)
    const all = Array.from({ length: roll(30) }, () => anything(roll))
    const rows = all.flatMap(rowsOf)
    const want = plain(all)
    expect(contents(readLog(rows)), `seed ${seed}`).toEqual(want)
    const cut = roll(rows.length + 1)
    const tail = new Log()
    for (const row of rows.slice(cut)) tail.read(row)
    expect(contents(readLog([...rows.slice(0, cut), ...tail.rows()])), `seed ${seed}`).toEqual(want)
  }
})

test('records come back from columns as they were', () => {
  const concepts = [
    concept(1, { value: '', composition: true, access: 3 }),
    concept(2 ** 40, { type: -(2 ** 45), value: 'ä\0\ud83d', created: '2026-01-01' }),
    concept(-7, { category: 1, owner: 2 ** 31, access: 5 }),
  ]
  const connections = [connection(9, 1, -7), connection(2 ** 50, 2 ** 40, 1)]
  const log = new Log()
  log.add({ concepts, connections })
  expect(readLog(log.rows())).toEqual({ concepts, connections })
})

/** What a page may say that it saw: few ids, so that they meet again. */
function anything(roll: (sides: number) => number): Seen {
  const id = () => 1 + roll(8)
  const some = <T>(make: () => T): T[] => Array.from({ length: roll(4) }, make)
  return {
    concepts: some(() => concept(id(), { value: `${roll(3)}` })),
    connections: some(() => link(10 + roll(16))),
    removeConcepts: roll(3) > 0 ? [] : some(id),
    removeConnections: roll(3) > 0 ? [] : some(() => 10 + roll(16)),
  }
}

/** A connection has the same ends all its life. */
const link = (id: number) => connection(id, 1 + (id % 8), 1 + ((3 * id) % 7))

function rowsOf(seen: Seen): Row[] {
  const log = new Log()
  log.add(seen)
  return log.rows()
}

/** The same, step by step. A connection goes with its ends: at once, or when all is read, since either may come first. */
function plain(all: readonly Seen[]) {
  const concepts = new Map<number, Concept>()
  const connections = new Map<number, Connection>()
  const gone = new Set<number>()
  for (const { removeConcepts = [], removeConnections = [], ...seen } of all) {
    for (const c of seen.concepts ?? []) {
      concepts.set(c.id, c)
      gone.delete(c.id)
    }
    const goes = (c: Connection) => [c.from, c.to, c.type].some((id) => removeConcepts.includes(id))
    const stay = (seen.connections ?? []).filter((c) => !removeConnections.includes(c.id))
    const here = stay.filter((c) => !goes(c))
    for (const c of here) connections.set(c.id, c)
    for (const id of removeConcepts) {
      concepts.delete(id)
      gone.add(id)
    }
    for (const id of removeConnections) connections.delete(id)
  }
  for (const c of connections.values())
    if ([c.from, c.to, c.type].some((id) => gone.has(id))) connections.delete(c.id)
  return contents({ concepts: [...concepts.values()], connections: [...connections.values()] })
}

/** By id, the last of each. */
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
