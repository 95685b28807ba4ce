import { createStore } from 'tinybase'
import { createIndexedDbPersister } from 'tinybase/persisters/persister-indexed-db'
import { fieldsOf, typeOf } from '../data.ts'
import { rowMaker } from '../library/graph.ts'
import { createIndexesOf, recordOf, toTables } from '../library/tinybase.ts'
import { type Disk, name } from './disk.ts'

export const tinybase: Disk = {
  async fill(data) {
    const store = createStore().setTables(toTables(data))
    await createIndexedDbPersister(store, name).save()
  },
  async start() {
    const store = createStore()
    await createIndexedDbPersister(store, name).load()
    const indexes = createIndexesOf(store)
    const notes = indexes.getSliceRowIds('value', `${typeOf('the_note')}\n`)
    return notes.slice(0, 10).map((id) => recordOf(store, indexes, id))
  },
  async open() {
    const store = createStore()
    const persister = createIndexedDbPersister(store, name)
    const make = rowMaker(typeOf)
    return (records) => {
      const all = Array.from({ length: records }, (_, n) => make.record('the_note', fieldsOf(n)))
      store.setTables(
        toTables({
          concepts: all.flatMap(({ concepts }) => concepts),
          connections: all.flatMap(({ connections }) => connections),
        }),
      )
      return persister.save()
    }
  },
}
