/**
 * Returns a function that closes all databases of the page, with or without a close event, as browsers do in background
 * pages.
 */
export function trackDatabases(): (withEvent: boolean) => void {
  const databases = new Set<IDBDatabase>()
  const { open } = IDBFactory.prototype
  IDBFactory.prototype.open = function (...args) {
    const request = open.apply(this, args)
    request.addEventListener('success', () => databases.add(request.result))
    return request
  }
  return (withEvent) => {
    for (const database of databases) {
      database.close()
      if (withEvent) database.dispatchEvent(new Event('close'))
    }
    databases.clear()
  }
}

/** Keeps all databases open for `time` ms, even when another page wants to delete or upgrade them. */
export async function blockDatabases(time: number): Promise<void> {
  const opening = (await indexedDB.databases()).map(({ name = '' }) => openDatabase(name))
  const databases = await Promise.all(opening)
  setTimeout(() => {
    for (const database of databases) database.close()
  }, time)
}

/**
 * Deletes the caches of the service worker and empties the cache databases of the client, without notifying the tabs.
 * With `andDeleted`, deletes the first of these databases instead of emptying them.
 */
export async function emptyCaches(andDeleted: boolean): Promise<void> {
  for (const name of await caches.keys()) await caches.delete(name)
  const names = (await indexedDB.databases()).map(({ name = '' }) => name)
  for (const name of names.filter((name) => name.endsWith(' cache'))) {
    // The deletion is not awaited, because a frozen tab may block it.
    if (andDeleted) return void indexedDB.deleteDatabase(name)
    const database = await openDatabase(name)
    await clearStores(database, ['seen', 'answer'])
    database.close()
  }
}

function clearStores(database: IDBDatabase, names: readonly string[]): Promise<unknown> {
  const tx = database.transaction(names, 'readwrite')
  for (const name of names) tx.objectStore(name).clear()
  return new Promise((done) => {
    tx.oncomplete = done
    tx.onabort = done
  })
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name)
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
