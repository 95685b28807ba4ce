import { describe, expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import type { Format } from '../src/index.ts'
import {
  allConnections,
  createConcept,
  find,
  list,
  read,
  removeWhole,
  search,
  updateInside,
  view,
} from '../src/records/index.ts'
import { alone, countRequests, open, realOf, until, watch } from './open.ts'
import { startServer, tokenOf } from './server.ts'

const entry = { name: 'Ann', phone: 555, address: { city: 'Oslo', lines: ['first', 'second'] } }
const fields = { ...entry, phone: '555' }

describe('a record is read', () => {
  test('in every format, by whom that does not know it', async () => {
    const url = await startServer()
    const id = await open(url).create('the_phonebook', entry).synced
    const weft = open(url)
    const as = (format: Format) => read(weft, id, { format })
    const created_at = (await weft.get(id))?.created
    expect(await as('NORMAL')).toEqual({ the_phonebook: { id, ...fields } })
    expect(await as('LISTNORMAL')).toEqual([{ the_phonebook: { id, ...fields } }])
    expect(await as('JUSTDATA')).toEqual({ the_phonebook: fields })
    const listed = { created_at, data: { the_phonebook: fields }, id }
    expect(await as('DATAID')).toEqual(listed)
    expect(await as('DATAIDDATE')).toEqual(listed)
    const address = expect.objectContaining({ id: expect.any(Number), city: 'Oslo' })
    expect(await as('ALLID')).toEqual({ the_phonebook: { ...fields, id, address } })
    expect(await as('DATAV2')).toMatchObject({
      id,
      data: { the_phonebook: { name: { data: { the_name: 'Ann' } } } },
      created_on: created_at,
    })
    const raw = await as('RAW')
    expect(raw).toMatchObject({ compositionIds: [id], reverse: [], countInfos: [], order: 'DESC' })
    expect(raw).toMatchObject({ linkers: { length: 7 }, conceptIds: { length: 8 } })
  })

  test('before it is sent, and a value and what is not there too', async () => {
    const weft = alone()
    const { id } = weft.create('the_phonebook', entry)
    const justData = { format: 'JUSTDATA' } as const
    expect(await read(weft, id, justData)).toEqual({ the_phonebook: fields })
    const name = createConcept(weft, 'name', 'Bea')
    expect(await read(weft, name.id, justData)).toEqual({ the_name: 'Bea' })
    expect(await read(weft, name.id)).toEqual({ the_name: 'Bea' })
    for (const format of ['NORMAL', 'LISTNORMAL', 'RAW', 'DATAV2'] as const)
      expect(await read(weft, 7_777_777, { format })).toBeUndefined()
  })

  test('as it is by now, not as it was known', async () => {
    const url = await startServer()
    const [weft, other] = [open(url), open(url)]
    const id = await weft.create('the_note', { text: 'one' }).synced
    await other.load(id)
    await other.update(id, { text: 'two' }).synced
    expect(await read(weft, id, { format: 'JUSTDATA' })).toEqual({ the_note: { text: 'two' } })
  })

  test('with others from the inside, in one request each, in their order', async () => {
    const url = await startServer()
    const first = open(url)
    const [a, b] = await Promise.all([
      first.create('the_note', { text: 'a' }).synced,
      first.create('the_note', { text: 'b', at: { x: 1 } }).synced,
    ])
    const name = await createConcept(first, 'name', 'Ann').synced
    expect(await view(open(url), [b, name, 7_777_777, a])).toEqual([
      { data: { text: 'b', at: { x: '1' } }, id: b },
      { data: { the_name: 'Ann' }, id: name },
      { data: { text: 'a' }, id: a },
    ])
  })
})

describe('a list', () => {
  test('has pages, the newest first, and every format', async () => {
    const url = await startServer()
    const first = open(url)
    for (const text of ['a', 'b', 'c', 'd', 'e']) await first.create('the_memo', { text }).synced
    const weft = open(url)
    const page = list<Row>(weft, 'the_memo', { page: 2, pageSize: 2 })
    await page.refresh()
    expect(page.get()).toMatchObject({ status: 'ready', total: 5, complete: true })
    const rows = watch(page)
    expect(rows().map(text)).toEqual(['c', 'b'])
    expect(rows()[0]).toEqual({
      created_at: expect.any(String),
      data: { the_memo: { text: 'c' } },
      id: expect.any(Number),
    })
    const plain = list(weft, 'the_memo', { order: 'ASC', pageSize: 2, format: 'JUSTDATA' })
    await plain.refresh()
    expect(plain.get()).toMatchObject({
      data: [{ the_memo: { text: 'a' } }, { the_memo: { text: 'b' } }],
    })
    const normal = list(weft, 'the_memo', { pageSize: 1, format: 'NORMAL' })
    await normal.refresh()
    expect(normal.get()).toMatchObject({
      data: [{ the_memo: { id: expect.any(Number), text: 'e' } }],
    })
  })

  test('of one user leaves out what belongs to others', async () => {
    const { url } = await startWeft()
    const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
    const made = open(url, ann)
    await made.create('the_memo', { text: 'mine' }).synced
    const all = { access: 5 } as const
    await createConcept(open(url, bob), 'memo', 'theirs', all).synced
    const both = list<Row>(made, 'the_memo', { format: 'RAW' })
    await both.refresh()
    expect(both.get()).toMatchObject({ total: 2 })
    const own = list<Row>(made, 'the_memo', { user: made.user })
    await own.refresh()
    expect(own.get()).toMatchObject({ total: 1, data: [{ data: { the_memo: { text: 'mine' } } }] })
  })

  test('is searched for a text in any field or in one, and follows what is written', async () => {
    const server = await startWeft()
    const weft = open(server.url)
    weft.create('the_book', { title: 'On Weaving', by: 'Ann' })
    weft.create('the_book', { title: 'Cloth', by: 'Woven Bea' })
    await weft.create('the_book', { title: 'Silence', by: 'Cid' }).synced
    const titles = (rows: readonly Book[]) => rows.map((row) => row.data.the_book.title)
    const other = open(server.url)
    const found = search<Book>(other, 'the_book', 'W%VEN')
    const inTitle = search<Book>(other, 'the_book', 'weav', { field: 'the_title' })
    const [rows, oneField] = [watch(found), watch(inTitle)]
    await until(() => rows().length === 1 && oneField().length === 1)
    expect(titles(rows())).toEqual(['Cloth'])
    expect(titles(oneField())).toEqual(['On Weaving'])
    await server.kill()
    other.create('the_book', { title: 'Woven', by: 'Dee' })
    await until(() => rows().length === 2)
    expect(titles(rows())).toEqual(['Woven', 'Cloth'])
  })
})

describe('a record inside a record', () => {
  test('is changed by itself, here and there', async () => {
    const url = await startServer()
    const first = open(url)
    const { id, synced } = first.create('the_phonebook', entry)
    const real = await synced
    const weft = open(url)
    await weft.load(real)
    const { the_phonebook } = (await read(weft, real, { format: 'ALLID' })) as Inner
    const write = updateInside(weft, real, the_phonebook.address.id, { city: 'Bergen', zip: 5003 })
    const lines = ['first', 'second']
    const want = { ...fields, address: { lines, city: 'Bergen', zip: '5003' } }
    expect(weft.record(real)).toEqual(want)
    await write.synced
    const other = open(url)
    expect(await other.load(real)).toEqual(want)
    const all = await allConnections(other, the_phonebook.address.id)
    expect(all.map((c) => c.order)).toEqual([1, 2, 2])
    expect(first.record(id)).not.toEqual(want)
    expect(updateInside(weft, real, the_phonebook.address.id, { city: 'Bergen' }).key).toBe('')
  })

  test('is none of it when it is a value or stands elsewhere', () => {
    const weft = alone()
    const [one, two] = [weft.create('the_x', entry), weft.create('the_x', { a: { b: 1 } })]
    const patch = (of: number) => () => updateInside(weft, one.id, of, { a: 1 })
    expect(patch(two.id)).toThrow(`concept ${two.id} is not a record of composition ${one.id}`)
    expect(patch(weft.find('the_name', 'Ann')?.id ?? 0)).toThrow('is not a record')
  })
})

test('what a record was made of has the order 1, what a change brought the order 2', async () => {
  const url = await startServer()
  const weft = open(url)
  const { id, synced } = weft.create('the_note', { text: 'one', done: false })
  weft.update(id, { text: 'two' })
  const real = await synced
  await until(() => weft.sync.get().pending === 0)
  const all = await allConnections(open(url), real)
  expect(all.map((c) => c.order)).toEqual([1, 2])
})

describe('removing', () => {
  test('takes connections and the records inside along, also of what was not here', async () => {
    const url = await startServer()
    const first = open(url)
    const { id, synced } = first.create('the_phonebook', entry)
    const { the_phonebook } = (await read(first, id, { format: 'ALLID' })) as Inner
    const real = await synced
    const address = realOf(first, the_phonebook.address.id)
    const weft = open(url)
    await (await removeWhole(weft, real)).synced
    const other = open(url)
    expect(await other.get(real)).toBeUndefined()
    expect(await other.get(address)).toBeUndefined()
    expect((await find(other, 'name', 'Ann'))?.value).toBe('Ann')
    expect(await read(first, id)).toBeUndefined()
  })

  test('of what was never sent asks nobody, and of what nobody has is done', async () => {
    const weft = alone()
    const { id } = createConcept(weft, 'name', 'Ann')
    await removeWhole(weft, id)
    expect(weft.concept(id)).toBeUndefined()
    expect(weft.find('the_name', 'Ann')).toBeUndefined()
    const there = open(await startServer())
    await there.ready
    const requests = countRequests()
    const bulk = '/api/get_all_connections_of_composition_bulk'
    await removeWhole(there, createConcept(there, 'name', 'Ann').id)
    expect(requests(bulk)).toBe(0)
    await (await removeWhole(there, 7_777_777)).synced
    expect(requests(bulk)).toBe(1)
    expect(there.sync.get()).toMatchObject({ pending: 0, failed: [] })
  })
})

interface Row {
  readonly data: { readonly the_memo: { readonly text: string } }
}

interface Book {
  readonly data: { readonly the_book: { readonly title: string } }
}

interface Inner {
  readonly the_phonebook: { readonly address: { readonly id: number } }
}

const text = (row: Row) => row.data.the_memo.text
