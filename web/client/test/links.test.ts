import { describe, expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import {
  allConnections,
  connect,
  countLinks,
  createConcept,
  disconnect,
  findConnectionsBetween,
  link,
  linkLegacy,
  listLinks,
  readLinkCount,
  readLinks,
  unlink,
  unlinkAll,
  unlinkEach,
} from '../src/graph/index.ts'
import type { Client, QueryState } from '../src/index.ts'
import { offlineClient, open, realOf, until, watch } from './open.ts'
import { startServer, tokenOf } from './server.ts'

describe('link', () => {
  test('creates a link and its new type in one request', async () => {
    const url = await startServer()
    const weft = open(url)
    const [ann, bea] = createPeople(weft, 'Ann', 'Bea')
    const { synced } = link(weft, ann, 'friend', bea)
    expect(await synced).toBe(realOf(weft, ann))
    const other = open(url)
    const found = await readLinks<Row>(other, await synced, 'the_person_friend')
    expect(found.map((row) => row.data)).toEqual([{ the_person: { name: 'Bea' } }])
    const [connection] = await allConnections(other, await synced).then((all) =>
      all.filter((c) => c.order === 1000),
    )
    expect(connection).toMatchObject({ from: await synced, order: 1000, access: 4 })
    expect(other.concept(connection?.type ?? 0)?.value).toBe('the_person_friend')
  })

  test('immediately updates live queries on creation and removal, even for the first link of a type', async () => {
    const weft = open(await startServer())
    const [ann, bea] = createPeople(weft, 'Ann', 'Bea')
    const queries = [
      listLinks<Row>(weft, ann, 'friend'),
      listLinks<Row>(weft, bea, 'the_person_friend', { reverse: true }),
    ] as const
    const [friends, back] = [watch(queries[0]), watch(queries[1])]
    await until(() => queries.every((query) => isComplete(query.get())))
    const created = link(weft, ann, 'friend', bea)
    await Promise.resolve()
    expect(names(friends())).toEqual(['Bea'])
    expect(names(back())).toEqual(['Ann'])
    await created.synced
    expect(names(friends())).toEqual(['Bea'])
    weft.update(bea, { name: 'Beatrice' })
    await Promise.resolve()
    expect(names(friends())).toEqual(['Beatrice'])
    const removal = disconnect(weft, created.connection)
    await Promise.resolve()
    expect([friends(), back()]).toEqual([[], []])
    await removal.synced
    expect(await readLinks(weft, ann, 'friend')).toEqual([])
  })

  test('works without a server, and is sent when the server starts', async () => {
    const server = await startWeft()
    await server.kill()
    const weft = open(server.url)
    const [ann, bea] = createPeople(weft, 'Ann', 'Bea')
    const { synced } = link(weft, ann, 'friend', bea)
    expect(names(await readLinks<Row>(weft, ann, 'friend'))).toEqual(['Bea'])
    expect(names(await readLinks<Row>(weft, bea, 'the_person_friend', { reverse: true }))).toEqual([
      'Ann',
    ])
    await server.start()
    const real = await synced
    expect(names(await readLinks<Row>(open(server.url), real, 'the_person_friend'))).toEqual([
      'Bea',
    ])
  })

  test('lists pages, newest first, with the total', async () => {
    const url = await startServer()
    const first = open(url)
    const [ann, ...others] = createPeople(first, 'Ann', 'a', 'b', 'c', 'd', 'e')
    for (const other of others) link(first, ann, 's_friend', other)
    await until(() => first.sync.get().pending === 0)
    const real = realOf(first, ann)
    const weft = open(url)
    const options = { page: 2, pageSize: 2 }
    const query = listLinks<Row>(weft, real, 'the_person_s_friend', options)
    await query.refresh()
    expect(query.get()).toMatchObject({ status: 'ready', total: 5, complete: true })
    expect(names(await readLinks(weft, real, 'the_person_s_friend', options))).toEqual(['c', 'b'])
    const oldest = { order: 'ASC', pageSize: 2 } as const
    expect(names(await readLinks(weft, real, 'the_person_s_friend', oldest))).toEqual(['a', 'b'])
    expect(await countLinks(weft, real, 'the_person_s_friend')).toBe(5)
    const last = realOf(first, others[4] ?? 0)
    expect(await countLinks(weft, last, 'the_person_s_friend', { reverse: true })).toBe(1)
    expect(await countLinks(weft, last, 'the_person_s_friend')).toBe(0)
  })

  test('returns the linked records in the requested format', async () => {
    const weft = open(await startServer())
    const [ann, bea] = createPeople(weft, 'Ann', 'Bea')
    await link(weft, ann, 'friend', bea).synced
    const readAs = (format: 'JUSTDATA' | 'NORMAL' | 'ALLID' | 'RAW' | 'DATAIDDATE' | 'DATAV2') =>
      readLinks(weft, ann, 'friend', { format })
    const created_at = weft.concept(bea)?.created
    expect(await readAs('JUSTDATA')).toEqual([{ the_person: { name: 'Bea' } }])
    expect(await readAs('ALLID')).toEqual([{ the_person: { id: bea, name: 'Bea' } }])
    expect(await readAs('RAW')).toEqual([bea])
    const [row] = await readAs('DATAV2')
    const created_on = expect.any(String)
    expect(row).toEqual({
      id: bea,
      data: { the_person: { name: { id: expect.any(Number), data: { the_name: 'Bea' } } } },
      created_on,
    })
    const listed = [{ created_at, data: { the_person: { name: 'Bea' } }, id: bea }]
    expect(await readAs('DATAIDDATE')).toEqual(listed)
    expect(await readAs('NORMAL')).toEqual(listed)
  })

  test('rejects equal ends, missing ends and a source that is not loaded', async () => {
    const weft = offlineClient()
    // JavaScript callers may pass any value.
    const none = undefined as unknown as number
    const [ann] = createPeople(weft, 'Ann')
    expect(() => link(weft, ann, 'friend', ann)).toThrow('two different concepts; got from -')
    expect(() => connect(weft, ann, 'the_x', 0)).toThrow('two different concepts')
    expect(() => connect(weft, ann, 'the_x', none)).toThrow('to undefined, type -')
    expect(() => connect(weft, none, 'the_x', ann)).toThrow('got from undefined, to -')
    expect(() => disconnect(weft, [-7, none])).toThrow('invalid id in the list of connections: -7,')
    expect(() => disconnect(weft, 0)).toThrow('invalid id in the list of connections: 0')
    expect(() => link(weft, 7_777_777, 'friend', ann)).toThrow('7777777 is not loaded')
    expect(() => link(weft, ann, 'the friend', ann)).toThrow('without spaces')
    expect(weft.sync.writes()).toHaveLength(1)
  })
})

describe('connect', () => {
  test('sets order and access, and can create a connection inside a record', async () => {
    const url = await startServer('--max-body', '4000', '--anonymous-writes')
    const weft = open(url)
    const [ann, bea] = createPeople(weft, 'Ann', 'Bea')
    const plain = connect(weft, ann, 'the_x', bea)
    const publicConnection = connect(weft, ann, 'the_y', bea, { order: 7, access: 5 })
    await connect(weft, ann, ann, bea).synced
    const found = await allConnections(open(url), await plain.synced)
    expect(found.slice(-3).map((c) => [c.order, c.access])).toEqual([
      [1, 4],
      [7, 5],
      [1, 4],
    ])
    await publicConnection.synced
    expect(await open(url).load(await plain.synced)).toEqual({
      name: 'Ann',
      person: expect.anything(),
    })
  })

  test('allConnections lists both directions, without connections that others removed', async () => {
    const url = await startServer()
    const [weft, other] = [open(url), open(url)]
    const [ann, bea] = createPeople(weft, 'Ann', 'Bea')
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

describe('unlink', () => {
  test('removes links that are not loaded: those between two concepts, and all of given types', async () => {
    const url = await startServer()
    const first = open(url)
    const [ann, bea, cid] = createPeople(first, 'Ann', 'Bea', 'Cid')
    for (const relation of ['friend', 'friend', 'foe', 'boss']) link(first, ann, relation, bea)
    link(first, ann, 'friend', cid)
    await until(() => first.sync.get().pending === 0)
    const [a, b] = [realOf(first, ann), realOf(first, bea)]
    const weft = open(url)
    await weft.get(a)
    await weft.get(b)
    const pairs = ['friend', 'foe', 'nothing'].map((relation) => ({ from: a, relation, to: b }))
    expect(await findConnectionsBetween(weft, pairs)).toHaveLength(3)
    await (await unlink(weft, a, 'friend', b)).synced
    expect(names(await readLinks(open(url), a, 'the_person_friend'))).toEqual(['Cid'])
    await (await unlinkAll(weft, a, 'friend')).synced
    expect(await readLinks(open(url), a, 'the_person_friend')).toEqual([])
    expect(names(await readLinks(open(url), a, 'the_person_foe'))).toEqual(['Bea'])
    await (await unlinkAll(weft, a, ['foe', 'boss', 'nothing'])).synced
    expect(await allConnections(open(url), a)).toHaveLength(1)
    expect(await unlink(weft, a, 'friend', b)).toMatchObject({ key: '' })
  })

  test('removes all legacy links of a relation, given its short or its full name', async () => {
    const url = await startServer('--max-body', '9000')
    const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
    const first = open(url, ann)
    const [from, to, other] = createPeople(first, 'Ann', 'Bea', 'Cid')
    // Bob creates a public value with the same name as one of the linkers.
    await createConcept(open(url, bob), 'the_connection', 'the_person_s_foe_s', { access: 5 })
      .synced
    for (const linker of ['friend', 'foe', 'boss'])
      await Promise.all([to, other].map((end) => linkLegacy(first, from, linker, end).synced))
    await link(first, from, 's_friend', to).synced
    const weft = open(url, ann)
    const source = realOf(first, from)
    await weft.get(source)
    await (await unlinkAll(weft, source, 'friend_s', { legacy: true })).synced
    await (await unlinkAll(weft, source, 'the_person_s_foe_s')).synced
    const reader = open(url, ann)
    await reader.get(source)
    const left = (relation: string) => readLinks(reader, source, relation, { legacy: true })
    expect([await left('friend_s'), await left('foe_s')]).toEqual([[], []])
    expect(await left('boss_s')).toHaveLength(2)
    expect(await readLinks(reader, source, 'the_person_s_friend')).toHaveLength(1)
  })

  test('without a server, removes the loaded links, including unsent ones', async () => {
    const weft = offlineClient()
    const [ann, bea] = createPeople(weft, 'Ann', 'Bea')
    link(weft, ann, 'friend', bea)
    const [foe, boss] = [link(weft, ann, 'foe', bea), link(weft, ann, 'boss', bea)]
    await unlinkEach(weft, [
      { from: ann, relation: 'friend', to: bea },
      { from: ann, relation: 'foe', to: bea },
    ])
    expect(await readLinks(weft, ann, 'friend')).toEqual([])
    expect(await readLinks(weft, ann, 'foe')).toEqual([])
    expect(await readLinks(weft, ann, 'boss')).toHaveLength(1)
    disconnect(weft, [foe.connection, boss.connection])
    expect(await readLinks(weft, ann, 'boss')).toEqual([])
  })

  test("the removal of another user's links fails, and the links stay", async () => {
    const url = await startServer('--max-body', '4000')
    const [ann, bob] = [open(url, await tokenOf(url, 'ann')), open(url, await tokenOf(url, 'bob'))]
    const publicAccess = { access: 5 } as const
    const [one, two] = [
      createConcept(ann, 'name', 'a', publicAccess),
      createConcept(ann, 'name', 'b', publicAccess),
    ]
    const real = await link(ann, one.id, 'x', two.id, publicAccess).synced
    const [connection] = await allConnections(bob, real)
    disconnect(bob, connection?.id ?? 0)
    await until(() => bob.sync.get().failed.length === 1)
    const [failed] = bob.sync.get().failed
    expect(failed?.error?.kind).toBe('forbidden')
    expect(await readLinks(bob, real, 'the_name_x', { format: 'RAW' })).toEqual([])
    await bob.sync.discard(failed?.key ?? '')
    expect(await readLinks(bob, real, 'the_name_x', { format: 'RAW' })).toHaveLength(1)
    expect(await allConnections(open(url), real)).toHaveLength(1)
  })
})

describe('linkLegacy', () => {
  test('creates forward links, and reverse links on request, with legacy names', async () => {
    const url = await startServer()
    const weft = open(url)
    const [ann] = createPeople(weft, 'Ann')
    const { id: house } = weft.create('the_house', { street: 'Main' })
    const { synced } = linkLegacy(weft, ann, 'live', house, { both: true })
    const a = await synced
    const other = open(url)
    const options = { legacy: true, format: 'JUSTDATA' } as const
    expect(await readLinks(other, a, 'the_person_s_live_s', options)).toEqual([
      { the_house: { street: 'Main' } },
    ])
    const h = realOf(weft, house)
    expect(await readLinks(other, h, 'live_by', options)).toEqual([{ the_person: { name: 'Ann' } }])
    const all = await allConnections(other, a)
    const linker = other.concept(all.at(-1)?.type ?? 0)
    expect(linker).toMatchObject({ value: 'the_person_s_live_s', access: 5 })
    expect(all.at(-1)).toMatchObject({ to: h, order: 1000 })
    await other.get(a)
    await (await unlinkEach(other, [{ from: a, relation: 'live_s', to: h, legacy: true }])).synced
    expect(await readLinks(open(url), a, 'the_person_s_live_s', options)).toEqual([])
  })

  test('stores the count at both ends, and removes the previous count', async () => {
    const url = await startServer()
    const weft = open(url)
    const [ann, bea, cid] = createPeople(weft, 'Ann', 'Bea', 'Cid')
    linkLegacy(weft, ann, 'know', bea, { both: true, count: true })
    linkLegacy(weft, ann, 'know', cid, { both: true, count: true })
    expect(await readLinkCount(weft, ann, 'know_s')).toBe(2)
    await until(() => weft.sync.get().pending === 0)
    const other = open(url)
    const [a, b] = [realOf(weft, ann), realOf(weft, bea)]
    await Promise.all([other.get(a), other.get(b)])
    expect(await readLinkCount(other, a, 'know_s')).toBe(2)
    expect(await readLinkCount(other, b, 'know_by')).toBe(1)
    expect(await readLinkCount(other, b, 'know_s')).toBe(0)
    const counts = await readLinks(other, a, 'know_s_count', { legacy: true })
    expect(counts).toHaveLength(1)
  })
})

interface Row {
  readonly id: number
  readonly data: { readonly the_person: { readonly name: string } }
}

const isComplete = (state: QueryState<Row>) => state.status === 'ready' && state.complete

const names = (rows: readonly Row[]) => rows.map((row) => row.data.the_person.name)

/** Creates people with these names. */
const createPeople = (weft: Client, ...names: string[]): number[] & [number, number, number] =>
  names.map((name) => weft.create('the_person', { name }).id) as never
