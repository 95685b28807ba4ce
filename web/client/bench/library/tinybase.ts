import { createIndexes, createStore, type Indexes, type Row, type Store } from 'tinybase'
import type { Id } from '../../src/model/id.ts'
import { type Data, fieldsOf } from '../data.ts'
import { keyOf, type Rows, rowMaker } from './graph.ts'
import type { Library } from './library.ts'

/** Two tables, with an index of concepts by value and one of connections by source. */
export const tinybase: Library = {
  name: 'TinyBase',
  async load(data) {
    const store = createStore().setTables(toTables(data))
    const indexes = createIndexesOf(store)
    const typeOf = (name: string): Id =>
      Number(indexes.getSliceRowIds('value', `51\n${name}`)[0] ?? 0)
    const make = rowMaker(typeOf)

    function priceLink(main: Id): string | undefined {
      const type = typeOf('the_price')
      return indexes.getSliceRowIds('from', `${main}`).find((link) => {
        const to = store.getCell('connection', link, 'to')
        return store.getCell('concept', `${to}`, 'type') === type
      })
    }

    function write(rows: Omit<Rows, 'main'>, removed?: string): void {
      store.transaction(() => {
        if (removed) store.delRow('connection', removed)
        for (const c of rows.concepts) store.setRow('concept', `${c.id}`, asRow(c))
        for (const c of rows.connections) store.setRow('connection', `${c.id}`, asRow(c))
      })
    }

    return {
      point: (id) => store.getCell('concept', `${id}`, 'value'),
      find: (type, value) => indexes.getSliceRowIds('value', `${typeOf(type)}\n${value}`)[0],
      record: (id) => recordOf(store, indexes, `${id}`),
      watch: (id, onRead) =>
        void indexes.addSliceRowIdsListener('from', `${id}`, () => {
          recordOf(store, indexes, `${id}`)
          onRead()
        }),
      update: (id, price) => {
        const { concept, connection } = make.value(id, 'the_price', price)
        write({ concepts: [concept], connections: [connection] }, priceLink(id))
      },
      create: (n) => write(make.record('the_note', fieldsOf(n))),
      close: () => indexes.destroy(),
    }
  },
}

/** Returns all rows as the content of the tables, which the store loads faster than single rows. */
export function toTables({ concepts, connections }: Data) {
  const rows = (list: readonly { readonly id: Id }[]) =>
    Object.fromEntries(list.map((row) => [row.id, asRow(row)]))
  return { concept: rows(concepts), connection: rows(connections) }
}

const asRow = (c: object): Row => c as Row

export function createIndexesOf(store: Store): Indexes {
  const indexes = createIndexes(store)
  indexes.setIndexDefinition('value', 'concept', (cell) => `${cell('type')}\n${cell('value')}`)
  indexes.setIndexDefinition('from', 'connection', 'from')
  return indexes
}

export function recordOf(store: Store, indexes: Indexes, id: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const link of indexes.getSliceRowIds('from', id)) {
    const child = `${store.getCell('connection', link, 'to')}`
    const type = `${store.getCell('concept', child, 'type')}`
    fields[keyOf(`${store.getCell('concept', type, 'value')}`)] = store.getCell(
      'concept',
      child,
      'composition',
    )
      ? recordOf(store, indexes, child)
      : store.getCell('concept', child, 'value')
  }
  return fields
}
