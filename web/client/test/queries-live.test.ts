import { expect, onTestFinished, test } from 'vitest'
import { link, listLinks } from '../src/graph/index.ts'
import type { LiveQuery, Query } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { RecordCache } from '../src/local/record-cache.ts'
import { begin } from '../src/transaction/index.ts'
import {
  countRequests,
  offlineClient,
  open,
  realOf,
  startJsonServer,
  until,
  watch,
} from './open.ts'
import { type Responder, respondWith, startProxy } from './proxy.ts'
import { startServer, tokenOf } from './server.ts'

const queryPath = '/api/freeschema-query'
const notes: Query = { type: 'the_note', selectors: ['self'], pageSize: 100 }
const anyText: Query = {
  ...notes,
  hops: [{ connection: 'self', name: 'inside' }],
  filters: [{ name: 'any', on: 'inside', type: 'the_text', op: '!=', search: 'none' }],
  logic: 'any',
}

test('a watcher is called once, in the next microtask, and not after it unsubscribed', async () => {
  const weft = offlineClient()
  const { id } = weft.create('the_note', { text: 'one', done: 'false' })
  await Promise.resolve()
  const calls: string[] = []
  const unsubscribe = weft.watch(id, () => calls.push('subscribed'))
  const unsubscribeEarly = weft.watch(id, () => calls.push('unsubscribed'))
  weft.update(id, { text: 'two' })
  weft.update(id, { done: 'true' })
  expect(calls).toEqual([])
  unsubscribeEarly()
  await Promise.resolve()
  expect(calls).toEqual(['subscribed'])
  unsubscribe()
  weft.update(id, { text: 'three' })
  await Promise.resolve()
  expect(calls).toEqual(['subscribed'])
})

test('a live query notifies once, in the next microtask, and not after the listener unsubscribed', async () => {
  const weft = offlineClient()
  const { id } = weft.create('the_note', { text: 'one' })
  const query = weft.query<Row>(notes)
  let notifications = 0
  const unsubscribe = query.subscribe(() => notifications++)
  await until(() => query.get().status === 'ready')
  const before = notifications
  weft.update(id, { text: 'two' })
  weft.create('the_note', { text: 'new' })
  expect(notifications).toBe(before)
  await Promise.resolve()
  expect(notifications).toBe(before + 1)
  expect(textsOf(query)).toEqual(['new', 'two'])
  unsubscribe()
  weft.update(id, { text: 'three' })
  await Promise.resolve()
  expect(notifications).toBe(before + 1)
})

test('a new record is listed first, and a removed record is not listed', async () => {
  const url = await startServer()
  const weft = open(url)
  const first = weft.create('the_note', { text: 'first' })
  await first.synced
  const rows = watch(weft.query<Row>(notes))
  await until(() => rows().length === 1)
  const second = weft.create('the_note', { text: 'second' })
  await Promise.resolve()
  expect(rows().map((row) => row.id)).toEqual([second.id, first.id])
  await second.synced
  expect(rows().map((row) => row.id)).toEqual([second.id, first.id])

  weft.update(first.id, { price: '10' })
  await Promise.resolve()
  expect(Object.keys(rows()[1]?.data.the_note ?? {}).sort()).toEqual(['price', 'text'])
  await weft.remove(second.id).synced
  expect(rows().map((row) => row.id)).toEqual([first.id])
})

test('many refreshes during a request cause few further requests', async () => {
  const url = await startServer()
  const weft = open(url)
  const count = countRequests()
  const query = weft.query<Row>(notes)
  watch(query)
  await until(() => query.get().status === 'ready')
  // The change stream begins with a gap, so the query is fetched twice.
  await until(() => count(queryPath) === 2)
  await query.refresh()
  const before = count(queryPath)
  await Promise.all(Array.from({ length: 10 }, () => query.refresh()))
  expect(count(queryPath) - before).toBeLessThanOrEqual(2)
})

test('an answer that changes with every request does not cause endless requests', async () => {
  const url = await startServer()
  const weft = open(url)
  const [one, two] = [weft.query<Row>(notes), weft.query<Row>(notes)]
  watch(one)
  await until(() => one.get().status === 'ready')
  await open(url).create('the_note', { text: 'elsewhere' }).synced
  const count = countRequests()
  watch(two)
  await one.refresh()
  await until(() => textsOf(one).length === 1)
  expect(two.get()).toBe(one.get())
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(count(queryPath)).toBeLessThanOrEqual(2)

  let n = 0
  const nothing = {
    conceptIds: [],
    linkers: [],
    reverse: [],
    mainCompositionIds: [],
    countinfo: [],
  }
  const changing = open(
    await startJsonServer((path) => (path === queryPath ? { ...nothing, mainCount: ++n } : {})),
  )
  const queries = (['DATAID', 'NORMAL'] as const).flatMap((format) => [
    changing.query<Row>(notes, { format }),
    changing.query<Row>(notes, { format }),
  ])
  for (const query of queries) watch(query)
  await until(() => queries.every(isComplete))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(n).toBeLessThanOrEqual(4)
})

test('a query that was answered earlier immediately shows the earlier answer and refetches', async () => {
  const url = await startServer()
  const weft = open(url)
  const query = weft.query<Row>(notes)
  const unsubscribe = query.subscribe(() => {})
  await until(() => query.get().status === 'ready')
  unsubscribe()
  await open(url).create('the_note', { text: 'elsewhere' }).synced
  const second = weft.query<Row>(notes)
  onTestFinished(second.subscribe(() => {}))
  expect(second.get()).toMatchObject({ status: 'ready', data: [], complete: false })
  await until(() => textsOf(second).length === 1)
  expect(second.get()).toMatchObject({ complete: true })
})

test('an answer is dropped when its user signs out, and never shown to another user', async () => {
  const url = await startServer()
  const [ann, bob] = [await tokenOf(url, 'ann'), await tokenOf(url, 'bob')]
  const weft = open(url, ann)
  await weft.create('the_note', { text: 'hers' }).synced
  const query = weft.query<Row>(notes)
  const seen: string[][] = []
  onTestFinished(query.subscribe(() => seen.push(textsOf(query))))
  await until(() => textsOf(query).length === 1)
  for (const token of [bob, undefined]) {
    weft.setToken(token)
    expect(textsOf(query)).toEqual([])
    seen.length = 0
    await until(() => isComplete(query))
    expect(seen.flat()).toEqual([])
  }
  weft.setToken(ann)
  await until(() => textsOf(query).length === 1)
})

test('after the sync, the answer contains the new record under its local id', async () => {
  const url = await startServer()
  const weft = open(url)
  const query = weft.query<Row>(notes)
  watch(query)
  await until(() => isComplete(query))
  const { id, synced } = weft.create('the_note', { text: 'written' })
  const real = await synced
  await query.refresh()
  expect(query.get()).toMatchObject({ total: 1, complete: true, data: [{ id }] })
  expect(realOf(weft, id)).toBe(real)
})

test('an answer that misses a write settled in the meantime removes no row', async () => {
  const weft = open(await startServer())
  const { http } = internalsOf(weft)
  const heldResponses = holdResponses(http, queryPath)
  const query = weft.query<Row>(notes)
  const seen: (readonly [string, boolean])[] = []
  onTestFinished(query.subscribe(() => seen.push([`${textsOf(query)}`, isComplete(query)])))
  await until(() => heldResponses.count(queryPath) === 1)
  await weft.create('the_note', { text: 'written' }).synced
  heldResponses.release()
  await until(() => isComplete(query))
  expect(seen).not.toContainEqual(['', true])
  expect(seen.at(-1)).toEqual(['written', true])
})

test('an answer that arrives after the network was lost is incomplete, and fetched again', async () => {
  const weft = open(await startServer())
  const { http } = internalsOf(weft)
  const heldResponses = holdResponses(http, queryPath)
  const query = weft.query<Row>(notes)
  watch(query)
  await until(() => heldResponses.count(queryPath) === 1)
  const fetchHeld = http.fetch
  http.fetch = () => Promise.reject(new TypeError('the network is lost'))
  http.reportUnreachable()
  heldResponses.release()
  await until(() => query.get().status === 'ready')
  expect(weft.sync.get().online).toBe(false)
  expect(isComplete(query)).toBe(false)
  http.fetch = fetchHeld
  await http.checkHealth()
  await until(() => isComplete(query))
  expect(heldResponses.count(queryPath)).toBe(2)
})

test.each([
  { order: 'DESC', texts: ['4', '3'] },
  { order: 'ASC', texts: ['1', '2'] },
] as const)(
  'a page in order $order keeps its size and total through a write and its sync',
  async ({ order, texts }) => {
    const weft = open(await startServer())
    const query = weft.query<{ id: number }>({ type: 'the_note', pageSize: 2, order })
    const shown = () => {
      const state = query.get()
      return (
        state.status === 'ready' && [
          ...state.data.map(({ id }) => weft.record(id)?.['text']),
          state.total,
        ]
      )
    }
    onTestFinished(query.subscribe(() => {}))
    for (const text of ['1', '2', '3']) await weft.create('the_note', { text }).synced
    const { synced } = weft.create('the_note', { text: '4' })
    await Promise.resolve()
    expect(shown()).toEqual([...texts, 4])
    await synced
    expect(shown()).toEqual([...texts, 4])
  },
)

test('a different page number is another query with its own request', async () => {
  const url = await startServer()
  const weft = open(url)
  for (const text of ['a', 'b', 'c']) await weft.create('the_note', { text }).synced
  const page = (page: number) => weft.query<Row>({ ...notes, pageSize: 2, page })
  const [first, second] = [page(1), page(2)]
  for (const query of [first, second]) watch(query)
  await until(() => [first, second].every(isComplete))
  expect([textsOf(first), textsOf(second)]).toEqual([['c', 'b'], ['a']])
})

test('a refused query reports the error; without a server, a query is answered from the page', async () => {
  const url = await startServer()
  const refused = open(url, 'no.such.token').query<Row>(notes)
  watch(refused)
  await until(() => refused.get().status === 'error')
  expect(refused.get()).toMatchObject({ error: { name: 'WeftError', kind: 'unauthorized' } })

  const nowhere = open(`${url}/nowhere`)
  const query = nowhere.query<Row>(notes)
  watch(query)
  await until(() => !nowhere.sync.get().online)
  expect(query.get()).toMatchObject({ status: 'ready', data: [], complete: false })
})

test('a query refused by a proxy is retried; a query refused by the server is not', async () => {
  const server = await startServer()
  await open(server).create('the_note', { text: 'there' }).synced
  const openRefused = async (status: number, body: unknown) => {
    const proxy = await startProxy(server)
    proxy.next(queryPath, respondWith(status, body))
    const query = open(proxy.url).query<Row>(notes)
    watch(query)
    await until(() => query.get().status === 'error')
    return { proxy, query }
  }
  const byServer = await openRefused(400, { kind: 'invalid', message: 'no sense' })
  const byProxy = await Promise.all([
    openRefused(413, '<h1>too much</h1>'),
    openRefused(406, ''),
    openRefused(409, { error: 'try again' }),
  ])
  for (const { query } of byProxy) await expect.poll(() => textsOf(query)).toEqual(['there'])
  expect(byServer.query.get()).toMatchObject({ status: 'error', error: { message: 'no sense' } })
  expect(byServer.proxy.requests(queryPath)).toHaveLength(1)
})

test('a record that changes during its fetch is fetched only once more, even if several callers request it', async () => {
  const url = await startServer()
  const other = open(url)
  const id = await other.create('the_note', { text: 'one' }).synced
  const weft = open(url)
  const { fetcher, http } = internalsOf(weft)
  const fetched = await fetcher()
  const heldResponses = holdResponses(http)
  const path = '/api/get_all_connections_of_composition_bulk'
  const first = fetched.refetch([id])
  await until(() => heldResponses.count(path) === 1)
  await other.update(id, { text: 'two' }).synced
  const rest = Promise.all([1, 2, 3].map(() => fetched.refetch([id])))
  await new Promise((resolve) => setTimeout(resolve, 50))
  heldResponses.release()
  await first
  await rest
  expect(weft.record(id)).toEqual({ text: 'two' })
  expect(heldResponses.count(path)).toBe(2)
})

test('the snapshot of a record that is not watched is evicted after a while, and rebuilt when read', async () => {
  const weft = offlineClient()
  const records = new RecordCache(internalsOf(weft).graph, 50)
  const create = (text: string) => weft.create('the_note', { text }).id
  const [watched, unwatched, other] = [create('a'), create('b'), create('c')]
  onTestFinished(weft.watch(watched, () => {}))
  const before = [records.get(watched), records.get(unwatched)]
  expect(records.get(unwatched)).toBe(before[1])
  await new Promise((resolve) => setTimeout(resolve, 60))
  records.get(other)
  expect(records.get(watched)).toBe(before[0])
  expect(records.get(unwatched)).toEqual(before[1])
  expect(records.get(unwatched)).not.toBe(before[1])
})

test('a record announced before the response to its write is listed once, and complete', async () => {
  const proxy = await startProxy(await startServer())
  const weft = open(proxy.url)
  const list = weft.query<Row>(notes)
  const filtered = weft.query<Row>({
    ...notes,
    hops: [{ connection: 'self', name: 'inside' }],
    filters: [{ name: 'one', on: 'inside', type: 'the_text', search: 'one' }],
    logic: 'one',
  })
  for (const query of [list, filtered]) {
    watch(query)
    await until(() => isComplete(query))
  }
  proxy.next('/api/v1/local-concepts', async (response, forward) => {
    await forward()
    respondWith(503, {}, { 'Retry-After': '2' })(response, forward)
  })
  const { synced } = weft.create('the_note', { text: 'one' })
  await until(() => proxy.requests('/api/v1/local-concepts').length === 1)
  await Promise.all([list.refresh(), filtered.refresh()])
  await synced
  for (const query of [list, filtered]) {
    await until(() => isComplete(query))
    expect(textsOf(query)).toEqual(['one'])
    expect(query.get()).toMatchObject({ total: 1 })
  }
})

test('a record whose write waited for a token is listed once in a filtered list after the sync', async () => {
  const proxy = await startProxy(await startServer())
  const weft = open(proxy.url)
  await weft.create('the_note', { text: 'one' }).synced
  const filtered = weft.query<Row>(anyText)
  watch(filtered)
  await until(() => isComplete(filtered))
  proxy.next('/api/v1/local-concepts', async (response, forward) => {
    await forward()
    respondWith(401, {})(response, forward)
  })
  const { synced } = weft.create('the_note', { text: 'two' })
  await until(() => weft.sync.get().needsToken)
  await filtered.refresh()
  weft.sync.retry()
  await synced
  await Promise.resolve()
  expect(textsOf(filtered)).toEqual(['two', 'one'])
  expect(filtered.get()).toMatchObject({ total: 2, complete: true })
})

test('a record that the server lists before its receipt arrives is listed once, as a root and as a link target', async () => {
  const proxy = await startProxy(await startServer())
  const weft = open(proxy.url)
  const project = weft.create('the_project', { name: 'sewing' })
  await project.synced
  const projectId = realOf(weft, project.id)
  const list = weft.query<Row>(notes)
  const filtered = weft.query<Row>(anyText)
  const linked = listLinks(weft, projectId, 'note') as LiveQuery<Row>
  for (const query of [list, filtered, linked]) {
    watch(query)
    await until(() => isComplete(query))
  }
  proxy.next('/api/v1/local-concepts', async (response, forward) => {
    await forward()
    respondWith(401, {})(response, forward)
  })
  const transaction = begin(weft)
  transaction.run((client) => {
    const { id } = client.create('the_note', { text: 'one' })
    link(client, projectId, 'note', id)
  })
  const committed = await transaction.commit()
  await until(() => weft.sync.get().needsToken)
  await Promise.all([list.refresh(), filtered.refresh(), linked.refresh()])
  const seen = () => [textsOf(list), textsOf(filtered), countIn(linked, 'one')]
  expect(seen()).toEqual([['one'], ['one'], 1])
  weft.sync.retry()
  await committed.synced
  for (const query of [list, filtered, linked]) await until(() => isComplete(query))
  expect(seen()).toEqual([['one'], ['one'], 1])
  expect(list.get()).toMatchObject({ total: 1 })
})

test('the first answer to a query never shows a record in addition to its pending write', async () => {
  const proxy = await startProxy(await startServer())
  const weft = open(proxy.url)
  const receipts = { isLost: true }
  const responder: Responder = async (response, forward) => {
    const { status, text } = await forward()
    respondWith(receipts.isLost ? 401 : status, text)(response, forward)
  }
  proxy.next('/api/v1/local-concepts', ...Array(100).fill(responder))
  const { synced } = weft.create('the_note', { text: 'one' })
  await until(() => weft.sync.get().needsToken)
  const list = weft.query<Row>(notes)
  const seen: string[][] = []
  onTestFinished(list.subscribe(() => seen.push(textsOf(list))))
  await list.refresh()
  receipts.isLost = false
  weft.sync.retry()
  await synced
  await until(() => isComplete(list))
  expect(textsOf(list)).toEqual(['one'])
  expect(seen.filter((texts) => texts.length !== 1)).toEqual([])
})

test('the client sends at most 20 requests for the real ids of writes with lost receipts', async () => {
  const proxy = await startProxy(await startServer())
  const weft = open(proxy.url)
  const list = weft.query<Row>(notes)
  watch(list)
  await until(() => isComplete(list))
  proxy.next('/api/v1/local-concepts', async (response, forward) => {
    await forward()
    respondWith(401, {})(response, forward)
  })
  for (let i = 0; i < 60; i++) weft.create('the_note', { text: `${i}` })
  await until(() => weft.sync.get().needsToken)
  await list.refresh()
  const asked = proxy.requests('/api/v1/local-concepts-translate').length
  expect(asked).toBeGreaterThan(0)
  expect(asked).toBeLessThanOrEqual(20)
  weft.sync.retry()
  await until(() => isComplete(list))
  expect(list.get()).toMatchObject({ total: 60 })
  expect(new Set(textsOf(list)).size).toBe(60)
})

test('a filtered list keeps a pending record whose new type arrives from the server', async () => {
  const url = await startServer()
  const proxy = await startProxy(url)
  const weft = open(proxy.url)
  const filtered = weft.query<Row>(anyText)
  watch(filtered)
  // Writes that wait for a token are sent when the store becomes known.
  await until(() => isComplete(filtered) && internalsOf(weft).graph.store !== undefined)
  proxy.next('/api/v1/local-concepts', respondWith(401, {}))
  const { synced } = weft.create('the_note', { text: 'mine' })
  await until(() => weft.sync.get().needsToken)
  await open(url).create('the_note', { text: 'theirs' }).synced
  await filtered.refresh()
  expect(textsOf(filtered)).toEqual(['mine', 'theirs'])
  expect(filtered.get()).toMatchObject({ total: 2 })
  weft.sync.retry()
  await synced
  await Promise.resolve()
  expect(textsOf(filtered)).toEqual(['mine', 'theirs'])
  expect(filtered.get()).toMatchObject({ total: 2 })
})

test('a list with a settled and a pending write is complete after the pending write is discarded', async () => {
  const weft = open(await startServer())
  const list = weft.query<Row>(notes)
  watch(list)
  await until(() => isComplete(list))
  const transaction = begin(weft)
  transaction.create('the_note', { text: 'rolled back' })
  await weft.create('the_note', { text: 'kept' }).synced
  expect(textsOf(list).toSorted()).toEqual(['kept', 'rolled back'])
  expect(isComplete(list)).toBe(false)
  await transaction.rollback()
  expect(textsOf(list)).toEqual(['kept'])
  expect(list.get()).toMatchObject({ complete: true, total: 1 })
})

interface Row {
  readonly id: number
  readonly data: { readonly the_note: { readonly text?: { readonly data: { the_text: string } } } }
}

/** Returns how often `text` occurs in the data of a query. */
const countIn = (query: LiveQuery<unknown>, text: string): number =>
  JSON.stringify(query.get()).split(`"${text}"`).length - 1

/** Returns the text of each row; `''` for a row without a text. */
const textsOf = (query: LiveQuery<Row>): string[] => {
  const state = query.get()
  const rows = state.status === 'ready' ? state.data : []
  return rows.map((row) => row.data.the_note.text?.data.the_text ?? '')
}

const isComplete = (query: LiveQuery<Row>): boolean => {
  const state = query.get()
  return state.status === 'ready' && state.complete
}

/**
 * Holds back all responses, or only those of the path `only`, until they are released. Counts the responses by path.
 */
function holdResponses(http: ReturnType<typeof internalsOf>['http'], only?: string) {
  const paths: string[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  http.fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    const response = await fetch(input, init)
    paths.push(pathname)
    if (!only || pathname === only) await released
    return response
  }
  return { release, count: (path: string) => paths.filter((p) => p === path).length }
}
