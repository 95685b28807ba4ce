import type { Receipt } from '../graph/mutation.ts'
import type { Answer } from '../query/query.ts'
import { createCache } from './cache.ts'
import { committed, openDatabase, result } from './database.ts'
import { createOutbox, layout } from './layout.ts'
import { Log } from './log.ts'

/** A row of what was seen in the first layout. */
type Old = Partial<Receipt>

/**
 * Brings a database of the first layout, which had everything in one, to this one: first a copy of the cache to its
 * own, then in one transaction the rest. A row of the outbox, which was a write then, is read as it is.
 */
export async function upgrade(name: string): Promise<void> {
  const old = await result(indexedDB.open(name))
  old.onversionchange = () => old.close()
  // Another tab may have been faster.
  if (old.version < layout) await copyCache(old, name)
  old.close()
  const db = await openDatabase(name, createOutbox, (db, tx) => {
    const pair = db.createObjectStore('pair', { autoIncrement: true })
    const reading: IDBRequest<Old[]> = tx.objectStore('seen').getAll()
    reading.onsuccess = () => {
      for (const { conceptIds = [], connectionIds = [] } of reading.result) {
        if (conceptIds.length + connectionIds.length > 0) pair.add({ conceptIds, connectionIds })
      }
      for (const gone of ['seen', 'answer']) db.deleteObjectStore(gone)
    }
    tx.objectStore('outbox').deleteIndex('key')
    tx.objectStore('counter').delete('user')
  })
  db.close()
}

async function copyCache(from: IDBDatabase, name: string): Promise<void> {
  const tx = from.transaction(['seen', 'answer', 'counter'])
  const [seen, answer, counter] = ['seen', 'answer', 'counter'].map((of) => tx.objectStore(of)) as [
    IDBObjectStore,
    IDBObjectStore,
    IDBObjectStore,
  ]
  const [rows, answers, queries, store, user] = await Promise.all([
    result<Old[]>(seen.getAll()),
    result<Answer[]>(answer.getAll()),
    result(answer.getAllKeys()),
    result<string | undefined>(counter.get('store')),
    result<string | undefined>(counter.get('user')),
  ])
  const log = new Log()
  for (const row of rows) log.add(row)
  const db = await openDatabase(`${name} cache`, createCache)
  const into = db.transaction(['seen', 'answer', 'whose'], 'readwrite')
  into.objectStore('whose').put({ store, user }, 0)
  for (const row of log.rows()) into.objectStore('seen').add(row)
  answers.forEach((found, i) => {
    into.objectStore('answer').put(found, queries[i])
  })
  await committed(into)
  db.close()
}
