import { describe, expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import type { Client, QueryState } from '../src/index.ts'
import {
  allConnections,
  between,
  connect,
  countLinks,
  createConcept,
  disconnect,
  keptCount,
  link,
  linkFormerly,
  links,
  relation,
  unlink,
  unlinkAll,
  unlinkEach,
} from '../src/records/index.ts'
import { alone, open, realOf, until, watch } from './open.ts'
import { startServer, tokenOf } from './server.ts'

describe('a link', () => {
  test('of a type nobody knew is there with its type in one request', async () => {
    const url = await startServer()
    const weft = open(url)
    const [ann, bea] = people(weft, 'Ann', 'Bea')
    const { synced } = link(weft, ann, 'friend', bea)
    expect(await synced).toBe(realOf(weft, ann))
    const other = open(url)
    const found = await relation<Row>(other, await synced, 'the_person_friend')
    expect(found.map((row) => row.data)).toEqual([{ the_person: { name: 'Bea' } }])
    const [connection] = await allConnections(other, await synced).then((all) =>
      all.filter((c) => c.order === 1000),
    )
    expect(connection).toMatchObject({ from: await synced, order: 1000, access: 4 })
    expect(other.concept(connection?.type ?? 0)?.value).toBe('the_person_friend')
  })

  test('is in a live query at once, the first of its type too, and leaves it at once', async () => {
    const weft = open(await startServer())
    const [ann, bea] = people(weft, 'Ann', 'Bea')
    const queries = [
      links<Row>(weft, ann, 'friend'),
      links<Row>(weft, bea, 'the_person_friend', { reverse: true }),
    ] as const
    const [friends, back] = [watch(queries[0]), watch(queries[1])]
    await until(() => queries.every((query) => isComplete(query.get())))
    const made = link(weft, ann, 'friend', bea)
    await Promise.resolve()
    expect(names(friends())).toEqual(['Bea'])
    expect(names(back())).toEqual(['Ann'])
    await made.synced
    expect(names(friends())).toEqual(['Bea'])
    weft.update(bea, { name: 'Beatrice' })
    await Promise.resolve()
    expect(names(friends())).toEqual(['Beatrice'])
    const removal = disconnect(weft, made.connection)
    await Promise.resolve()
    expect([friends(), back()]).toEqual([[], []])
    await removal.synced
    expect(await relation(weft, ann, 'friend')).toEqual([])
  })

  test('is made and read without a server, and sent when there is one', async () => {
    const server = await startWeft()
    await server.kill()
    const weft = open(server.url)
    const [ann, bea] = people(weft, 'Ann', 'Bea')
    const { synced } = link(weft, ann, 'friend', bea)
    expect(names(await relation<Row>(weft, ann, 'friend'))).toEqual(['Bea'])
    expect(names(await relation<Row>(weft, bea, 'the_person_friend', { reverse: true }))).toEqual([
      'Ann',
    ])
    await server.start()
    const real = await synced
    expect(names(await relation<Row>(open(server.url), real, 'the_person_friend'))).toEqual(['Bea'])
  })

  test('comes in pages, newest first, with the number of all', async () => {
    const url = await startServer()
    const first = open(url)
    const [ann, ...others] = people(first, 'Ann', 'a', 'b', 'c', 'd', 'e')
    for (const other of others) link(first, ann, 's_friend', other)
    await until(() => first.sync.get().pending === 0)
    const real = realOf(first, ann)
    const weft = open(url)
    const options = { page: 2, pageSize: 2 }
    const query = links<Row>(weft, real, 'the_person_s_friend', options)
    await query.refresh()
    expect(query.get()).toMatchObject({ status: 'ready', total: 5, complete: true })
    expect(names(await relation(weft, real, 'the_person_s_friend', options))).toEqual(['c', 'b'])
    const oldest = { order: 'ASC', pageSize: 2 } as const
    expect(names(await relation(weft, real, 'the_person_s_friend', oldest))).toEqual(['a', 'b'])
    expect(await countLinks(weft, real, 'the_person_s_friend')).toBe(5)
    const last = realOf(first, others[4] ?? 0)
    expect(await countLinks(weft, last, 'the_person_s_friend', { reverse: true })).toBe(1)
    expect(await countLinks(weft, last, 'the_person_s_friend')).toBe(0)
  })

  test('hands its target over in the format asked for', async () => {
    const weft = open(await startServer())
    const [ann, bea] = people(weft, 'Ann', 'Bea')
    await link(weft, ann, 'friend', bea).synced
    const as = (format: 'JUSTDATA' | 'NORMAL' | 'ALLID' | 'RAW' | 'DATAIDDATE' | 'DATAV2') =>
      relation(weft, ann, 'friend', { format })
    const created_at = weft.concept(bea)?.created
    expect(await as('JUSTDATA')).toEqual([{ the_person: { name: 'Bea' } }])
    expect(await as('ALLID')).toEqual([{ the_person: { id: bea, name: 'Bea' } }])
    expect(await as('RAW')).toEqual([bea])
    const [row] = await as('DATAV2')
    const created_on = expect.any(String)
    expect(row).toEqual({
      id: bea,
      data: { the_person: { name: { id: expect.any(Number), data: { the_name: 'Bea' } } } },
      created_on,
    })
    const listed = [{ created_at, data: { the_person: { name: 'Bea' } }, id: bea }]
    expect(await as('DATAIDDATE')).toEqual(listed)
    expect(await as('NORMAL')).toEqual(listed)
  })

  test('from a concept to itself, to nothing, or from what is not here is refused', async () => {
    const weft = alone()
    // As a program without types may hand over.
    const none = undefined as unknown as number
    const [ann] = people(weft, 'Ann')
    expect(() => link(weft, ann, 'friend', ann)).toThrow('between two concepts')
    expect(() => connect(weft, ann, 'the_x', 0)).toThrow('between two concepts')
    expect(() => connect(weft, ann, 'the_x', none)).toThrow('not -')
    expect(() => connect(weft, none, 'the_x', ann)).toThrow('not undefined with')
    expect(() => disconnect(weft, [-7, none])).toThrow('a connection is not -7,')
    expect(() => disconnect(weft, 0)).toThrow('a connection is not 0')
    expect(() => link(weft, 7_777_777, 'friend', ann)).toThrow('7777777 is not loaded')
    expect(() => link(weft, ann, 'the friend', ann)).toThrow('without spaces')
    expect(weft.sync.writes()).toHaveLength(1)
  })
})

describe('a connection', () => {
  test('has the order and the access that were asked for, and may be inside a record', async () => {
    const url = await startServer('--max-body', '4000', '--anonymous-writes')
    const weft = open(url)
    const [ann, bea] = people(weft, 'Ann', 'Bea')
    const plain = connect(weft, ann, 'the_x', bea)
    const open5 = connect(weft, ann, 'the_y', bea, { order: 7, access: 5 })
    await connect(weft, ann, ann, bea).synced
    const found = await allConnections(open(url), await plain.synced)
    expect(found.slice(-3).map((c) => [c.order, c.access])).toEqual([
      [1, 4],
      [7, 5],
      [1, 4],
    ])
    await open5.synced
    expect(await open(url).load(await plain.synced)).toEqual({
      name: 'Ann',
      person: expect.anything(),
    })
  })

  test('of every type, in and out, is listed, and what others removed is not', async () => {
    const url = await startServer()
    const [weft, other] = [open(url), open(url)]
    const [ann, bea] = people(weft, 'Ann', 'Bea')
    link(weft, ann, 'friend', bea)
    const { synced } = link(weft, ann, 'foe', bea)
    const [a, b] = [await synced, realOf(weft, bea)]
    const out = await allConnections(other, a)
    expect(out).toHaveLength(3)
    expect(await allConnections(other, b, 'in')).toHaveLength(2)
    await disconnect(
      weft,
      out.slice(-2).map((c) => c.id),
    ).synced
    expect(await allConnections(other, a)).toHaveLength(1)
    expect(await allConnections(other, b, 'in')).toEqual([])
  })
})

describe('links are removed', () => {
  test('between two, by type and by types, by whom that does not know them', async () => {
    const url = await startServer()
    const first = open(url)
    const [ann, bea, cid] = people(first, 'Ann', 'Bea', 'Cid')
    for (const relation of ['friend', 'friend', 'foe', 'boss']) link(first, ann, relation, bea)
    link(first, ann, 'friend', cid)
    await until(() => first.sync.get().pending === 0)
    const [a, b] = [realOf(first, ann), realOf(first, bea)]
    const weft = open(url)
    await weft.get(a)
    await weft.get(b)
    const pairs = ['friend', 'foe', 'nothing'].map((relation) => ({ from: a, relation, to: b }))
    expect(await between(weft, pairs)).toHaveLength(3)
    await (await unlink(weft, a, 'friend', b)).synced
    expect(names(await relation(open(url), a, 'the_person_friend'))).toEqual(['Cid'])
    await (await unlinkAll(weft, a, 'friend')).synced
    expect(await relation(open(url), a, 'the_person_friend')).toEqual([])
    expect(names(await relation(open(url), a, 'the_person_foe'))).toEqual(['Bea'])
    await (await unlinkAll(weft, a, ['foe', 'boss', 'nothing'])).synced
    expect(await allConnections(open(url), a)).toHaveLength(1)
    expect(await unlink(weft, a, 'friend', b)).toMatchObject({ key: '' })
  })

  test('without a server those that are here, the unsent ones too', async () => {
    const weft = alone()
    const [ann, bea] = people(weft, 'Ann', 'Bea')
    link(weft, ann, 'friend', bea)
    const [foe, boss] = [link(weft, ann, 'foe', bea), link(weft, ann, 'boss', bea)]
    await unlinkEach(weft, [
      { from: ann, relation: 'friend', to: bea },
      { from: ann, relation: 'foe', to: bea },
    ])
    expect(await relation(weft, ann, 'friend')).toEqual([])
    expect(await relation(weft, ann, 'foe')).toEqual([])
    expect(await relation(weft, ann, 'boss')).toHaveLength(1)
    disconnect(weft, [foe.connection, boss.connection])
    expect(await relation(weft, ann, 'boss')).toEqual([])
  })

  test('that somebody else owns stay, and the write says so', async () => {
    const url = await startServer('--max-body', '4000')
    const [ann, bob] = [open(url, await tokenOf(url, 'ann')), open(url, await tokenOf(url, 'bob'))]
    const all = { access: 5 } as const
    const [one, two] = [createConcept(ann, 'name', 'a', all), createConcept(ann, 'name', 'b', all)]
    const real = await link(ann, one.id, 'x', two.id, all).synced
    const [connection] = await allConnections(bob, real)
    disconnect(bob, connection?.id ?? 0)
    await until(() => bob.sync.get().failed.length === 1)
    const [failed] = bob.sync.get().failed
    expect(failed?.error?.kind).toBe('forbidden')
    expect(await relation(bob, real, 'the_name_x', { format: 'RAW' })).toEqual([])
    await bob.sync.discard(failed?.key ?? '')
    expect(await relation(bob, real, 'the_name_x', { format: 'RAW' })).toHaveLength(1)
    expect(await allConnections(open(url), real)).toHaveLength(1)
  })
})

describe('linkers of former times', () => {
  test('lead forwards, and backwards where asked, under their old names', async () => {
    const url = await startServer()
    const weft = open(url)
    const [ann] = people(weft, 'Ann')
    const { id: house } = weft.create('the_house', { street: 'Main' })
    const { synced } = linkFormerly(weft, ann, 'live', house, { both: true })
    const a = await synced
    const other = open(url)
    const options = { legacy: true, format: 'JUSTDATA' } as const
    expect(await relation(other, a, 'the_person_s_live_s', options)).toEqual([
      { the_house: { street: 'Main' } },
    ])
    const h = realOf(weft, house)
    expect(await relation(other, h, 'live_by', options)).toEqual([{ the_person: { name: 'Ann' } }])
    const all = await allConnections(other, a)
    const linker = other.concept(all.at(-1)?.type ?? 0)
    expect(linker).toMatchObject({ value: 'the_person_s_live_s', access: 5 })
    expect(all.at(-1)).toMatchObject({ to: h, order: 1000 })
    await other.get(a)
    await (await unlinkEach(other, [{ from: a, relation: 'live_s', to: h, legacy: true }])).synced
    expect(await relation(open(url), a, 'the_person_s_live_s', options)).toEqual([])
  })

  test('are counted beside both ends, and only the last count stays', async () => {
    const url = await startServer()
    const weft = open(url)
    const [ann, bea, cid] = people(weft, 'Ann', 'Bea', 'Cid')
    linkFormerly(weft, ann, 'know', bea, { both: true, count: true })
    linkFormerly(weft, ann, 'know', cid, { both: true, count: true })
    expect(await keptCount(weft, ann, 'know_s')).toBe(2)
    await until(() => weft.sync.get().pending === 0)
    const other = open(url)
    const [a, b] = [realOf(weft, ann), realOf(weft, bea)]
    await Promise.all([other.get(a), other.get(b)])
    expect(await keptCount(other, a, 'know_s')).toBe(2)
    expect(await keptCount(other, b, 'know_by')).toBe(1)
    expect(await keptCount(other, b, 'know_s')).toBe(0)
    const counts = await relation(other, a, 'know_s_count', { legacy: true })
    expect(counts).toHaveLength(1)
  })
})

interface Row {
  readonly id: number
  readonly data: { readonly the_person: { readonly name: string } }
}

const isComplete = (state: QueryState<Row>) => state.status === 'ready' && state.complete

const names = (rows: readonly Row[]) => rows.map((row) => row.data.the_person.name)

/** Makes people of these names. */
const people = (weft: Client, ...all: string[]): number[] & [number, number, number] =>
  all.map((name) => weft.create('the_person', { name }).id) as never
