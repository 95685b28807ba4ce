import { expect, onTestFinished, test } from 'vitest'
import { link } from '../src/graph/index.ts'
import {
  type Client,
  createClient,
  type LiveQuery,
  type Query,
  type QueryState,
} from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { startServer } from './server.ts'

const cheapDoneNotes: Query = {
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

test('a filtered query is answered from the page immediately, and is complete when the server confirms it', async () => {
  const weft = open(await startServer())
  const query = weft.query<Row>(cheapDoneNotes)
  const texts = watch(query)
  expect(query.get().status).toBe('loading')
  await until(() => complete(query))
  expect(texts()).toEqual([])

  const { id, synced } = weft.create('the_note', { text: 'a', done: true, price: 3 })
  weft.create('the_note', { text: 'b', done: false, price: 3 })
  weft.create('the_note', { text: 'c', done: true, price: 10 })
  await Promise.resolve()
  expect(texts()).toEqual(['a'])
  expect(complete(query)).toBe(false)
  await synced
  await until(() => weft.sync.get().pending === 0)
  expect(texts()).toEqual(['a'])
  await query.refresh()
  expect(texts()).toEqual(['a'])
  expect(complete(query)).toBe(true)

  const dearer = weft.update(id, { price: 20 })
  await Promise.resolve()
  expect(texts()).toEqual([])
  expect(complete(query)).toBe(false)
  await dearer.synced
  expect(texts()).toEqual([])
  await query.refresh()
  expect([texts(), complete(query)]).toEqual([[], true])

  await weft.update(id, { price: '9.99' }).synced
  expect(texts()).toEqual(['a'])
  weft.remove(id)
  await Promise.resolve()
  expect([texts(), complete(query)]).toEqual([[], false])
})

test.each([
  ['in memory', { storage: 'memory' }],
  ['without a setting for the storage', { application: 'live' }],
] as const)('in Node, queries and records follow the writes of others, %s', async (_, options) => {
  const url = await startServer()
  const clients = [0, 1].map(() => createClient({ url, ...options }))
  onTestFinished(() => clients.forEach((client) => void client.close()))
  const [reader, writer] = clients as [Client, Client]
  const query = reader.query<Row>({ type: 'the_note', selectors: ['self'] })
  const texts = watch(query)
  const note = writer.create('the_note', { text: 'a' })
  await until(() => texts().join() === 'a' && complete(query))
  onTestFinished(reader.watch(await note.synced, () => {}))
  writer.update(note.id, { text: 'b' })
  await until(() => texts().join() === 'b' && complete(query))
  expect(reader.record(await note.synced)).toEqual({ text: 'b' })
  writer.remove(note.id)
  await until(() => texts().length === 0 && complete(query))
})

test('a query follows legacy links', async () => {
  const url = await startServer()
  const weft = open(url)
  const create = (text: string) => weft.create('the_note', { text }).synced
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(create))
  const query = weft.query<{ readonly id: number }>({
    type: 'the_note',
    filters: [{ name: 'any', on: 'friend', op: 'exists' }],
    logic: 'any',
    hops: [{ connection: 'the_note_s_friend', legacy: true, name: 'friend' }],
  })
  onTestFinished(query.subscribe(() => {}))
  const completeIds = () => {
    const state = query.get()
    return state.status === 'ready' && state.complete ? state.data.map(({ id }) => id) : undefined
  }
  await until(() => completeIds()?.length === 0)
  await send(url, { concepts: [linker], connections: [legacyLink(-2, a, b)] })
  await query.refresh()
  expect(completeIds()?.length).toBe(1)
  await send(url, { concepts: [linker], connections: [legacyLink(-3, c, b)] })
  await query.refresh()
  expect(completeIds()).toEqual([c, a].map((id) => weft.concept(id as number)?.id))
})

test('an answer about legacy links keeps the other links of the same name', async () => {
  const weft = open(await startServer())
  const [a, b] = await Promise.all(
    ['a', 'b'].map((text) => weft.create('the_note', { text }).synced),
  )
  await link(weft, a as number, 'friend', b as number).synced
  const { graph } = internalsOf(weft)
  const linked = () => graph.out(a as number, graph.type('the_note_friend') as number).length
  expect(linked()).toBe(1)
  const hop = { connection: 'the_note_friend', legacy: true, include: true }
  const query = weft.query<Row>({ conceptIds: [a as number], hops: [hop] })
  onTestFinished(query.subscribe(() => {}))
  await until(() => complete(query))
  expect(linked()).toBe(1)
})

test('a link of an answer is loaded again after it was evicted', async () => {
  const weft = open(await startServer())
  const [a, b] = await Promise.all(
    ['a', 'b'].map((text) => weft.create('the_note', { text }).synced),
  )
  await link(weft, a as number, 'friend', b as number).synced
  const hop = { connection: 'the_note_friend', include: true }
  const query = weft.query<Row>({ conceptIds: [a as number], hops: [hop] })
  onTestFinished(query.subscribe(() => {}))
  await until(() => complete(query))
  const { graph } = internalsOf(weft)
  const linked = () => graph.out(a as number, graph.type('the_note_friend') as number)
  graph.evict(
    [],
    linked().map(({ id }) => id),
  )
  expect(linked()).toEqual([])
  await until(() => linked().length === 1 && complete(query))
})

const linker = {
  id: -1,
  ghostId: -1,
  categoryId: 4,
  typeId: -9,
  typeCharacter: 'the_connection',
  characterValue: 'the_note_s_friend',
  accessId: 4,
}
const legacyLink = (id: number, from: number | undefined, to: number | undefined) => ({
  id,
  ghostId: id,
  ofTheConceptId: from,
  toTheConceptId: to,
  typeId: -1,
  orderId: 1,
  accessId: 4,
})

async function send(url: string, batch: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Randomizer: `${Math.random() * 2 ** 52}` }
  const body = JSON.stringify(batch)
  const response = await fetch(`${url}/api/v1/local-concepts`, { method: 'POST', headers, body })
  expect(response.status, await response.text()).toBe(200)
}

test('the contents of a record are never paged', async () => {
  // No server listens at this address.
  const weft = open('http://127.0.0.1:9')
  weft.create('the_note', { text: 'a', done: true, price: 30 })
  const paged = { connection: 'self', name: 'inside', limit: true, pageSize: 1 }
  const { filters = [] } = cheapDoneNotes
  const filtered: Query = { type: 'the_note', hops: [paged], filters, logic: 'done AND price' }
  const queries = [{ type: 'the_note', hops: [paged] }, filtered].map((q) => weft.query<Row>(q))
  for (const query of queries) watch(query)
  await until(() => queries.every((query) => query.get().status === 'ready'))
  const keys = queries.map((query) => Object.keys(rows(query.get())[0]?.data.the_note ?? {}))
  expect(keys).toEqual([
    ['text', 'done', 'price'],
    ['done', 'price'],
  ])
})

test('with a thousand queries, a write re-evaluates only those that it may affect', async () => {
  // No server listens at this address: everything is answered from the page.
  const weft = open('http://127.0.0.1:9')
  const evaluated = new Set<string>()
  const titled = (title: string): Query => ({
    ...cheapDoneNotes,
    filters: [{ name: 'title', on: 'inside', type: 'the_title', search: title }],
    // Evaluating a filtered query, or collecting its dependencies, reads `logic`.
    get logic() {
      evaluated.add(title)
      return 'title'
    },
  })
  const queries = Array.from({ length: 1_000 }, (_, i) => weft.query<Row>(titled(`title ${i}`)))
  for (const query of queries) watch(query)
  await until(() => queries.every((query) => query.get().status === 'ready'))
  const evaluatedBy = async (write: () => void): Promise<string[]> => {
    evaluated.clear()
    write()
    await Promise.resolve()
    return [...evaluated].sort()
  }

  const { id } = weft.create('the_note', { text: 'a', title: 'Title 7', price: 3 })
  await Promise.resolve()
  expect(await evaluatedBy(() => weft.create('the_note', { text: 'b', title: 'title 8' }))).toEqual(
    ['title 8'],
  )
  expect(queries[7]?.get()).toMatchObject({ total: 1, complete: false })
  expect(await evaluatedBy(() => weft.create('the_note', { text: 'c', price: 7 }))).toEqual([])
  expect(await evaluatedBy(() => weft.create('the_list', { name: 'title 9' }))).toEqual([])
  expect(await evaluatedBy(() => weft.update(id, { price: 4 }))).toEqual(['title 7'])
  expect(await evaluatedBy(() => weft.update(id, { title: 'title 10' }))).toEqual([
    'title 10',
    'title 7',
  ])
  expect([7, 8, 10].map((n) => queries[n]?.get())).toMatchObject([
    { total: 0 },
    { total: 1 },
    { total: 1 },
  ])
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
  await expect.poll(holds, { interval: 10 }).toBe(true)
}
