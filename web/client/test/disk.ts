import type { Page } from 'playwright-core'

/** What is in the browser's databases: rows by database and store, as JSON would say them. */
export const onDisk = (page: Page): Promise<Record<string, Record<string, unknown[]>>> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const all: Record<string, Record<string, unknown[]>> = {}
    for (const { name = '' } of await indexedDB.databases()) {
      const db = await done(indexedDB.open(name))
      const stores: Record<string, unknown[]> = { version: [db.version] }
      for (const store of db.objectStoreNames)
        stores[store] = await done(db.transaction(store).objectStore(store).getAll())
      db.close()
      all[name] = stores
    }
    return all
  })

/** A cell of a counter store. */
export const counter = (page: Page, database: string, key: string): Promise<unknown> =>
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

/** What a page's write came to on disk: 'saved', or the messages of the error and its causes. */
export const attempt = (page: Page, text: string): Promise<string | string[]> =>
  page.evaluate(async (text) => {
    const messages: string[] = []
    await window.weft.create('the_note', { text }).saved.catch((e: unknown) => {
      for (let at = e; at instanceof Error || at instanceof DOMException; at = at.cause)
        messages.push(at.message)
    })
    return messages.length > 0 ? messages : 'saved'
  }, text)

/** What the page says of its writes. */
export const status = (page: Page) => page.evaluate(() => window.weft.sync.get())
