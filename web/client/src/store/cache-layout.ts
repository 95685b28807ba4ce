/** Maximum number of cached answers. If there are more, all are evicted. */
export const maxAnswers = 500

/** Creates the stores of the cache. `storage.ts` describes their contents. */
export function createCacheStores(db: IDBDatabase): void {
  db.createObjectStore('seen', { autoIncrement: true })
  for (const name of ['answer', 'whose']) db.createObjectStore(name)
}
