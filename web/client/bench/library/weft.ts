import type { Write } from '../../src/api.ts'
import { createClient } from '../../src/client.ts'
import { insideOf } from '../../src/inside.ts'
import { fieldsOf } from '../data.ts'
import type { Library } from './library.ts'

/** The whole client, offline. In a browser what it is given and what is written to it goes to the disk. */
export const weft: Library = {
  name: 'weft',
  async load(data) {
    const disk = typeof indexedDB !== 'undefined'
    const client = createClient({
      // Nobody listens at this address: what is written waits.
      url: 'http://127.0.0.1:9',
      application: `bench ${crypto.randomUUID()}`,
      storage: disk ? 'browser' : 'memory',
    })
    await client.ready
    const inside = insideOf(client)
    const storage = inside.storage()
    inside.graph.add(data)
    storage?.cache(data)
    let last: Write | undefined
    const nothing = { concepts: [], connections: [], conceptIds: [], connectionIds: [] }
    return {
      point: (id) => client.concept(id)?.value,
      find: (type, value) => client.find(type, value),
      record: (id) => client.record(id),
      watch: (id, told) => void client.watch(id, () => client.record(id) && told()),
      update: (id, price) => {
        last = client.update(id, { price })
      },
      create: (n) => {
        last = client.create('the_note', fieldsOf(n))
      },
      async settled() {
        if (!disk) return
        await last?.saved
        await storage?.settle([], nothing)
      },
      close: () => client.close(),
    }
  },
}
