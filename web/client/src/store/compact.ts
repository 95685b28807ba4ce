import { result } from './database.ts'
import { maxAnswers } from './layout.ts'
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
