/**
 * Returns what closes every database of the page, as browsers do with pages they think asleep: openly, with the event
 * that says so, or as if nothing had been.
 */
export function looseDatabases(): (openly: boolean) => void {
  const databases = new Set<IDBDatabase>()
  const { open } = IDBFactory.prototype
  IDBFactory.prototype.open = function (...args) {
    const request = open.apply(this, args)
    request.addEventListener('success', () => databases.add(request.result))
    return request
  }
  return (openly) => {
    for (const database of databases) {
      database.close()
      if (openly) database.dispatchEvent(new Event('close'))
    }
    databases.clear()
  }
}

/** Opens every database as a page does that gives way to nobody: who wants to delete one waits so many milliseconds. */
export async function blockDatabases(time: number): Promise<void> {
  const all = (await indexedDB.databases()).map(({ name = '' }) => opened(name))
  const databases = await Promise.all(all)
  setTimeout(() => {
    for (const database of databases) database.close()
  }, time)
}

/** Forgets, behind the back of all tabs, whatever can be fetched again: what is in the databases of that, or these too. */
export async function emptyCaches(wholly: boolean): Promise<void> {
  for (const name of await caches.keys()) await caches.delete(name)
  const names = (await indexedDB.databases()).map(({ name = '' }) => name)
  for (const name of names.filter((name) => name.endsWith(' cache'))) {
    // That may have to wait for a tab that is frozen.
    if (wholly) return void indexedDB.deleteDatabase(name)
    const database = await opened(name)
    await cleared(database, ['seen', 'answer'])
    database.close()
  }
}

function cleared(database: IDBDatabase, names: readonly string[]): Promise<unknown> {
  const work = database.transaction(names, 'readwrite')
  for (const one of names) work.objectStore(one).clear()
  return new Promise((done) => {
    work.oncomplete = done
    work.onabort = done
  })
}

function opened(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name)
  return new Promise((done, fail) => {
    request.onsuccess = () => done(request.result)
    request.onerror = () => fail(request.error)
  })
}
