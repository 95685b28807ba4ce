import { createClient } from '../../src/client.ts'
import { insideOf } from '../../src/inside.ts'
import { fieldsOf } from '../data.ts'
import type { Library } from './library.ts'

/** The whole client, offline. In a browser what it is given and what is written to it goes to the disk. */
export const weft: Library = {
  name: 'weft',
  async load(data) {
    // Nobody listens at this address: what is written waits.
    const storage = typeof indexedDB === 'undefined' ? 'memory' : 'browser'
    const application = `bench ${crypto.randomUUID()}`
    const client = createClient({ url: 'http://127.0.0.1:9', application, storage })
    await client.ready
    insideOf(client).graph.add(data)
    return {
      point: (id) => client.concept(id)?.value,
      find: (type, value) => client.find(type, value),
      record: (id) => client.record(id),
      watch: (id, told) => void client.watch(id, () => client.record(id) && told()),
      update: (id, price) => client.update(id, { price }),
      create: (n) => client.create('the_note', fieldsOf(n)),
      close: () => client.close(),
    }
  },
}
