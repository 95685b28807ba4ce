import { describe, expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import {
  allConnections,
  createConcept,
  createRecord,
  findConcept,
  listRecords,
  readRecord,
  readRecords,
  removeWithNested,
  searchRecords,
  updateNestedRecord,
} from '../src/graph/index.ts'
import type { Format } from '../src/index.ts'
import { countRequests, offlineClient, open, realOf, until, watch } from './open.ts'
import { startServer, tokenOf } from './server.ts'

const entry = { name: 'Ann', phone: 555, address: { city: 'Oslo', lines: ['first', 'second'] } }
const fields = { ...entry, phone: '555' }

describe('readRecord', () => {
  test('returns every format of a record that is not loaded', async () => {
    const url = await startServer()
    const id = await open(url).create('the_phonebook', entry).synced
    const weft = open(url)
    const readAs = (format: Format) => readRecord(weft, id, { format })
    const created_at = (await weft.get(id))?.created
    expect(await readAs('NORMAL')).toEqual({ the_phonebook: { id, ...fields } })
    expect(await readAs('LISTNORMAL')).toEqual([{ the_phonebook: { id, ...fields } }])
    expect(await readAs('JUSTDATA')).toEqual({ the_phonebook: fields })
    const listed = { created_at, data: { the_phonebook: fields }, id }
    expect(await readAs('DATAID')).toEqual(listed)
    expect(await readAs('DATAIDDATE')).toEqual(listed)
    const address = expect.objectContaining({ id: expect.any(Number), city: 'Oslo' })
    expect(await readAs('ALLID')).toEqual({ the_phonebook: { ...fields, id, address } })
    expect(await readAs('DATAV2')).toMatchObject({
      id,
      data: { the_phonebook: { name: { data: { the_name: 'Ann' } } } },
      created_on: created_at,
    })
    const raw = await readAs('RAW')
    expect(raw).toMatchObject({ compositionIds: [id], reverse: [], countInfos: [], order: 'DESC' })
    expect(raw).toMatchObject({ linkers: { length: 7 }, conceptIds: { length: 8 } })
  })

  test('reads unsent records, values and missing records', async () => {
    const weft = offlineClient()
    const { id } = weft.create('the_phonebook', entry)
    const justData = { format: 'JUSTDATA' } as const
    expect(await readRecord(weft, id, justData)).toEqual({ the_phonebook: fields })
    const name = createConcept(weft, 'name', 'Bea')
    expect(await readRecord(weft, name.id, justData)).toEqual({ the_name: 'Bea' })
    expect(await readRecord(weft, name.id)).toEqual({ the_name: 'Bea' })
    for (const format of ['NORMAL', 'LISTNORMAL', 'RAW', 'DATAV2'] as const)
      expect(await readRecord(weft, 7_777_777, { format })).toBeUndefined()
  })

  test('returns the current version, not the loaded one', async () => {
    const url = await startServer()
    const [weft, other] = [open(url), open(url)]
    const id = await weft.create('the_note', { text: 'one' }).synced
    await other.load(id)
    await other.update(id, { text: 'two' }).synced
    expect(await readRecord(weft, id, { format: 'JUSTDATA' })).toEqual({
      the_note: { text: 'two' },
    })
  })

  test('readRecords returns several records in order, in one request each', async () => {
    const url = await startServer()
    const first = open(url)
    const [a, b] = await Promise.all([
      first.create('the_note', { text: 'a' }).synced,
      first.create('the_note', { text: 'b', at: { x: 1 } }).synced,
    ])
    const name = await createConcept(first, 'name', 'Ann').synced
    expect(await readRecords(open(url), [b, name, 7_777_777, a])).toEqual([
      { data: { text: 'b', at: { x: '1' } }, id: b },
      { data: { the_name: 'Ann' }, id: name },
      { data: { text: 'a' }, id: a },
    ])
  })
})

describe('listRecords', () => {
  test('returns pages, newest first, in every format', async () => {
    const url = await startServer()
    const first = open(url)
    for (const text of ['a', 'b', 'c', 'd', 'e']) await first.create('the_memo', { text }).synced
    const weft = open(url)
    const page = listRecords<Row>(weft, 'the_memo', { page: 2, pageSize: 2 })
    await page.refresh()
    expect(page.get()).toMatchObject({ status: 'ready', total: 5, complete: true })
    const rows = watch(page)
    expect(rows().map(text)).toEqual(['c', 'b'])
    expect(rows()[0]).toEqual({
      created_at: expect.any(String),
      data: { the_memo: { text: 'c' } },
      id: expect.any(Number),
    })
    const plain = listRecords(weft, 'the_memo', { order: 'ASC', pageSize: 2, format: 'JUSTDATA' })
    await plain.refresh()
    expect(plain.get()).toMatchObject({
      data: [{ the_memo: { text: 'a' } }, { the_memo: { text: 'b' } }],
    })
    const normal = listRecords(weft, 'the_memo', { pageSize: 1, format: 'NORMAL' })
    await normal.refresh()
    expect(normal.get()).toMatchObject({
      data: [{ the_memo: { id: expect.any(Number), text: 'e' } }],
    })
  })

  test("leaves out other users' records", async () => {
    const { url } = await startWeft()
    const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
    const weft = open(url, ann)
    await weft.create('the_memo', { text: 'mine' }).synced
    const publicAccess = { access: 5 } as const
    await createConcept(open(url, bob), 'memo', 'theirs', publicAccess).synced
    const ofAllUsers = listRecords<Row>(weft, 'the_memo', { format: 'RAW' })
    await ofAllUsers.refresh()
    expect(ofAllUsers.get()).toMatchObject({ total: 2 })
    const own = listRecords<Row>(weft, 'the_memo', { user: weft.user })
    await own.refresh()
    expect(own.get()).toMatchObject({ total: 1, data: [{ data: { the_memo: { text: 'mine' } } }] })
  })

  test("lists a user's records with or without shared records, even before they are sent", async () => {
    const url = await startServer('--anonymous-writes')
    const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
    const weft = open(url, ann)
    await weft.create('the_memo', { text: 'mine' }).synced
    await open(url).create('the_memo', { text: 'shared' }).synced
    await createRecord(open(url, bob), 'the_memo', { text: 'theirs' }, { access: 5 }).synced
    const { user } = weft
    const withShared = watch(listRecords<Row>(weft, 'the_memo', { user }))
    const own = watch(listRecords<Row>(weft, 'the_memo', { user, onlyOwn: true }))
    const found = watch(searchRecords<Row>(weft, 'the_memo', 'e', { user }))
    const texts = (rows: readonly Row[]) => rows.map((row) => row.data.the_memo.text)
    await until(() => withShared().length === 2 && own().length === 1 && found().length === 2)
    expect(texts(withShared())).toEqual(['shared', 'mine'])
    const { id } = weft.create('the_memo', { text: 'pending' })
    expect(String(weft.concept(id)?.owner)).toBe(user)
    await Promise.resolve()
    expect(texts(own())).toEqual(['pending', 'mine'])
    expect(texts(withShared())).toEqual(['pending', 'shared', 'mine'])
  })

  test('searchRecords searches all fields or one field, and its result follows writes', async () => {
    const server = await startWeft()
    const weft = open(server.url)
    weft.create('the_book', { title: 'On Weaving', by: 'Ann' })
    weft.create('the_book', { title: 'Cloth', by: 'Woven Bea' })
    await weft.create('the_book', { title: 'Silence', by: 'Cid' }).synced
    const titles = (rows: readonly Book[]) => rows.map((row) => row.data.the_book.title)
    const other = open(server.url)
    const found = searchRecords<Book>(other, 'the_book', 'W%VEN')
    const inTitle = searchRecords<Book>(other, 'the_book', 'weav', { field: 'the_title' })
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

describe('updateNestedRecord', () => {
  test('changes only the nested record, locally and on the server', async () => {
    const url = await startServer()
    const first = open(url)
    const { id, synced } = first.create('the_phonebook', entry)
    const real = await synced
    const weft = open(url)
    await weft.load(real)
    const { the_phonebook } = (await readRecord(weft, real, { format: 'ALLID' })) as Inner
    const write = updateNestedRecord(weft, real, the_phonebook.address.id, {
      city: 'Bergen',
      zip: 5003,
    })
    const lines = ['first', 'second']
    const expected = { ...fields, address: { lines, city: 'Bergen', zip: '5003' } }
    expect(weft.record(real)).toEqual(expected)
    await write.synced
    const other = open(url)
    expect(await other.load(real)).toEqual(expected)
    const all = await allConnections(other, the_phonebook.address.id)
    expect(all.map((c) => c.order)).toEqual([1, 2, 2])
    expect(first.record(id)).not.toEqual(expected)
    expect(updateNestedRecord(weft, real, the_phonebook.address.id, { city: 'Bergen' }).key).toBe(
      '',
    )
  })

  test('rejects values, and records that are not inside the outer record', () => {
    const weft = offlineClient()
    const [one, two] = [weft.create('the_x', entry), weft.create('the_x', { a: { b: 1 } })]
    const patch = (id: number) => () => updateNestedRecord(weft, one.id, id, { a: 1 })
    expect(patch(two.id)).toThrow(`concept ${two.id} is not a record of composition ${one.id}`)
    expect(patch(weft.find('the_name', 'Ann')?.id ?? 0)).toThrow('is not a record')
  })
})

test('the connections of a creation have order 1, and those of an update order 2', async () => {
  const url = await startServer()
  const weft = open(url)
  const { id, synced } = weft.create('the_note', { text: 'one', done: false })
  weft.update(id, { text: 'two' })
  const real = await synced
  await until(() => weft.sync.get().pending === 0)
  const all = await allConnections(open(url), real)
  expect(all.map((c) => c.order)).toEqual([1, 2])
})

describe('removeWithNested', () => {
  test('removes connections and nested records, even if they are not loaded', async () => {
    const url = await startServer()
    const first = open(url)
    const { id, synced } = first.create('the_phonebook', entry)
    const { the_phonebook } = (await readRecord(first, id, { format: 'ALLID' })) as Inner
    const real = await synced
    const address = realOf(first, the_phonebook.address.id)
    const weft = open(url)
    await (await removeWithNested(weft, real)).synced
    const other = open(url)
    expect(await other.get(real)).toBeUndefined()
    expect(await other.get(address)).toBeUndefined()
    expect((await findConcept(other, 'name', 'Ann'))?.value).toBe('Ann')
    expect(await readRecord(first, id)).toBeUndefined()
  })

  test('sends no request for an unsent record, and succeeds for a record that does not exist', async () => {
    const weft = offlineClient()
    const { id } = createConcept(weft, 'name', 'Ann')
    await removeWithNested(weft, id)
    expect(weft.concept(id)).toBeUndefined()
    expect(weft.find('the_name', 'Ann')).toBeUndefined()
    const online = open(await startServer())
    await online.ready
    const requests = countRequests()
    const bulk = '/api/get_all_connections_of_composition_bulk'
    await removeWithNested(online, createConcept(online, 'name', 'Ann').id)
    expect(requests(bulk)).toBe(0)
    await (await removeWithNested(online, 7_777_777)).synced
    expect(requests(bulk)).toBe(1)
    expect(online.sync.get()).toMatchObject({ pending: 0, failed: [] })
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
