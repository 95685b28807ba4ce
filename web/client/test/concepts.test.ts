import { describe, expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import {
  createConcept,
  createRecord,
  createType,
  findConcept,
  findConceptByText,
  getConcepts,
  getConnections,
  getType,
  getTypes,
  link,
  listRecords,
  prefetchConnections,
  preloadConcepts,
  readRecord,
  resolveLocalId,
  waitUntilReady,
} from '../src/graph/index.ts'
import { internalsOf } from '../src/internals.ts'
import {
  countRequests,
  offlineClient,
  open,
  realOf,
  startJsonServer,
  until,
  watch,
} from './open.ts'
import { startServer, tokenOf } from './server.ts'

describe('createConcept', () => {
  test('immediately adds the value and its type, in the form that the server later returns', async () => {
    const url = await startServer()
    const weft = open(url)
    const { id, synced } = createConcept(weft, 'first_name', 'Harry')
    const local = weft.concept(id)
    expect(local).toMatchObject({ value: 'Harry', category: 4, access: 4, composition: false })
    expect(weft.concept(local?.type ?? 0)?.value).toBe('the_first_name')
    const real = await synced
    const stored = await open(url).get(real)
    expect(stored).toMatchObject({ id: real, value: 'Harry', category: 4, access: 4 })
  })

  test('creates one concept for equal values of up to 255 UTF-16 units, even before the sync', async () => {
    const url = await startServer()
    const weft = open(url)
    const text = `${'💚'.repeat(127)}x`
    const [one, two] = [createConcept(weft, 'the_text', text), createConcept(weft, 'text', text)]
    expect(two.id).toBe(one.id)
    expect(await two.synced).toBe(await one.synced)
    const again = createConcept(weft, 'the_text', text)
    expect([again.id, again.key]).toEqual([one.id, ''])
    const other = open(url)
    const { id, synced } = createConcept(other, 'the_text', text)
    expect(await synced).toBe(await one.synced)
    expect(other.concept(id)).toMatchObject({ id, value: text })
    expect(other.concept(await synced)).toBe(other.concept(id))
  })

  test('merges a value of a new record with the equal value of the server, which then has both ids', async () => {
    const url = await startServer()
    const real = await createConcept(open(url), 'name', 'Ann').synced
    const weft = open(url)
    const { id, synced } = weft.create('the_phonebook', { name: 'Ann' })
    const name = weft.find('the_name', 'Ann')?.id ?? 0
    expect(name).toBeLessThan(0)
    await synced
    expect(realOf(weft, name)).toBe(real)
    expect(weft.concept(real)).toBe(weft.concept(name))
    expect(weft.record(id)).toEqual({ name: 'Ann' })
  })

  test('creates a new concept each time for a value of 256 UTF-16 units and for an empty value', async () => {
    const weft = open(await startServer())
    for (const text of ['x'.repeat(256), '']) {
      const [one, two] = [createConcept(weft, 'the_text', text), createConcept(weft, 'text', text)]
      expect(two.id).not.toBe(one.id)
      expect(await two.synced).not.toBe(await one.synced)
      expect((await weft.get(await two.synced))?.value).toBe(text)
    }
  })

  test('keeps the value when the first of two writes that create it is discarded', async () => {
    const weft = offlineClient()
    const [one, two] = [createConcept(weft, 'name', 'Ann'), createConcept(weft, 'name', 'Ann')]
    await weft.sync.discard(one.key)
    await expect(one.synced).rejects.toThrow('discarded')
    expect(weft.concept(two.id)?.value).toBe('Ann')
    await weft.sync.discard(two.key)
    await expect(two.synced).rejects.toThrow('discarded')
    expect(weft.concept(two.id)).toBeUndefined()
  })

  test('grants the requested access, and reuses a value for every user who may read it', async () => {
    const url = await startServer('--max-body', '4000')
    const [ann, bob] = [open(url, await tokenOf(url, 'ann')), open(url, await tokenOf(url, 'bob'))]
    const publicAccess = { access: 5 } as const
    const [mine, ours] = await Promise.all([
      createConcept(ann, 'name', 'mine').synced,
      createConcept(ann, 'name', 'ours', publicAccess).synced,
    ])
    expect(await bob.get(mine)).toBeUndefined()
    expect(await bob.get(ours)).toMatchObject({ value: 'ours', access: 5 })
    expect(createConcept(bob, 'name', 'ours', publicAccess)).toMatchObject({ id: ours, key: '' })
    expect(createConcept(bob, 'name', 'ours').id).not.toBe(ours)
    const record = await createRecord(ann, 'the_note', { text: 'for all' }, publicAccess).synced
    expect(await bob.load(record)).toEqual({ text: 'for all' })
  })

  test('rejects malformed types with a message', () => {
    const weft = offlineClient()
    expect(() => createConcept(weft, 'the name', 'x')).toThrow('not "the name"')
    expect(() => createConcept(weft, 'name', Number.NaN)).toThrow('NaN')
    expect(weft.sync.writes()).toEqual([])
  })
})

describe('createType', () => {
  test('creates the types that a name consists of, and reuses existing ones', async () => {
    const url = await startServer()
    const weft = open(url)
    const { id, synced } = createType(weft, 'the_person_name')
    expect(weft.concept(id)?.value).toBe('the_person_name')
    const real = await synced
    expect(await createType(weft, 'the_person_name').synced).toBe(real)
    const chain = ['person', 'the_person', 'name', 'the_person_name']
    const found = await getTypes(open(url), chain)
    expect(found.map((c) => c.value)).toEqual(chain)
    const [person = 0, thePerson = 0, name = 0] = found.map((c) => c.id)
    expect(found[0]).toMatchObject({ type: 51, category: 1 })
    expect(found[1]).toMatchObject({ type: person, category: 1 })
    expect(found[3]).toMatchObject({ id: real, type: name, category: thePerson })
    const address = await createType(weft, 'address').synced
    expect((await getType(open(url), 'address'))?.id).toBe(address)
    expect(await createType(weft, 'the').synced).toBe(1)
    expect((await getType(open(url), 'the'))?.id).toBe(1)
  })

  test('getTypes fetches all names of one task in one request, and leaves out unknown ones', async () => {
    const url = await startServer()
    await open(url).create('the_person', { name: 'Ann' }).synced
    const weft = open(url)
    const requests = countRequests()
    const found = await Promise.all([
      getType(weft, 'the_person'),
      getType(weft, 'the_person'),
      getTypes(weft, ['the_name', 'the_person', 'the_nothing']),
    ])
    expect(requests('/api/get_type_concept_by_character_bulk')).toBe(1)
    expect(found.flat().map((c) => c?.value)).toEqual([
      'the_person',
      'the_person',
      'the_name',
      'the_person',
    ])
    expect(await getType(weft, 'the_person')).toBe(found[0])
    expect(requests('/api/get_type_concept_by_character_bulk')).toBe(1)
  })
})

describe('look-up', () => {
  test('finds values by type and text, and by text alone, on the server and locally', async () => {
    const url = await startServer()
    const real = await createConcept(open(url), 'name', 'Ann').synced
    const weft = open(url)
    expect((await findConcept(weft, 'name', 'Ann'))?.id).toBe(real)
    expect(weft.find('the_name', 'Ann')?.id).toBe(real)
    expect(weft.find('name', 'Ann')?.id).toBe(real)
    expect(await findConcept(weft, 'name', 'Bea')).toBeUndefined()
    expect(await findConcept(weft, 'nothing', 'Ann')).toBeUndefined()
    const other = open(url)
    expect((await findConceptByText(other, 'Ann'))?.id).toBe(real)
    expect((await findConceptByText(other, 'the_name'))?.category).toBe(1)
    expect((await findConceptByText(other, 'name'))?.type).toBe(51)
    expect(await findConceptByText(other, 'Cid')).toBeUndefined()
  })

  test('finds local concepts while the server is unavailable', async () => {
    const weft = offlineClient()
    const { id } = createConcept(weft, 'name', 'Ann')
    expect((await findConcept(weft, 'name', 'Ann'))?.id).toBe(id)
    expect(await findConcept(weft, 'name', 'Bea')).toBeUndefined()
    expect((await getConcepts(weft, [id, 7_777_777])).map((c) => c.id)).toEqual([id])
  })

  test('fetches concepts and connections in order, in one request each', async () => {
    const url = await startServer()
    const first = open(url)
    const names = await Promise.all(
      ['a', 'b', 'c'].map((name) => createConcept(first, 'name', name).synced),
    )
    const [a = 0, b = 0, c = 0] = names
    const [one, two] = [link(first, a, 'x', b), link(first, a, 'x', c)]
    await two.synced
    const weft = open(url)
    const requests = countRequests()
    expect((await getConcepts(weft, [c, 7_777_777, a])).map((x) => x.value)).toEqual(['c', 'a'])
    expect(await getConcepts(weft, [7_777_777])).toEqual([])
    expect(requests('/api/get_concept_bulk')).toBe(1)
    const ids = [two, one].map((x) => internalsOf(first).graph.realConnection(x.connection))
    expect((await getConnections(weft, ids)).map((x) => [x.from, x.to])).toEqual([
      [a, c],
      [a, b],
    ])
    expect(requests('/api/get_connection_bulk')).toBe(1)
  })

  test('lists pending values first in a page of a type', async () => {
    const server = await startWeft()
    const weft = open(server.url)
    const storedId = await createConcept(open(server.url), 'nick', 'there').synced
    const rows = watch(listRecords<{ id: number; data: unknown }>(weft, 'the_nick'))
    await until(() => rows().length === 1)
    await server.kill()
    const { id } = createConcept(weft, 'nick', 'here')
    await until(() => rows().length === 2)
    expect(rows().map((row) => [row.id, row.data])).toEqual([
      [id, { the_nick: 'here' }],
      [storedId, { the_nick: 'there' }],
    ])
  })

  test('waitUntilReady waits for the records of an earlier visit, and rejects with the message `not` after a timeout', async () => {
    await waitUntilReady(offlineClient(), 5_000)
    await expect(waitUntilReady({ ready: new Promise(() => {}) }, 10)).rejects.toThrow(/^not$/)
  })

  test('preloadConcepts fetches the concepts that the server recommends', async () => {
    const weft = open(await startServer())
    expect(weft.concept(16)).toBeUndefined()
    await preloadConcepts(weft)
    expect(weft.concept(16)?.value).toBe('the_connection')
  })

  test('resolveLocalId asks the server for a local id that this page does not have', async () => {
    const url = await startServer()
    const first = open(url)
    await first.ready
    const { id, synced } = createConcept(first, 'name', 'Ann')
    const real = await synced
    const weft = open(url)
    await weft.ready
    expect(await resolveLocalId(weft, id)).toBeUndefined()
    internalsOf(weft).http.randomizer = internalsOf(first).http.randomizer
    expect(await resolveLocalId(weft, id)).toMatchObject({ id: real, value: 'Ann' })
    expect(weft.concept(id)).toBe(weft.concept(real))
    expect(await resolveLocalId(offlineClient(), -7)).toBeUndefined()
  })

  test('rejects the response `null`, but finds a value with the text `null`', async () => {
    const responses: Record<string, unknown> = {}
    const weft = open(await startJsonServer((path) => responses[path] ?? null))
    await expect(findConceptByText(weft, 'Ann')).rejects.toThrow(
      'expected a record, not object (4 characters)',
    )
    await expect(getType(weft, 'the_name')).rejects.toThrow(
      'expected a list, not object (4 characters)',
    )
    await expect(getConcepts(weft, [7])).rejects.toThrow(
      'expected a list, not object (4 characters)',
    )
    await expect(weft.get(7)).rejects.toMatchObject({ kind: 'internal' })
    const chair = { id: 7, typeId: 8, characterValue: null, isComposition: true }
    const the_chair = { id: 8, typeId: 51, categoryId: 1, characterValue: 'the_chair' }
    responses['/api/get_concept_bulk'] = [{ ...chair, type: the_chair }]
    responses['/api/get_all_connections_of_composition_bulk'] = []
    expect(await readRecord(weft, 7)).toEqual({ the_chair: { id: 7 } })
  })

  test('prefetchConnections fetches all connections of a user with their ends', async () => {
    const { url } = await startWeft()
    const token = await tokenOf(url, 'ann')
    const real = await open(url, token).create('the_note', { text: 'mine', at: { x: 1 } }).synced
    const weft = open(url, token)
    await prefetchConnections(weft)
    expect(weft.record(real)).toEqual({ text: 'mine', at: { x: '1' } })
    await expect(prefetchConnections(open(url))).rejects.toMatchObject({ kind: 'unauthorized' })
  })
})
