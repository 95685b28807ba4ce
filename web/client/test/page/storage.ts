import { createCacheStores } from '../../src/store/cache-layout.ts'
import { compactCache, compactPairs } from '../../src/store/compact.ts'
import { openDatabase, transact } from '../../src/store/database.ts'
import { readSetting, writeSetting } from '../../src/store/settings.ts'
import { Storage } from '../../src/store/storage.ts'

declare global {
  interface Window {
    storage: Storage
    /** Compacts the cache log. */
    compactNow(): Promise<void>
    /** Compacts the log of id pairs, and keeps the newest `maxPairs`. */
    compactPairsNow(maxPairs: number): Promise<void>
    settings: { readSetting: typeof readSetting; writeSetting: typeof writeSetting }
  }
}

const name = new URLSearchParams(location.search).get('name') ?? 'weft'
window.storage = new Storage(name)
window.compactNow = async () => {
  const db = await openDatabase(`${name} cache`, createCacheStores)
  await transact(db, ['seen', 'answer'], 'relaxed', compactCache)
  db.close()
}
window.settings = { readSetting, writeSetting }
window.compactPairsNow = (maxPairs) => compactPairs(name, maxPairs)
