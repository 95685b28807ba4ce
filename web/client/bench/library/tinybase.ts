import { createIndexes, createStore, type Row } from 'tinybase'
import type { Concept } from '../../src/graph/concept.ts'
import type { Id } from '../../src/graph/id.ts'
import { fieldsOf } from '../data.ts'
import { keyOf, rowMaker } from './graph.ts'
import type { Library } from './library.ts'

/** Two tables, with an index of values and one of where connections leave. */
export const tinybase: Library = {
  name: 'TinyBase',
  async load({ concepts, connections }) {
    const store = createStore()
    const indexes = createIndexes(store)
    indexes.setIndexDefinition('value', 'concept', (cell) => `${cell('type')}\n${cell('value')}`)
    indexes.setIndexDefinition('from', 'connection', 'from')
    store.transaction(() => {
      for (const c of concepts) store.setRow('concept', `${c.id}`, c as unknown as Row)
      for (const c of connections) store.setRow('connection', `${c.id}`, c as unknown as Row)
    })
    const typeOf = (name: string): Id =>
      Number(indexes.getSliceRowIds('value', `51\n${name}`)[0] ?? 0)
    const make = rowMaker(typeOf)

    function record(id: Id): Record<string, unknown> {
      const fields: Record<string, unknown> = {}
      for (const link of indexes.getSliceRowIds('from', `${id}`)) {
        const child = store.getRow('concept', `${store.getCell('connection', link, 'to')}`)
        const { id, type, value, composition } = child as unknown as Concept
        const name = keyOf(`${store.getCell('concept', `${type}`, 'value')}`)
        fields[name] = composition ? record(id) : value
      }
      return fields
    }

    function priceLink(main: Id): string | undefined {
      const type = typeOf('the_price')
      return indexes.getSliceRowIds('from', `${main}`).find((link) => {
        const to = store.getCell('connection', link, 'to')
        return store.getCell('concept', `${to}`, 'type') === type
      })
    }

    return {
      point: (id) => store.getCell('concept', `${id}`, 'value'),
      find: (type, value) => indexes.getSliceRowIds('value', `${typeOf(type)}\n${value}`)[0],
      record,
      watch: (id, told) =>
        void indexes.addSliceRowIdsListener('from', `${id}`, () => {
          record(id)
          told()
        }),
      update: (id, price) =>
        store.transaction(() => {
          const old = priceLink(id)
          if (old) store.delRow('connection', old)
          const { concept, connection } = make.value(id, 'the_price', price)
          store.setRow('concept', `${concept.id}`, concept as unknown as Row)
          store.setRow('connection', `${connection.id}`, connection as unknown as Row)
        }),
      create: (n) =>
        store.transaction(() => {
          const rows = make.record('the_note', fieldsOf(n))
          for (const c of rows.concepts) store.setRow('concept', `${c.id}`, c as unknown as Row)
          for (const c of rows.connections)
            store.setRow('connection', `${c.id}`, c as unknown as Row)
        }),
      close: () => indexes.destroy(),
    }
  },
}
