import { expect, onTestFinished, test } from 'vitest'
import type { LiveQuery, Query } from '../src/index.ts'
import { insideOf } from '../src/inside.ts'
import { Records } from '../src/local/records.ts'
import { begin } from '../src/transaction/index.ts'
import { between, says } from './between.ts'
import { alone, countRequests, open, realOf, startAnswering, until, watch } from './open.ts'
import { startServer, tokenOf } from './server.ts'

const asked = '/api/freeschema-query'
const notes: Query = { type: 'the_note', selectors: ['self'], pageSize: 100 }

test('whoever watches is told in the next microtask, once, and not after leaving', async () => {
  const weft = alone()
  const { id } = weft.create('the_note', { text: 'one', done: 'false' })
  await Promise.resolve()
  const told: string[] = []
  const leave = weft.watch(id, () => told.push('stays'))
  const leaveSoon = weft.watch(id, () => told.push('leaves'))
  weft.update(id, { text: 'two' })
  weft.update(id, { done: 'true' })
  expect(told).toEqual([])
  leaveSoon()
  await Promise.resolve()
  expect(told).toEqual(['stays'])
  leave()
  weft.update(id, { text: 'three' })
  await Promise.resolve()
  expect(told).toEqual(['stays'])
})

test('a query that shows a record tells of it in the next microtask, once, and not after leaving', async () => {
  const weft = alone()
  const { id } = weft.create('the_note', { text: 'one' })
  const query = weft.query<Row>(notes)
  let told = 0
  const leave = query.subscribe(() => told++)
  await until(() => query.get().status === 'ready')
  const before = told
  weft.update(id, { text: 'two' })
  weft.create('the_note', { text: 'new' })
  expect(told).toBe(before)
  await Promise.resolve()
  expect(told).toBe(before + 1)
  expect(textsOf(query)).toEqual(['new', 'two'])
  leave()
  weft.update(id, { text: 'three' })
  await Promise.resolve()
  expect(told).toBe(before + 1)
})

test('a new record comes in front, and what is removed leaves nothing behind', async () => {
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

test('a change is asked about once more, however often it is told while an answer is on its way', async () => {
  const url = await startServer()
  const weft = open(url)
  const count = countRequests()
  const query = weft.query<Row>(notes)
  watch(query)
  await until(() => query.get().status === 'ready')
  expect(count(asked)).toBe(1)
  await Promise.all(Array.from({ length: 10 }, () => query.refresh()))
  expect(count(asked)).toBeLessThanOrEqual(3)
})

test('an answer that changes every time is not asked for without end', async () => {
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
  expect(count(asked)).toBeLessThanOrEqual(2)

  let n = 0
  const nothing = {
    conceptIds: [],
    linkers: [],
    reverse: [],
    mainCompositionIds: [],
    countinfo: [],
  }
  const restless = open(
    await startAnswering((path) => (path === asked ? { ...nothing, mainCount: ++n } : {})),
  )
  const queries = (['DATAID', 'NORMAL'] as const).flatMap((format) => [
    restless.query<Row>(notes, { format }),
    restless.query<Row>(notes, { format }),
  ])
  for (const query of queries) watch(query)
  await until(() => queries.every(isComplete))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(n).toBeLessThanOrEqual(4)
})

test('what was answered once is shown at once, and is asked again behind it', async () => {
  const url = await startServer()
  const weft = open(url)
  const query = weft.query<Row>(notes)
  const leave = query.subscribe(() => {})
  await until(() => query.get().status === 'ready')
  leave()
  await open(url).create('the_note', { text: 'elsewhere' }).synced
  const again = weft.query<Row>(notes)
  onTestFinished(again.subscribe(() => {}))
  expect(again.get()).toMatchObject({ status: 'ready', data: [], complete: false })
  await until(() => textsOf(again).length === 1)
  expect(again.get()).toMatchObject({ complete: true })
})

test('an answer is for one user: it goes with them, and nobody else is shown it', async () => {
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

test('after a sync the answer has what was written, by the id it went by all along', async () => {
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

test('an answer older than a write that settled meanwhile takes nothing off the screen', async () => {
  const weft = open(await startServer())
  const { http } = insideOf(weft)
  const held = holding(http, asked)
  const query = weft.query<Row>(notes)
  const seen: (readonly [string, boolean])[] = []
  onTestFinished(query.subscribe(() => seen.push([`${textsOf(query)}`, isComplete(query)])))
  await until(() => held.answered(asked) === 1)
  await weft.create('the_note', { text: 'written' }).synced
  held.release()
  await until(() => isComplete(query))
  expect(seen).not.toContainEqual(['', true])
  expect(seen.at(-1)).toEqual(['written', true])
})

test.each([
  { order: 'DESC', texts: ['4', '3'] },
  { order: 'ASC', texts: ['1', '2'] },
] as const)('a page stays as long as it is, $order, whatever is written', async (given) => {
  const weft = open(await startServer())
  const query = weft.query<{ id: number }>({ type: 'the_note', pageSize: 2, order: given.order })
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
  expect(shown()).toEqual([...given.texts, 4])
  await synced
  expect(shown()).toEqual([...given.texts, 4])
})

test('another page is another query, and asks for that', async () => {
  const url = await startServer()
  const weft = open(url)
  for (const text of ['a', 'b', 'c']) await weft.create('the_note', { text }).synced
  const page = (page: number) => weft.query<Row>({ ...notes, pageSize: 2, page })
  const [first, second] = [page(1), page(2)]
  for (const query of [first, second]) watch(query)
  await until(() => [first, second].every(isComplete))
  expect([textsOf(first), textsOf(second)]).toEqual([['c', 'b'], ['a']])
})

test('a query that is refused says why, and one that nobody answers is answered from here', async () => {
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

test('what something before the server refuses is asked again by itself, what the server refuses is not', async () => {
  const server = await startServer()
  await open(server).create('the_note', { text: 'there' }).synced
  const refused = async (status: number, said: unknown) => {
    const way = await between(server)
    way.next(asked, says(status, said))
    const query = open(way.url).query<Row>(notes)
    watch(query)
    await until(() => query.get().status === 'error')
    return { way, query }
  }
  const own = await refused(400, { kind: 'invalid', message: 'no sense' })
  const others = await Promise.all([
    refused(413, '<h1>too much</h1>'),
    refused(406, ''),
    refused(409, { error: 'try again' }),
  ])
  for (const { query } of others)
    await expect.poll(() => textsOf(query), { timeout: 20_000 }).toEqual(['there'])
  expect(own.query.get()).toMatchObject({ status: 'error', error: { message: 'no sense' } })
  expect(own.way.seen(asked)).toHaveLength(1)
})

test('a record that changes while it is fetched is fetched once more, however often that is asked', async () => {
  const url = await startServer()
  const other = open(url)
  const id = await other.create('the_note', { text: 'one' }).synced
  const weft = open(url)
  const { fetcher, http } = insideOf(weft)
  const fetched = await fetcher()
  const held = holding(http)
  const path = '/api/get_all_connections_of_composition_bulk'
  const first = fetched.again([id])
  await until(() => held.answered(path) === 1)
  await other.update(id, { text: 'two' }).synced
  const rest = Promise.all([1, 2, 3].map(() => fetched.again([id])))
  await new Promise((resolve) => setTimeout(resolve, 50))
  held.release()
  await first
  await rest
  expect(weft.record(id)).toEqual({ text: 'two' })
  expect(held.answered(path)).toBe(2)
})

test('a record that nobody watches is forgotten after a while, and read anew when it is wanted', async () => {
  const weft = alone()
  const records = new Records(insideOf(weft).graph, 50)
  const create = (text: string) => weft.create('the_note', { text }).id
  const [watched, left, other] = [create('a'), create('b'), create('c')]
  onTestFinished(weft.watch(watched, () => {}))
  const before = [records.get(watched), records.get(left)]
  expect(records.get(left)).toBe(before[1])
  await new Promise((resolve) => setTimeout(resolve, 60))
  records.get(other)
  expect(records.get(watched)).toBe(before[0])
  expect(records.get(left)).toEqual(before[1])
  expect(records.get(left)).not.toBe(before[1])
})

test('a record of which the server told before the answer to its write came is there once, and complete', async () => {
  const way = await between(await startServer())
  const weft = open(way.url)
  const list = weft.query<Row>(notes)
  const some = weft.query<Row>({
    ...notes,
    hops: [{ connection: 'self', name: 'inside' }],
    filters: [{ name: 'one', on: 'inside', type: 'the_text', search: 'one' }],
    logic: 'one',
  })
  for (const query of [list, some]) {
    watch(query)
    await until(() => isComplete(query))
  }
  way.next('/api/v1/local-concepts', async (to, pass) => {
    await pass()
    says(503, {}, { 'Retry-After': '2' })(to, pass)
  })
  const { synced } = weft.create('the_note', { text: 'one' })
  await until(() => way.seen('/api/v1/local-concepts').length === 1)
  await Promise.all([list.refresh(), some.refresh()])
  await synced
  for (const query of [list, some]) {
    await until(() => isComplete(query))
    expect(textsOf(query)).toEqual(['one'])
    expect(query.get()).toMatchObject({ total: 1 })
  }
})

test('a list is complete once what waited beside a write that settled is taken back', async () => {
  const weft = open(await startServer())
  const list = weft.query<Row>(notes)
  watch(list)
  await until(() => isComplete(list))
  const transaction = begin(weft)
  transaction.create('the_note', { text: 'taken back' })
  await weft.create('the_note', { text: 'stays' }).synced
  expect(textsOf(list).toSorted()).toEqual(['stays', 'taken back'])
  expect(isComplete(list)).toBe(false)
  await transaction.rollback()
  expect(textsOf(list)).toEqual(['stays'])
  expect(list.get()).toMatchObject({ complete: true, total: 1 })
})

interface Row {
  readonly id: number
  readonly data: { readonly the_note: { readonly text?: { readonly data: { the_text: string } } } }
}

/** The text of each row; `''` while what is in the row is on its way. */
const textsOf = (query: LiveQuery<Row>): string[] => {
  const state = query.get()
  const rows = state.status === 'ready' ? state.data : []
  return rows.map((row) => row.data.the_note.text?.data.the_text ?? '')
}

const isComplete = (query: LiveQuery<Row>): boolean => {
  const state = query.get()
  return state.status === 'ready' && state.complete
}

/** Holds answers up, once they are there, until they are released: all, or those of a path; counts them. */
function holding(http: ReturnType<typeof insideOf>['http'], only?: string) {
  const paths: string[] = []
  let release = () => {}
  const released = new Promise<void>((done) => {
    release = done
  })
  http.fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    const answer = await fetch(input, init)
    paths.push(pathname)
    if (!only || pathname === only) await released
    return answer
  }
  return { release, answered: (path: string) => paths.filter((p) => p === path).length }
}
