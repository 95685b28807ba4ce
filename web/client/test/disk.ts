import type { Page } from 'playwright-core'

/** Returns the contents of all databases of a page: rows by database and store. */
export const readDatabases = (page: Page): Promise<Record<string, Record<string, unknown[]>>> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const databases: Record<string, Record<string, unknown[]>> = {}
    for (const { name = '' } of await indexedDB.databases()) {
      const db = await done(indexedDB.open(name))
      const stores: Record<string, unknown[]> = { version: [db.version] }
      for (const store of db.objectStoreNames)
        stores[store] = await done(db.transaction(store).objectStore(store).getAll())
      db.close()
      databases[name] = stores
    }
    return databases
  })

/** Returns a value of a counter store. */
export const readCounter = (page: Page, database: string, key: string): Promise<unknown> =>
  page.evaluate(
    ([database, key]) =>
      new Promise((resolve) => {
        const opening = indexedDB.open(database)
        opening.onsuccess = () => {
          const db = opening.result
          const reading = db.transaction('counter').objectStore('counter').get(key)
          reading.onsuccess = () => {
            db.close()
            resolve(reading.result)
          }
        }
      }),
    [database, key] as const,
  )

/** Creates a note in a page. Returns 'saved', or the messages of the error and its causes. */
export const tryToCreateNote = (page: Page, text: string): Promise<string | string[]> =>
  page.evaluate(async (text) => {
    const messages: string[] = []
    await window.weft.create('the_note', { text }).saved.catch((e: unknown) => {
      for (
        let error = e;
        error instanceof Error || error instanceof DOMException;
        error = error.cause
      )
        messages.push(error.message)
    })
    return messages.length > 0 ? messages : 'saved'
  }, text)

/** Returns the sync status of a page. */
export const status = (page: Page) => page.evaluate(() => window.weft.sync.get())
