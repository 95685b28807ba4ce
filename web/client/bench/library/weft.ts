import type { Write } from '../../src/api.ts'
import { createClient } from '../../src/client.ts'
import { internalsOf } from '../../src/internals.ts'
import { fieldsOf } from '../data.ts'
import type { Library } from './library.ts'

/** The whole client, offline. In a browser, loaded and written records are stored on disk. */
export const weft: Library = {
  name: 'weft',
  async load(data) {
    const hasDisk = typeof indexedDB !== 'undefined'
    const client = createClient({
      // No server listens at this address, so writes remain pending.
      url: 'http://127.0.0.1:9',
      application: `bench ${crypto.randomUUID()}`,
      storage: hasDisk ? 'browser' : 'memory',
    })
    await client.ready
    const internals = internalsOf(client)
    const storage = internals.storage()
    internals.graph.add(data)
    storage?.cacheRecords(data)
    let last: Write | undefined
    const emptyReceipt = { concepts: [], connections: [], conceptIds: [], connectionIds: [] }
    return {
      point: (id) => client.concept(id)?.value,
      find: (type, value) => client.find(type, value),
      record: (id) => client.record(id),
      watch: (id, onRead) => void client.watch(id, () => client.record(id) && onRead()),
      update: (id, price) => {
        last = client.update(id, { price })
      },
      create: (n) => {
        last = client.create('the_note', fieldsOf(n))
      },
      async settled() {
        if (!hasDisk) return
        await last?.saved
        await storage?.settle([], emptyReceipt)
      },
      close: () => client.close(),
    }
  },
}
