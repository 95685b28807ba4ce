import { expect, test } from 'vitest'
import { Graph } from '../src/local/graph.ts'
import type { Mutation } from '../src/model/mutation.ts'
import { PendingWrites } from '../src/sync/pending-writes.ts'

const removal = (n: number): Mutation => ({
  key: `key ${n}`,
  kind: 'remove',
  id: n,
  at: new Date(0).toISOString(),
  concepts: [],
  connections: [],
  removeConcepts: [n],
  removeConnections: [],
})

test('the keys of the newest 10,000 ended writes are kept, and no others', () => {
  const pending = new PendingWrites(new Graph(), () => {})
  pending.addSaved([removal(1)])
  for (let n = 2; n <= 20_001; n++) {
    pending.addSaved([removal(n)])
    pending.discard([`key ${n}`])
  }
  const known = [1, 2, 10_001, 10_002, 20_001].map((n) => pending.knows(`key ${n}`))
  expect(known).toEqual([true, false, false, true, true])
  expect(pending.mutations().map((m) => m.key)).toEqual(['key 1'])
})
