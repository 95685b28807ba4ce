import { expect, test } from 'vitest'
import { Graph } from '../src/local/graph.ts'
import type { Mutation, Receipt } from '../src/model/mutation.ts'
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

const receipt: Receipt = { concepts: [], connections: [], conceptIds: [], connectionIds: [] }

test('only the keys of the newest 10,000 settled writes and of all discarded writes are kept', () => {
  const pending = new PendingWrites(new Graph(), () => {})
  pending.addSaved([removal(1), removal(2)])
  pending.discard(['key 2'])
  for (let n = 3; n <= 20_002; n++) {
    pending.addSaved([removal(n)])
    pending.settle([`key ${n}`], receipt, undefined)
  }
  const known = [1, 2, 3, 10_002, 10_003, 20_002].map((n) => pending.knows(`key ${n}`))
  expect(known).toEqual([true, true, false, false, true, true])
  expect(pending.mutations().map((m) => m.key)).toEqual(['key 1'])
})
