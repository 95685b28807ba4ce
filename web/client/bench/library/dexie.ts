import { Dexie, liveQuery, type Table } from 'dexie'
import type { Concept } from '../../src/graph/concept.ts'
import type { Connection } from '../../src/graph/connection.ts'
import type { Id } from '../../src/graph/id.ts'
import { fieldsOf } from '../data.ts'
import { keyOf, rowMaker } from './graph.ts'
import type { Library } from './library.ts'

/** Everything on disk, and read from there. */
export const dexie: Library = {
  name: 'Dexie',
  browser: true,
  async load({ concepts, connections }) {
    const db = new Dexie(`dexie ${crypto.randomUUID()}`)
    db.version(1).stores({ concept: 'id, [type+value]', connection: 'id, from' })
    const concept: Table<Concept, Id> = db.table('concept')
    const connection: Table<Connection, Id> = db.table('connection')
    const write = (work: () => Promise<unknown>) => db.transaction('rw', concept, connection, work)
    await write(() => Promise.all([concept.bulkAdd(concepts), connection.bulkAdd(connections)]))
    const types = concepts.filter((c) => c.type === 51)
    const names = new Map(types.map((c) => [c.value, c.id]))
    const typeOf = (name: string): Id => names.get(name) ?? 0
    const make = rowMaker(typeOf)

    async function record(id: Id): Promise<Record<string, unknown>> {
      const links = await connection.where('from').equals(id).toArray()
      const children = await concept.bulkGet(links.map((link) => link.to))
      const kinds = await concept.bulkGet(children.map((child) => child?.type ?? 0))
      const fields: Record<string, unknown> = {}
      for (const [i, child] of children.entries()) {
        if (!child) continue
        const name = keyOf(kinds[i]?.value ?? '')
        fields[name] = child.composition ? await record(child.id) : child.value
      }
      return fields
    }

    return {
      point: (id) => concept.get(id),
      find: (type, value) =>
        concept
          .where('[type+value]')
          .equals([typeOf(type), value])
          .first(),
      record,
      watch: (id, told) => {
        let first = true
        return new Promise<void>((done) => {
          liveQuery(() => record(id)).subscribe(() => {
            if (!first) told()
            first = false
            done()
          })
        })
      },
      update: (id, price) =>
        write(async () => {
          const links = await connection.where('from').equals(id).toArray()
          const children = await concept.bulkGet(links.map((link) => link.to))
          const old = links.find((_, i) => children[i]?.type === typeOf('the_price'))
          if (old) await connection.delete(old.id)
          const made = make.value(id, 'the_price', price)
          await concept.add(made.concept)
          await connection.add(made.connection)
        }),
      create: (n) =>
        write(async () => {
          const rows = make.record('the_note', fieldsOf(n))
          await concept.bulkAdd(rows.concepts)
          await connection.bulkAdd(rows.connections)
        }),
      close: () => db.delete(),
    }
  },
}
