import { openDatabase, result, transact } from './database.ts'

/** A named value that an application asked to keep in the database of that name. Rejects where there is none. */
export const setting = <T>(database: string, name: string): Promise<T | undefined> =>
  inCounter(database, (counter) => result<T | undefined>(counter.get(`setting ${name}`)))

/** Keeps a named value until it is set to undefined. Rejects where there is no database of that name. */
export const set = (database: string, name: string, value: unknown): Promise<void> =>
  inCounter(database, (counter) => {
    if (value === undefined) counter.delete(`setting ${name}`)
    else counter.put(value, `setting ${name}`)
  })

async function inCounter<T>(
  name: string,
  work: (counter: IDBObjectStore) => Promise<T> | T,
): Promise<T> {
  const db = await openDatabase(name)
  return transact(db, ['counter'], 'strict', work).finally(() => db.close())
}
