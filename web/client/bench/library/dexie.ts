import { Dexie, liveQuery, type Table } from 'dexie'
import type { Concept } from '../../src/model/concept.ts'
import type { Connection } from '../../src/model/connection.ts'
import type { Id } from '../../src/model/id.ts'
import { type Data, fieldsOf } from '../data.ts'
import { keyOf, type Rows, rowMaker } from './graph.ts'
import type { Library } from './library.ts'

/** Stores everything on disk, and reads it from there. */
export const dexie: Library = {
  name: 'Dexie',
  browser: true,
  async load(data) {
    const { db, concept, connection, add, records, write } = openTables(crypto.randomUUID())
    await add(data)
    const types = data.concepts.filter((c) => c.type === 51)
    const names = new Map(types.map((c) => [c.value, c.id]))
    const typeOf = (name: string): Id => names.get(name) ?? 0
    const make = rowMaker(typeOf)
    const record = async (id: Id) => (await records([id]))[0]
    const subscriptions: { unsubscribe(): void }[] = []
    return {
      point: async (id) => (await concept.get(id))?.value,
      find: (type, value) =>
        concept
          .where('[type+value]')
          .equals([typeOf(type), value])
          .first(),
      record,
      records,
      watch: (id, onRead) => {
        let isFirst = true
        return new Promise<void>((done) => {
          const onResult = () => {
            if (!isFirst) onRead()
            isFirst = false
            done()
          }
          subscriptions.push(liveQuery(() => record(id)).subscribe(onResult))
        })
      },
      update: (id, newPrice) =>
        write(async () => {
          const links = await connection.where('from').equals(id).toArray()
          const children = await concept.bulkGet(links.map((link) => link.to))
          const old = links.find((_, i) => children[i]?.type === typeOf('the_price'))
          if (old) await connection.delete(old.id)
          const price = make.value(id, 'the_price', newPrice)
          await Promise.all([concept.add(price.concept), connection.add(price.connection)])
        }),
      create: (n) => add(make.record('the_note', fieldsOf(n))),
      close: () => {
        for (const subscription of subscriptions) subscription.unsubscribe()
        return db.delete()
      },
    }
  },
}

/** Opens a database of concepts and connections. Each read or write of several rows is one transaction. */
export function openTables(name: string) {
  const db = new Dexie(name)
  db.version(1).stores({ concept: 'id, [type+value]', connection: 'id, from' })
  const concept: Table<Concept, Id> = db.table('concept')
  const connection: Table<Connection, Id> = db.table('connection')
  const write = <T>(work: () => Promise<T>) => db.transaction('rw', concept, connection, work)

  /**
   * Starts one query per record, all at the same time. A single query with `anyOf` would walk a cursor, which takes
   * thirty times as long.
   */
  async function read(ids: readonly Id[]): Promise<Record<string, unknown>[]> {
    const linksOfRecords = await Promise.all(
      ids.map((id) => connection.where('from').equals(id).toArray()),
    )
    const children = await conceptsById(linksOfRecords.flat().map((link) => link.to))
    const types = await conceptsById([...children.values()].map((child) => child.type))
    const heads = [...children.values()].filter((child) => child.composition)
    const inner = heads.length > 0 ? await read(heads.map((head) => head.id)) : []
    const nestedRecords = new Map(heads.map((head, i) => [head.id, inner[i]]))
    return linksOfRecords.map((links) =>
      Object.fromEntries(
        links.flatMap((link) => {
          const child = children.get(link.to)
          const type = child && types.get(child.type)
          return type ? [[keyOf(type.value), nestedRecords.get(child.id) ?? child.value]] : []
        }),
      ),
    )
  }

  async function conceptsById(ids: readonly Id[]): Promise<Map<Id, Concept>> {
    const rows = await concept.bulkGet([...new Set(ids)])
    return new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])))
  }

  return {
    db,
    concept,
    connection,
    write,
    add: ({ concepts, connections }: Data | Rows) =>
      write(() => Promise.all([concept.bulkAdd(concepts), connection.bulkAdd(connections)])),
    /** Reads records as nested data. */
    records: (ids: readonly Id[]) => db.transaction('r', concept, connection, () => read(ids)),
  }
}
