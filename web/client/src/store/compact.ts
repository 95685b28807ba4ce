import type { Id } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import { openDatabase, result, transact } from './database.ts'
import { maxAnswers } from './layout.ts'
import type { Pairs } from './left.ts'
import { isSmall, Log, type Row } from './log.ts'

/** Older rows than so many are fetched again when needed: at most 400,000 concepts and as many connections stay. */
const maxRows = 100

/** Writes the small rows at the end of a log of what was seen as few large ones, and drops what is too much. */
export async function compact(seen: IDBObjectStore, answer: IDBObjectStore): Promise<void> {
  const [keys, rows] = await Promise.all([result(seen.getAllKeys()), result<Row[]>(seen.getAll())])
  const full = rows.findLastIndex((row) => !isSmall(row))
  const log = new Log()
  for (const row of rows.slice(full + 1)) log.read(row)
  const from = keys[full + 1]
  if (from !== undefined) seen.delete(IDBKeyRange.lowerBound(from))
  for (const row of log.rows()) seen.add(row)
  const oldest = keys[full - maxRows]
  if (oldest !== undefined) seen.delete(IDBKeyRange.upperBound(oldest))
  if ((await result(answer.count())) > maxAnswers) answer.clear()
}

/** More rows of pairs than so many are written as one. */
const maxPairRows = 200
/** Local ids that became real ones before that many others did are forgotten, unless a write speaks of them. */
const maxPairs = 50_000

/** Writes the log of which ids became which anew, if it is long. */
export async function compactPairs(name: string, most = maxPairs): Promise<void> {
  const db = await openDatabase(name)
  const work = async (outbox: IDBObjectStore, pair: IDBObjectStore) => {
    if ((await result(pair.count())) <= maxPairRows) return
    const [writes, rows] = await Promise.all([
      result<(Mutation | Mutation[])[]>(outbox.getAll()),
      result<Pairs[]>(pair.getAll()),
    ])
    const spoken = new Set(writes.flat().flatMap(idsIn))
    const kept = (pairs: readonly (readonly [Id, Id])[]) =>
      pairs.filter(([local], i) => i >= pairs.length - most || spoken.has(local))
    pair.clear()
    pair.add({
      conceptIds: kept(rows.flatMap((row) => row.conceptIds)),
      connectionIds: kept(rows.flatMap((row) => row.connectionIds)),
    })
  }
  await transact(db, ['outbox', 'pair'], 'strict', work).finally(() => db.close())
}

const idsIn = (m: Mutation): Id[] => [
  m.id,
  ...m.connections.flatMap((c) => [c.from, c.to, c.type]),
  ...m.removeConcepts,
  ...m.removeConnections,
]
