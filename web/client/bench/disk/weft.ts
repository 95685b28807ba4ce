import { createClient } from '../../src/client.ts'
import { internalsOf } from '../../src/internals.ts'
import { fieldsOf, mainOf } from '../data.ts'
import { type Disk, name } from './disk.ts'

const query = { type: 'the_note', selectors: ['self'], pageSize: 10 }
/** Number of concepts, and also of connections, that are cached in one call, as if one answer had contained them. */
const recordsPerAnswer = 1_000

export const weft: Disk = {
  async fill({ concepts, connections }) {
    const client = open()
    await client.ready
    const storage = internalsOf(client).storage()
    for (let i = 0; i < concepts.length; i += recordsPerAnswer) {
      storage?.cacheRecords({
        concepts: concepts.slice(i, i + recordsPerAnswer),
        connections: connections.slice(i, i + recordsPerAnswer),
      })
      await new Promise((done) => setTimeout(done))
    }
    const roots = Array.from({ length: 10 }, (_, i) => mainOf(i))
    const links = connections.filter((c) => roots.includes(c.type)).map((c) => c.id)
    const answer = { roots, links, reverse: [], counts: [], order: 'DESC' } as const
    storage?.cacheAnswer(JSON.stringify(query), { ...answer, total: concepts.length / 10 })
    await new Promise((done) => setTimeout(done, 1_000))
    client.close()
  },
  start() {
    const list = open().query(query)
    return new Promise((done) => {
      list.subscribe(() => {
        const state = list.get()
        if (state.status === 'ready' && state.data.length === 10) done(state.data)
      })
    })
  },
  async open() {
    const client = open()
    await client.ready
    return (records) => {
      const writes = Array.from({ length: records }, (_, n) =>
        client.create('the_note', fieldsOf(n)),
      )
      return Promise.all(writes.map(({ saved }) => saved))
    }
  },
}

/** No server listens at this address, so all data comes from the disk. */
const open = () => createClient({ url: 'http://127.0.0.1:9', application: name })
