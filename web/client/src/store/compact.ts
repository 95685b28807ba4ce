import type { Id } from '../model/id.ts'
import type { Mutation } from '../model/mutation.ts'
import { maxAnswers } from './cache-layout.ts'
import { CacheLog, type CacheRow, isSmallRow } from './cache-log.ts'
import { openDatabase, result, transact } from './database.ts'
import type { IdPairs, OutboxRow } from './outbox-rows.ts'

/** Maximum number of full rows in the cache: 400,000 concepts and as many connections. The oldest are evicted. */
export const maxRows = 100

/**
 * Merges the small rows at the end of the cache log. Evicts the oldest rows above `maxRows`, and all answers above
 * `maxAnswers`.
 */
export async function compactCache(seen: IDBObjectStore, answer: IDBObjectStore): Promise<void> {
  const [keys, rows] = await Promise.all([
    result(seen.getAllKeys()),
    result<CacheRow[]>(seen.getAll()),
  ])
  const lastFull = rows.findLastIndex((row) => !isSmallRow(row))
  const log = new CacheLog()
  for (const row of rows.slice(lastFull + 1)) log.read(row)
  const from = keys[lastFull + 1]
  if (from !== undefined) seen.delete(IDBKeyRange.lowerBound(from))
  for (const row of log.rows()) seen.add(row)
  const oldest = keys[lastFull - maxRows]
  if (oldest !== undefined) seen.delete(IDBKeyRange.upperBound(oldest))
  if ((await result(answer.count())) > maxAnswers) answer.clear()
}

/** Maximum number of rows of id pairs before they are merged. */
const maxPairRows = 200
/** Maximum number of kept id pairs to which no unsent write refers, counted separately for concepts and connections. */
const maxPairs = 50_000

/** Merges the log of id pairs if it is long, and evicts all but the newest `maxKept` pairs. */
export async function compactPairs(name: string, maxKept = maxPairs): Promise<void> {
  const db = await openDatabase(name)
  const compact = async (outbox: IDBObjectStore, pair: IDBObjectStore) => {
    if ((await result(pair.count())) <= maxPairRows) return
    const [writes, rows] = await Promise.all([
      result<OutboxRow[]>(outbox.getAll()),
      result<IdPairs[]>(pair.getAll()),
    ])
    const referenced = new Set(writes.flat().flatMap(idsIn))
    const selectKept = (pairs: readonly (readonly [Id, Id])[]) =>
      pairs.filter(([local], i) => i >= pairs.length - maxKept || referenced.has(local))
    pair.clear()
    pair.add({
      conceptIds: selectKept(rows.flatMap((row) => row.conceptIds)),
      connectionIds: selectKept(rows.flatMap((row) => row.connectionIds)),
    })
  }
  await transact(db, ['outbox', 'pair'], 'strict', compact).finally(() => db.close())
}

const idsIn = (m: Mutation): Id[] => [
  m.id,
  ...m.connections.flatMap((c) => [c.from, c.to, c.type]),
  ...m.removeConcepts,
  ...m.removeConnections,
]
