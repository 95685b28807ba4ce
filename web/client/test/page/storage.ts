import { createCache } from '../../src/store/cache.ts'
import { compact, compactPairs } from '../../src/store/compact.ts'
import { openDatabase, transact } from '../../src/store/database.ts'
import { set, setting } from '../../src/store/settings.ts'
import { Storage } from '../../src/store/storage.ts'

declare global {
  interface Window {
    storage: Storage
    /** Writes the log of what was seen anew. */
    compactNow(): Promise<void>
    /** Writes the log of ids anew, with so many at least. */
    compactPairsNow(most: number): Promise<void>
    settings: { set: typeof set; setting: typeof setting }
  }
}

const name = new URLSearchParams(location.search).get('name') ?? 'weft'
window.storage = new Storage(name)
window.compactNow = async () => {
  const db = await openDatabase(`${name} cache`, createCache)
  await transact(db, ['seen', 'answer'], 'relaxed', compact)
  db.close()
}
window.settings = { set, setting }
window.compactPairsNow = (most) => compactPairs(name, most)
