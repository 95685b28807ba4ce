import type { Receipt } from '../model/mutation.ts'
import type { Answer } from '../query/query.ts'
import { createCacheStores } from './cache-layout.ts'
import { CacheLog } from './cache-log.ts'
import { committed, openDatabase, result } from './database.ts'
import { createOutboxStores, layoutVersion } from './layout.ts'

/** A row of the store `seen` in the first layout. */
type FirstSeenRow = Partial<Receipt>

/**
 * Upgrades a database of the first layout, which had everything in one database. First copies the cache to a separate
 * database, then changes the rest in one transaction. If the page closes in between, the next page starts again. Rows
 * of the outbox, which have one write each, remain readable.
 */
export async function upgradeDatabase(name: string): Promise<void> {
  const old = await result(indexedDB.open(name))
  old.onversionchange = () => old.close()
  // Another tab may have upgraded the database in the meantime.
  if (old.version < layoutVersion) await copyCache(old, name)
  old.close()
  const db = await openDatabase(name, createOutboxStores, (db, tx) => {
    const pair = db.createObjectStore('pair', { autoIncrement: true })
    const reading: IDBRequest<FirstSeenRow[]> = tx.objectStore('seen').getAll()
    reading.onsuccess = () => {
      for (const { conceptIds = [], connectionIds = [] } of reading.result) {
        if (conceptIds.length + connectionIds.length > 0) pair.add({ conceptIds, connectionIds })
      }
      for (const store of ['seen', 'answer']) db.deleteObjectStore(store)
    }
    tx.objectStore('outbox').deleteIndex('key')
    tx.objectStore('counter').delete('user')
  })
  db.close()
}

async function copyCache(from: IDBDatabase, name: string): Promise<void> {
  const tx = from.transaction(['seen', 'answer', 'counter'])
  const [seen, answer, counter] = ['seen', 'answer', 'counter'].map((store) =>
    tx.objectStore(store),
  ) as [IDBObjectStore, IDBObjectStore, IDBObjectStore]
  const [rows, answers, queries, store, user] = await Promise.all([
    result<FirstSeenRow[]>(seen.getAll()),
    result<Answer[]>(answer.getAll()),
    result(answer.getAllKeys()),
    result<string | undefined>(counter.get('store')),
    result<string | undefined>(counter.get('user')),
  ])
  const log = new CacheLog()
  for (const row of rows) log.add(row)
  const db = await openDatabase(`${name} cache`, createCacheStores)
  const into = db.transaction(['seen', 'answer', 'whose'], 'readwrite')
  into.objectStore('whose').put({ store, user }, 0)
  for (const row of log.rows()) into.objectStore('seen').add(row)
  answers.forEach((found, i) => {
    into.objectStore('answer').put(found, queries[i])
  })
  await committed(into)
  db.close()
}
