import { createClient } from '../src/client.ts'
import { internalsOf } from '../src/internals.ts'
import { defineSchema, record, text } from '../src/schema/index.ts'
import { fieldsOf, makeData } from './data.ts'

const rows = 1_000

const schema = defineSchema({
  note: {
    title: text(),
    body: text(),
    author: text(),
    place: text(),
    day: text(),
    price: text(),
    state: text(),
    inner: record({ detail: text() }),
  },
})

/** Reads of the same records: with the query of a typed client, and with a query without a schema. */
export interface TypedReads {
  /** Changes one record and reads all rows. Returns their number. */
  readonly typed: () => Promise<number>
  readonly untyped: () => Promise<number>
  close(): void
}

/** Creates a client with 1,000 records. Its server does not respond, so the rows come from the graph in the page. */
export async function createTypedReads(): Promise<TypedReads> {
  const client = createClient({ url: 'http://127.0.0.1:9', storage: 'memory', schema })
  const { raw } = client
  await client.ready
  internalsOf(raw).graph.add(makeData(rows))
  const typed = client.find('note', { limit: rows })
  const query = { type: 'the_note', selectors: ['self'], order: 'DESC', pageSize: rows } as const
  const untyped = raw.query<unknown>(query, { format: 'NORMAL' })
  const { id } = raw.create('the_note', fieldsOf(rows))
  let step = 0
  const change = async () => {
    raw.update(id, { price: `price ${step++}` })
    await undefined
  }
  const reads = {
    typed: async () => {
      await change()
      return typed.get().data.length
    },
    untyped: async () => {
      await change()
      const state = untyped.get()
      return state.status === 'ready' ? state.data.length : 0
    },
  }
  await typed.once()
  const counts = [await reads.typed(), await reads.untyped()]
  if (counts.some((count) => count !== rows)) throw new Error(`${counts} rows were read`)
  return { ...reads, close: () => client.close() }
}
