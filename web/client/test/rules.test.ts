import { describe, expect, onTestFinished, test } from 'vitest'
import { startWeft, type Weft } from '../../e2e/weft.ts'
import {
  addLink,
  increment,
  link,
  readLinks,
  removeLink,
  setLink,
  upsert,
} from '../src/graph/index.ts'
import type { Client, Id } from '../src/index.ts'
import { begin } from '../src/transaction/index.ts'
import { open } from './open.ts'
import { respondWith, startProxy } from './proxy.ts'

const sync = '/api/v1/local-concepts'

describe('increment', () => {
  test('increments of two offline clients add up, and each is shown immediately', async () => {
    const { weft, clients } = await setUp(2)
    const [ann, bo] = clients as [Client, Client]
    const id = await ann.create('the_counter', { count: 3, name: 'visits' }).synced
    await bo.load(id)
    await weft.kill()
    increment(ann, id, 'count', 1)
    increment(ann, id, 'count', 1)
    increment(bo, id, 'the_count', -10)
    expect([ann, bo].map((client) => client.record(id))).toMatchObject([
      { count: '5' },
      { count: '-7' },
    ])
    await weft.start()
    await expectStored(weft, id, { count: '-5', name: 'visits' })
  })

  test('starts at zero, adds decimals exactly, and works in a transaction', async () => {
    const { weft, clients } = await setUp(1)
    const [ann] = clients as [Client]
    const tx = begin(ann)
    const { id } = tx.create('the_counter', { price: 0.1 })
    tx.run((client) => increment(client, id, 'price', 0.2))
    tx.run((client) => increment(client, id, 'count', 2))
    tx.update(id, { count: 10 })
    tx.run((client) => increment(client, id, 'count', 5))
    expect(ann.record(id)).toEqual({ price: '0.3', count: '15' })
    const real = await (await tx.commit()).synced
    await expectStored(weft, real, { price: '0.3', count: '15' })
    expect(ann.record(id)).toEqual({ price: '0.3', count: '15' })
  })

  test('is applied once if the response is lost and the write is sent again', async () => {
    const { weft, clients } = await setUp(1)
    const [bo] = clients as [Client]
    const proxy = await startProxy(weft.url)
    const ann = open(proxy.url)
    const id = await ann.create('the_counter', { count: 1 }).synced
    proxy.next(sync, async (response, forward) => {
      await forward()
      await bo.load(id)
      await increment(bo, id, 'count', 100).synced
      response.destroy()
    })
    await increment(ann, id, 'count', 1).synced
    await expectStored(weft, id, { count: '102' })
  })

  test('shows the sum of the server after the sync', async () => {
    const { clients } = await setUp(2)
    const [ann, bo] = clients as [Client, Client]
    const id = await ann.create('the_counter', { count: 1 }).synced
    await bo.load(id)
    await increment(bo, id, 'count', 10).synced
    const write = increment(ann, id, 'count', 1)
    expect(ann.record(id)).toEqual({ count: '2' })
    await write.synced
    expect(ann.record(id)).toEqual({ count: '12' })
    await ann.update(id, { count: 40 }).synced
    await increment(bo, id, 'count', 1).synced
    expect(bo.record(id)).toEqual({ count: '41' })
  })

  test('refuses fields that are not numbers, and records that are not loaded', async () => {
    const { clients } = await setUp(1)
    const [ann] = clients as [Client]
    const { id } = ann.create('the_counter', { name: 'visits', at: { x: 1 } })
    expect(() => increment(ann, id, 'name', 1)).toThrow('they must both be numbers')
    expect(() => increment(ann, id, 'at', 1)).toThrow('at is a record')
    expect(() => increment(ann, id, 'count', Number.NaN)).toThrow('cannot add NaN')
    expect(() => increment(ann, id, 'count', 2 ** 53)).toThrow('too large')
    expect(() => increment(ann, 4_000_000_000, 'count', 1)).toThrow('not loaded')
    expect(ann.record(id)).toEqual({ name: 'visits', at: { x: '1' } })
  })
})

describe('upsert', () => {
  test('upserts of two offline clients end with one record that has the fields of both', async () => {
    const { weft, clients } = await setUp(2)
    const [ann, bo] = clients as [Client, Client]
    await weft.kill()
    const one = upsert(ann, 'the_person', { by: 'mail' }, { mail: 'a@b.c', name: 'Ann', age: 30 })
    const two = upsert(bo, 'the_person', { by: 'the_mail' }, { mail: 'a@b.c', name: 'Annie' })
    expect(bo.record(two.id)).toEqual({ mail: 'a@b.c', name: 'Annie' })
    bo.update(two.id, { city: 'Oslo' })
    await weft.start()
    const ids = await Promise.all([one.synced, two.synced])
    expect(ids[0]).toBe(ids[1])
    await expect.poll(() => bo.sync.get().pending).toBe(0)
    const stored: { name?: unknown } | undefined = await load(weft, ids[0])
    expect(stored).toMatchObject({ mail: 'a@b.c', age: '30', city: 'Oslo' })
    expect(['Ann', 'Annie']).toContain(stored?.name)
    expect(await weft.count('the_person')).toBe(1)
  })

  test('updates a record even if it is not loaded, and loads it', async () => {
    const { weft, clients } = await setUp(2)
    const [ann, bo] = clients as [Client, Client]
    const fields = { mail: 'a@b.c', tags: ['x', 'y'], age: 30 }
    const { id } = ann.create('the_person', fields)
    expect(upsert(ann, 'the_person', { by: 'mail' }, { mail: 'a@b.c', age: 31 }).id).toBe(id)
    const real = await ann.create('the_pet', { mail: 'a@b.c' }).synced
    await expect.poll(() => ann.sync.get().pending).toBe(0)
    const write = upsert(bo, 'the_person', { by: 'mail' }, { mail: 'a@b.c', tags: ['z'] })
    expect(await write.synced).toBe(ann.realId(id))
    expect(bo.record(write.id)).toEqual({ mail: 'a@b.c', tags: ['z'], age: '31' })
    expect(bo.record(write.id)).toBe(bo.record(await write.synced))
    await expectStored(weft, await write.synced, { mail: 'a@b.c', tags: ['z'], age: '31' })
    await expectStored(weft, real, { mail: 'a@b.c' })
  })

  test('creates a record if the key was changed in the meantime', async () => {
    const { weft, clients } = await setUp(2)
    const [ann, bo] = clients as [Client, Client]
    const { id, synced } = ann.create('the_person', { mail: 'old' })
    await synced
    await ann.update(id, { mail: 'new' }).synced
    expect(upsert(ann, 'the_person', { by: 'mail' }, { mail: 'old' }).id).not.toBe(id)
    await upsert(bo, 'the_person', { by: 'mail' }, { mail: 'old' }).synced
    await expect.poll(() => weft.count('the_person')).toBe(2)
  })

  test('does not change a record that another client removed or gave another key', async () => {
    const { weft, clients } = await setUp(2)
    const [ann, bo] = clients as [Client, Client]
    const ids = await Promise.all(
      ['a', 'b'].map((mail) => bo.create('the_person', { mail, n: '1' }).synced),
    )
    const [removed, renamed] = ids as [Id, Id]
    const people = ann.query({ type: 'the_person', selectors: ['the_person_mail'] })
    const count = () => (people.get() as { data?: readonly unknown[] }).data?.length
    const unsubscribe = people.subscribe(() => {})
    for (const id of ids) await ann.load(id)
    await expect.poll(count).toBe(2)
    await bo.remove(removed).synced
    await expect.poll(count).toBe(1)
    unsubscribe()
    await bo.update(renamed, { mail: 'c' }).synced
    const writes = ['a', 'b'].map((mail) =>
      upsert(ann, 'the_person', { by: 'mail' }, { mail, n: '2' }),
    )
    for (const write of writes) expect(ids).not.toContain(await write.synced)
    await expectStored(weft, renamed, { mail: 'c', n: '1' })
    expect(await weft.count('the_person')).toBe(3)
  })

  test('refuses fields without the key', async () => {
    const { clients } = await setUp(1)
    const [ann] = clients as [Client]
    for (const fields of [{}, { mail: '' }, { mail: 'x'.repeat(256) }, { mail: { at: 'x' } }])
      expect(() => upsert(ann, 'the_person', { by: 'mail' }, fields)).toThrow('an upsert by mail')
    expect(ann.sync.writes()).toEqual([])
  })
})

describe('links', () => {
  test('are set, replaced and removed in one write each, even offline', async () => {
    const { weft, clients } = await setUp(1)
    const [ann] = clients as [Client]
    const proxy = await startProxy(weft.url)
    const bo = open(proxy.url)
    const [id, acme] = ['the_person', 'the_company'].map((type) => bo.create(type, { n: type }).id)
    if (!id || !acme) throw new Error('no records')
    setLink(bo, id, 'company', acme)
    await expect.poll(() => bo.sync.get().pending).toBe(0)
    await weft.kill()
    const other = bo.create('the_company', { n: 'other' }).id
    const write = setLink(bo, id, 'the_person_company', other)
    expect(await companies(bo, id)).toEqual(['other'])
    await weft.start()
    await write.synced
    const requests = proxy.requests(sync).map(({ body }) => JSON.parse(body))
    expect(requests.at(-1).removeConnections).toHaveLength(1)
    expect(await companies(ann, await realId(bo, id))).toEqual(['other'])
    expect(setLink(bo, id, 'company', other).key).toBe('')

    await setLink(bo, id, 'company', null).synced
    expect(await companies(ann, await realId(bo, id))).toEqual([])
    expect(setLink(bo, id, 'company', null).key).toBe('')
  })

  test('if two offline clients set a link, readers use the newest, and the next write removes the other', async () => {
    const { weft, clients } = await setUp(2)
    const [ann, bo] = clients as [Client, Client]
    const [id, x, y] = await Promise.all(
      ['the_person', 'the_company', 'the_company'].map((t, n) => ann.create(t, { n }).synced),
    )
    if (!id || !x || !y) throw new Error('no records')
    for (const client of [ann, bo]) for (const each of [id, x, y]) await client.load(each)
    await weft.kill()
    setLink(ann, id, 'company', x)
    setLink(bo, id, 'company', y)
    await weft.start()
    await expect.poll(() => ann.sync.get().pending + bo.sync.get().pending).toBe(0)
    expect((await companies(ann, id)).length).toBe(2)
    await setLink(ann, id, 'company', x).synced
    expect(await companies(bo, id)).toEqual(['1'])
  })

  test('are added once and removed', async () => {
    const { clients } = await setUp(2)
    const [ann, bo] = clients as [Client, Client]
    const [id, x, y] = ['a', 'b', 'c'].map((n) => ann.create('the_person', { n }).id)
    if (!id || !x || !y) throw new Error('no records')
    addLink(ann, id, 's_friend', x)
    expect(addLink(ann, id, 's_friend', x).key).toBe('')
    await addLink(ann, id, 's_friend', y).synced
    await removeLink(ann, id, 's_friend', x).synced
    expect(removeLink(ann, id, 's_friend', x).key).toBe('')
    const found = await readLinks(bo, await realId(ann, id), 'the_person_s_friend', {
      format: 'JUSTDATA',
    })
    expect(found).toEqual([{ the_person: { n: 'c' } }])
  })

  test('are refused for malformed ids and for a link from a record to itself', async () => {
    const { clients } = await setUp(1)
    const [ann] = clients as [Client]
    const { id } = ann.create('the_person', { n: 1 })
    expect(() => setLink(ann, id, 'company', id)).toThrow('two different concepts')
    expect(() => setLink(ann, id, 'company', undefined as unknown as Id)).toThrow('an id is')
    expect(() => setLink(ann, 0, 'company', id)).toThrow('an id is')
    expect(() => link(ann, id, 'two words', id)).toThrow('a type name is')
  })
})

test('a refused increment is undone when it is discarded', async () => {
  const { weft } = await setUp(0)
  const proxy = await startProxy(weft.url)
  const ann = open(proxy.url)
  const id = await ann.create('the_counter', { count: 1 }).synced
  proxy.next(sync, respondWith(400, { kind: 'invalid', message: 'no' }))
  const write = increment(ann, id, 'count', 1)
  await expect(write.synced).rejects.toThrow('no')
  await ann.sync.discard(write.key)
  expect(ann.record(id)).toEqual({ count: '1' })
})

/** Starts a server and opens clients. */
async function setUp(count: number): Promise<{ weft: Weft; clients: Client[] }> {
  const weft = await startWeft()
  onTestFinished(() => weft.kill())
  return { weft, clients: Array.from({ length: count }, () => open(weft.url)) }
}

const load = (weft: Weft, id: Id) => open(weft.url).load(id)

async function expectStored(weft: Weft, id: Id, fields: object): Promise<void> {
  await expect.poll(() => load(weft, id)).toEqual(fields)
}

const realId = async (client: Client, id: Id): Promise<Id> => client.realId(id) ?? 0

/** Returns the values of `n` of the companies of a person. */
async function companies(client: Client, id: Id): Promise<string[]> {
  const found = await readLinks(client, id, 'the_person_company', { format: 'JUSTDATA' })
  return found.map((row) => (row as { the_company: { n: string } }).the_company.n)
}
