import { fieldsOf, typeOf } from '../data.ts'
import { openTables } from '../library/dexie.ts'
import { rowMaker } from '../library/graph.ts'
import { type Disk, name } from './disk.ts'

export const dexie: Disk = {
  async fill(data) {
    const { db, add } = openTables(name)
    await add(data)
    db.close()
  },
  async start() {
    const { concept, records } = openTables(name)
    const type = await concept.where('[type+value]').equals([51, 'the_note']).first()
    const notes = concept.where('[type+value]').between([type?.id, ''], [type?.id, '\uffff'])
    return records(await notes.limit(10).primaryKeys())
  },
  async open() {
    const { db, add } = openTables(name)
    await db.open()
    const make = rowMaker(typeOf)
    return (records) => {
      const all = Array.from({ length: records }, (_, n) => make.record('the_note', fieldsOf(n)))
      return add({
        concepts: all.flatMap(({ concepts }) => concepts),
        connections: all.flatMap(({ connections }) => connections),
      })
    }
  },
}
