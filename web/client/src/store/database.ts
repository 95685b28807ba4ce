/** Just enough to await IndexedDB. A library for it would be an eighth of the whole bundle. */

/** What a request came to. */
export function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Resolves when the transaction is committed. */
export function committed(tx: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve()
    tx.onabort = () => reject(tx.error)
  })
}

/** Opens a database, made by create if it is new. Calls lost when the browser takes it away. */
export async function openDatabase(
  name: string,
  create: (db: IDBDatabase) => void,
  lost: () => void,
): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => create(request.result)
  const db = await result(request)
  db.onclose = lost
  // A newer version of the application wants the database: give way, nothing here is unsaved.
  db.onversionchange = () => {
    db.close()
    lost()
  }
  return db
}
