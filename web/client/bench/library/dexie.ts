import { Dexie, liveQuery, type Table } from 'dexie'
import type { Concept } from '../../src/graph/concept.ts'
import type { Connection } from '../../src/graph/connection.ts'
import type { Id } from '../../src/graph/id.ts'
import { type Data, fieldsOf } from '../data.ts'
import { keyOf, type Rows, rowMaker } from './graph.ts'
import type { Library } from './library.ts'

/** Everything on disk, and read from there. */
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
    const watched: { unsubscribe(): void }[] = []
    return {
      point: async (id) => (await concept.get(id))?.value,
      find: (type, value) =>
        concept
          .where('[type+value]')
          .equals([typeOf(type), value])
          .first(),
      record,
      records,
      watch: (id, told) => {
        let first = true
        return new Promise<void>((done) => {
          const next = () => {
            if (!first) told()
            first = false
            done()
          }
          watched.push(liveQuery(() => record(id)).subscribe(next))
        })
      },
      update: (id, price) =>
        write(async () => {
          const links = await connection.where('from').equals(id).toArray()
          const children = await concept.bulkGet(links.map((link) => link.to))
          const old = links.find((_, i) => children[i]?.type === typeOf('the_price'))
          if (old) await connection.delete(old.id)
          const made = make.value(id, 'the_price', price)
          await Promise.all([concept.add(made.concept), connection.add(made.connection)])
        }),
      create: (n) => add(make.record('the_note', fieldsOf(n))),
      close: () => {
        for (const one of watched) one.unsubscribe()
        return db.delete()
      },
    }
  },
}

/** A database of concepts and connections; all its reads and writes of several rows are one transaction. */
export function openTables(name: string) {
  const db = new Dexie(name)
  db.version(1).stores({ concept: 'id, [type+value]', connection: 'id, from' })
  const concept: Table<Concept, Id> = db.table('concept')
  const connection: Table<Connection, Id> = db.table('connection')
  const write = <T>(work: () => Promise<T>) => db.transaction('rw', concept, connection, work)

  /** One query for each record goes out at once: `anyOf` walks a cursor, which takes thirty times as long. */
  async function read(ids: readonly Id[]): Promise<Record<string, unknown>[]> {
    const of = await Promise.all(ids.map((id) => connection.where('from').equals(id).toArray()))
    const children = await rowsOf(of.flat().map((link) => link.to))
    const types = await rowsOf([...children.values()].map((child) => child.type))
    const heads = [...children.values()].filter((child) => child.composition)
    const inner = heads.length > 0 ? await read(heads.map((head) => head.id)) : []
    const within = new Map(heads.map((head, i) => [head.id, inner[i]]))
    return of.map((links) =>
      Object.fromEntries(
        links.flatMap((link) => {
          const child = children.get(link.to)
          const type = child && types.get(child.type)
          return type ? [[keyOf(type.value), within.get(child.id) ?? child.value]] : []
        }),
      ),
    )
  }

  async function rowsOf(ids: readonly Id[]): Promise<Map<Id, Concept>> {
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
    /** Records by their ids, as nested data. */
    records: (ids: readonly Id[]) => db.transaction('r', concept, connection, () => read(ids)),
  }
}
