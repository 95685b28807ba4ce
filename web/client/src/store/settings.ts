import { openDatabase, result, transact } from './database.ts'

/** Reads a named value from an outbox database. Rejects when the database does not exist. */
export const readSetting = <T>(database: string, name: string): Promise<T | undefined> =>
  inCounter(database, (counter) => result<T | undefined>(counter.get(`setting ${name}`)))

/** Saves a named value, or removes it if it is undefined. Rejects when the database does not exist. */
export const writeSetting = (database: string, name: string, value: unknown): Promise<void> =>
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
