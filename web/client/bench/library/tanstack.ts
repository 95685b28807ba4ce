import {
  BasicIndex,
  createCollection,
  createLiveQueryCollection,
  createTransaction,
  eq,
  localOnlyCollectionOptions,
} from '@tanstack/db'
import type { Concept } from '../../src/model/concept.ts'
import type { Connection } from '../../src/model/connection.ts'
import type { Id } from '../../src/model/id.ts'
import { fieldsOf } from '../data.ts'
import { keyOf, type Rows, rowMaker } from './graph.ts'
import type { Library } from './library.ts'

/** A concept with a column for look-ups, because an index covers only one column. */
type Row = Concept & { readonly lookup: string }

const row = (c: Concept): Row => ({ ...c, lookup: `${c.type}\n${c.value}` })

/** Two collections, with an index of concepts by value and one of connections by source. */
export const tanstack: Library = {
  name: 'TanStack DB',
  async load(data) {
    const concepts = createCollection(
      localOnlyCollectionOptions<Row, Id>({
        id: crypto.randomUUID(),
        getKey: (c) => c.id,
        initialData: data.concepts.map(row),
      }),
    )
    const connections = createCollection(
      localOnlyCollectionOptions<Connection, Id>({
        id: crypto.randomUUID(),
        getKey: (c) => c.id,
        initialData: [...data.connections],
      }),
    )
    await Promise.all([concepts.preload(), connections.preload()])
    const bySource = connections.createIndex((c) => c.from, { indexType: BasicIndex })
    const byLookup = concepts.createIndex((c) => c.lookup, { indexType: BasicIndex })
    const first = (lookup: string): Id | undefined => [...byLookup.equalityLookup(lookup)][0]
    const typeOf = (name: string): Id => first(`51\n${name}`) ?? 0
    const make = rowMaker(typeOf)
    const links = (id: Id) =>
      [...bySource.equalityLookup(id)].flatMap((id) => connections.get(id) ?? [])

    function record(id: Id): Record<string, unknown> {
      const fields: Record<string, unknown> = {}
      for (const link of links(id)) {
        const child = concepts.get(link.to)
        if (!child) continue
        const name = keyOf(concepts.get(child.type)?.value ?? '')
        fields[name] = child.composition ? record(child.id) : child.value
      }
      return fields
    }

    async function write(rows: Omit<Rows, 'main'>, removed?: Id): Promise<void> {
      const transaction = createTransaction({
        mutationFn: async ({ transaction }) => {
          concepts.utils.acceptMutations(transaction)
          connections.utils.acceptMutations(transaction)
        },
      })
      transaction.mutate(() => {
        if (removed !== undefined) connections.delete(removed)
        concepts.insert(rows.concepts.map(row))
        connections.insert(rows.connections)
      })
      // A transaction that is not awaited slows down later ones.
      await transaction.isPersisted.promise
    }

    const liveQueries: { cleanup(): Promise<void> }[] = []
    return {
      point: (id) => concepts.get(id)?.value,
      find: (type, value) => first(`${typeOf(type)}\n${value}`),
      record,
      async watch(id, onRead) {
        const live = createLiveQueryCollection((q) =>
          q.from({ link: connections }).where(({ link }) => eq(link.from, id)),
        )
        liveQueries.push(live)
        await live.preload()
        live.subscribeChanges(() => {
          record(id)
          onRead()
        })
      },
      update: (id, price) => {
        const type = typeOf('the_price')
        const old = links(id).find((link) => concepts.get(link.to)?.type === type)
        const { concept, connection } = make.value(id, 'the_price', price)
        return write({ concepts: [concept], connections: [connection] }, old?.id)
      },
      create: (n) => write(make.record('the_note', fieldsOf(n))),
      close: async () => {
        // Live queries must be cleaned up before their collections.
        for (const live of liveQueries) await live.cleanup()
        await concepts.cleanup()
        await connections.cleanup()
      },
    }
  },
}
