import { Dexie } from 'dexie'
import { createIndexes, createStore, type Row } from 'tinybase'
import { createIndexedDbPersister } from 'tinybase/persisters/persister-indexed-db'
import { createClient } from '../src/client.ts'
import { insideOf } from '../src/inside.ts'
import { type Data, fieldsOf, makeData } from './data.ts'

/** What a library does with a disk, in a page that has one. */
export interface Disk {
  /** Leaves all data on the disk. */
  fill(data: Data): Promise<void>
  /** In a new page: opens what is on the disk and answers a query for ten records. */
  start(): Promise<unknown>
  /** Writes so many records. Resolves when the disk has them. */
  write(records: number): Promise<void>
}

const name = 'bench'

const weft: Disk = {
  async fill(data) {
    const client = open()
    await client.ready
    const storage = insideOf(client).storage()
    const size = 5_000
    for (let i = 0; i < data.concepts.length; i += size) {
      const concepts = data.concepts.slice(i, i + size)
      storage?.cache({ concepts, connections: data.connections.slice(i, i + size) })
      await new Promise((done) => setTimeout(done, 50))
    }
    await new Promise((done) => setTimeout(done, 1_000))
    client.close()
  },
  async start() {
    const client = open()
    const list = client.query({ type: 'the_note', selectors: ['self'], pageSize: 10 })
    return new Promise((done) => {
      const look = () => {
        const state = list.get()
        if (state.status === 'ready' && state.data.length === 10) done(state.data)
      }
      list.subscribe(look)
      void client.ready.then(look)
    })
  },
  async write(records) {
    const client = open()
    await client.ready
    const writes = Array.from({ length: records }, (_, n) => client.create('the_note', fieldsOf(n)))
    await Promise.all(writes.map(({ saved }) => saved))
  },
}

/** Nobody listens at this address. */
const open = () => createClient({ url: 'http://127.0.0.1:9', application: name })

const database = () => {
  const db = new Dexie(name)
  db.version(1).stores({ concept: 'id, [type+value]', connection: 'id, from' })
  return db
}

const dexie: Disk = {
  async fill({ concepts, connections }) {
    const db = database()
    await db.table('concept').bulkAdd(concepts)
    await db.table('connection').bulkAdd(connections)
    db.close()
  },
  async start() {
    const db = database()
    const types = db.table('concept').where('[type+value]')
    const type = await types.equals([51, 'the_note']).first()
    const mains = await types.between([type.id, ''], [type.id, '\uffff']).limit(10).toArray()
    const links = await db
      .table('connection')
      .where('from')
      .anyOf(mains.map((c) => c.id))
      .toArray()
    return db.table('concept').bulkGet(links.map((link) => link.to))
  },
  async write(records) {
    const db = database()
    const { concepts, connections } = makeData(records)
    const tables = [db.table('concept'), db.table('connection')]
    await db.transaction('rw', tables, async () => {
      await db.table('concept').bulkAdd(concepts)
      await db.table('connection').bulkAdd(connections)
    })
  },
}

function tables({ concepts, connections }: Data) {
  const rows = (list: readonly { readonly id: number }[]) =>
    Object.fromEntries(list.map((one) => [one.id, one as unknown as Row]))
  return { concept: rows(concepts), connection: rows(connections) }
}

const tinybase: Disk = {
  async fill(data) {
    const store = createStore().setTables(tables(data))
    await createIndexedDbPersister(store, name).save()
  },
  async start() {
    const store = createStore()
    await createIndexedDbPersister(store, name).load()
    const indexes = createIndexes(store)
    indexes.setIndexDefinition('type', 'concept', 'type')
    indexes.setIndexDefinition('from', 'connection', 'from')
    const [type] = indexes.getSliceRowIds('type', '51')
    const mains = indexes.getSliceRowIds('type', type ?? '').slice(0, 10)
    return mains.map((id) => indexes.getSliceRowIds('from', id))
  },
  async write(records) {
    const store = createStore().setTables(tables(makeData(records)))
    await createIndexedDbPersister(store, name).save()
  },
}

/** Those that can keep data in the browser. */
export const disks: Readonly<Record<string, Disk>> = { weft, tinybase, dexie }
