import { openDatabase, result, transact } from './database.ts'
import { createOutbox } from './layout.ts'

/** A named value that an application asked to keep in the database of that name, if there is one. */
export const setting = <T>(database: string, name: string): Promise<T | undefined> =>
  inCounter(database, (counter) => result<T | undefined>(counter.get(`setting ${name}`)))

/** Keeps a named value until it is set to undefined. */
export const set = (database: string, name: string, value: unknown): Promise<void> =>
  inCounter(database, (counter) => {
    if (value === undefined) counter.delete(`setting ${name}`)
    else counter.put(value, `setting ${name}`)
  })

async function inCounter<T>(
  name: string,
  work: (counter: IDBObjectStore) => Promise<T> | T,
): Promise<T> {
  const db = await openDatabase(name, createOutbox)
  return transact(db, ['counter'], 'strict', work).finally(() => db.close())
}
