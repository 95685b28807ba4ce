import { expect, onTestFinished, test } from 'vitest'
import {
  type Client,
  createClient,
  type LiveQuery,
  type Query,
  type QueryState,
} from '../src/index.ts'
import { startServer } from './server.ts'

const done: Query = {
  type: 'the_note',
  pageSize: 50,
  selectors: ['self'],
  hops: [{ connection: 'self', name: 'inside' }],
  filters: [
    { name: 'done', on: 'inside', type: 'the_done', search: 'true' },
    { name: 'price', on: 'inside', type: 'the_price', op: '>=', search: '10' },
  ],
  logic: 'done AND NOT price',
}

test('a filtered query is answered from here at once, and is complete once the server says the same', async () => {
  const weft = open(await startServer())
  const query = weft.query<Row>(done)
  const seen = watch(query)
  expect(query.get().status).toBe('loading')
  await until(() => complete(query))
  expect(seen()).toEqual([])

  const { id, synced } = weft.create('the_note', { text: 'a', done: true, price: 3 })
  weft.create('the_note', { text: 'b', done: false, price: 3 })
  weft.create('the_note', { text: 'c', done: true, price: 10 })
  await Promise.resolve()
  expect(seen()).toEqual(['a'])
  expect(complete(query)).toBe(false)
  await synced
  await until(() => weft.sync.get().pending === 0)
  expect(seen()).toEqual(['a'])
  await query.refresh()
  expect(seen()).toEqual(['a'])
  expect(complete(query)).toBe(true)

  const dearer = weft.update(id, { price: 20 })
  await Promise.resolve()
  expect(seen()).toEqual([])
  expect(complete(query)).toBe(false)
  await dearer.synced
  expect(seen()).toEqual([])
  await query.refresh()
  expect([seen(), complete(query)]).toEqual([[], true])

  await weft.update(id, { price: '9.99' }).synced
  expect(seen()).toEqual(['a'])
  weft.remove(id)
  await Promise.resolve()
  expect([seen(), complete(query)]).toEqual([[], false])
})

interface Row {
  readonly id: number
  readonly data: { readonly the_note: { readonly text: { readonly data: { the_text: string } } } }
}

function open(url: string): Client {
  const client = createClient({ url, storage: 'memory' })
  onTestFinished(() => client.close())
  return client
}

const rows = (state: QueryState<Row>): readonly Row[] =>
  state.status === 'ready' ? state.data : []

function complete(query: LiveQuery<Row>): boolean {
  const state = query.get()
  return state.status === 'ready' && state.complete
}

function watch(query: LiveQuery<Row>): () => string[] {
  onTestFinished(query.subscribe(() => {}))
  return () => rows(query.get()).map((row) => row.data.the_note.text.data.the_text)
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 5_000, interval: 10 }).toBe(true)
}
