import { describe, expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { insideOf } from '../src/inside.ts'
import {
  concepts,
  connections,
  createConcept,
  createRecord,
  createType,
  find,
  findByValue,
  link,
  list,
  prefetch,
  preload,
  read,
  translate,
  type,
  types,
  whenLoaded,
} from '../src/records/index.ts'
import { alone, countRequests, open, realOf, startAnswering, until, watch } from './open.ts'
import { startServer, tokenOf } from './server.ts'

describe('a value', () => {
  test('is here at once with its type, and is the same for the server', async () => {
    const url = await startServer()
    const weft = open(url)
    const { id, synced } = createConcept(weft, 'first_name', 'Harry')
    const here = weft.concept(id)
    expect(here).toMatchObject({ value: 'Harry', category: 4, access: 4, composition: false })
    expect(weft.concept(here?.type ?? 0)?.value).toBe('the_first_name')
    const real = await synced
    const there = await open(url).get(real)
    expect(there).toMatchObject({ id: real, value: 'Harry', category: 4, access: 4 })
  })

  test('of up to 255 UTF-16 units is one, here and there, also before it is synced', async () => {
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

  test('of a record is the one that the server has, by both ids', async () => {
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

  test('of 256 units, and an empty one, is a concept of its own each time', async () => {
    const weft = open(await startServer())
    for (const text of ['x'.repeat(256), '']) {
      const [one, two] = [createConcept(weft, 'the_text', text), createConcept(weft, 'text', text)]
      expect(two.id).not.toBe(one.id)
      expect(await two.synced).not.toBe(await one.synced)
      expect((await weft.get(await two.synced))?.value).toBe(text)
    }
  })

  test('stays when the first of two writes of it is discarded', async () => {
    const weft = alone()
    const [one, two] = [createConcept(weft, 'name', 'Ann'), createConcept(weft, 'name', 'Ann')]
    await weft.sync.discard(one.key)
    await expect(one.synced).rejects.toThrow('discarded')
    expect(weft.concept(two.id)?.value).toBe('Ann')
    await weft.sync.discard(two.key)
    await expect(two.synced).rejects.toThrow('discarded')
    expect(weft.concept(two.id)).toBeUndefined()
  })

  test('is read by whom its access says, and those who may read it share it', async () => {
    const url = await startServer('--max-body', '4000')
    const [ann, bob] = [open(url, await tokenOf(url, 'ann')), open(url, await tokenOf(url, 'bob'))]
    const all = { access: 5 } as const
    const [mine, ours] = await Promise.all([
      createConcept(ann, 'name', 'mine').synced,
      createConcept(ann, 'name', 'ours', all).synced,
    ])
    expect(await bob.get(mine)).toBeUndefined()
    expect(await bob.get(ours)).toMatchObject({ value: 'ours', access: 5 })
    expect(createConcept(bob, 'name', 'ours', all)).toMatchObject({ id: ours, key: '' })
    expect(createConcept(bob, 'name', 'ours').id).not.toBe(ours)
    const record = await createRecord(ann, 'the_note', { text: 'for all' }, all).synced
    expect(await bob.load(record)).toEqual({ text: 'for all' })
  })

  test('that is none is refused with a sentence', () => {
    const weft = alone()
    expect(() => createConcept(weft, 'the name', 'x')).toThrow('not "the name"')
    expect(() => createConcept(weft, 'name', Number.NaN)).toThrow('NaN')
    expect(weft.sync.writes()).toEqual([])
  })
})

describe('types', () => {
  test('are made with all that their names are made of, and are the same when made again', async () => {
    const url = await startServer()
    const weft = open(url)
    const { id, synced } = createType(weft, 'the_person_name')
    expect(weft.concept(id)?.value).toBe('the_person_name')
    const real = await synced
    expect(await createType(weft, 'the_person_name').synced).toBe(real)
    const chain = ['person', 'the_person', 'name', 'the_person_name']
    const found = await types(open(url), chain)
    expect(found.map((c) => c.value)).toEqual(chain)
    const [person = 0, thePerson = 0, name = 0] = found.map((c) => c.id)
    expect(found[0]).toMatchObject({ type: 51, category: 1 })
    expect(found[1]).toMatchObject({ type: person, category: 1 })
    expect(found[3]).toMatchObject({ id: real, type: name, category: thePerson })
    const address = await createType(weft, 'address').synced
    expect((await type(open(url), 'address'))?.id).toBe(address)
    expect(await createType(weft, 'the').synced).toBe(1)
    expect((await type(open(url), 'the'))?.id).toBe(1)
  })

  test('that are asked for at once are one request, and what nobody made is not there', async () => {
    const url = await startServer()
    await open(url).create('the_person', { name: 'Ann' }).synced
    const weft = open(url)
    const requests = countRequests()
    const found = await Promise.all([
      type(weft, 'the_person'),
      type(weft, 'the_person'),
      types(weft, ['the_name', 'the_person', 'the_nothing']),
    ])
    expect(requests('/api/get_type_concept_by_character_bulk')).toBe(1)
    expect(found.flat().map((c) => c?.value)).toEqual([
      'the_person',
      'the_person',
      'the_name',
      'the_person',
    ])
    expect(await type(weft, 'the_person')).toBe(found[0])
    expect(requests('/api/get_type_concept_by_character_bulk')).toBe(1)
  })
})

describe('looking up', () => {
  test('finds values by type and by text alone, at the server and here', async () => {
    const url = await startServer()
    const real = await createConcept(open(url), 'name', 'Ann').synced
    const weft = open(url)
    expect((await find(weft, 'name', 'Ann'))?.id).toBe(real)
    expect(weft.find('the_name', 'Ann')?.id).toBe(real)
    expect(weft.find('name', 'Ann')?.id).toBe(real)
    expect(await find(weft, 'name', 'Bea')).toBeUndefined()
    expect(await find(weft, 'nothing', 'Ann')).toBeUndefined()
    const other = open(url)
    expect((await findByValue(other, 'Ann'))?.id).toBe(real)
    expect((await findByValue(other, 'the_name'))?.category).toBe(1)
    expect((await findByValue(other, 'name'))?.type).toBe(51)
    expect(await findByValue(other, 'nobody')).toBeUndefined()
  })

  test('finds what is here when nobody answers', async () => {
    const weft = alone()
    const { id } = createConcept(weft, 'name', 'Ann')
    expect((await find(weft, 'name', 'Ann'))?.id).toBe(id)
    expect(await find(weft, 'name', 'Bea')).toBeUndefined()
    expect((await concepts(weft, [id, 7_777_777])).map((c) => c.id)).toEqual([id])
  })

  test('brings many concepts and connections, in order, in one request each', async () => {
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
    expect((await concepts(weft, [c, 7_777_777, a])).map((x) => x.value)).toEqual(['c', 'a'])
    expect(await concepts(weft, [7_777_777])).toEqual([])
    expect(requests('/api/get_concept_bulk')).toBe(1)
    const ids = [two, one].map((x) => insideOf(first).graph.realConnection(x.connection))
    expect((await connections(weft, ids)).map((x) => [x.from, x.to])).toEqual([
      [a, c],
      [a, b],
    ])
    expect(requests('/api/get_connection_bulk')).toBe(1)
  })

  test('a page of the values of a type has those made here in front', async () => {
    const server = await startWeft()
    const weft = open(server.url)
    const there = await createConcept(open(server.url), 'nick', 'there').synced
    const rows = watch(list<{ id: number; data: unknown }>(weft, 'the_nick'))
    await until(() => rows().length === 1)
    await server.kill()
    const { id } = createConcept(weft, 'nick', 'here')
    await until(() => rows().length === 2)
    expect(rows().map((row) => [row.id, row.data])).toEqual([
      [id, { the_nick: 'here' }],
      [there, { the_nick: 'there' }],
    ])
  })

  test('may wait for what an earlier visit left, and gives up with the word for that', async () => {
    await whenLoaded(alone(), 5_000)
    await expect(whenLoaded({ ready: new Promise(() => {}) }, 10)).rejects.toThrow(/^not$/)
  })

  test('what is worth having from the start is here after it was asked for', async () => {
    const weft = open(await startServer())
    expect(weft.concept(16)).toBeUndefined()
    await preload(weft)
    expect(weft.concept(16)?.value).toBe('the_connection')
  })

  test('a local id that this page no longer knows is told by the server what it became', async () => {
    const url = await startServer()
    const first = open(url)
    await first.ready
    const { id, synced } = createConcept(first, 'name', 'Ann')
    const real = await synced
    const weft = open(url)
    await weft.ready
    expect(await translate(weft, id)).toBeUndefined()
    insideOf(weft).http.randomizer = insideOf(first).http.randomizer
    expect(await translate(weft, id)).toMatchObject({ id: real, value: 'Ann' })
    expect(weft.concept(id)).toBe(weft.concept(real))
    expect(await translate(alone(), -7)).toBeUndefined()
  })

  test('an answer of null is an error with a sentence, and a text of null is none', async () => {
    const answers: Record<string, unknown> = {}
    const weft = open(await startAnswering((path) => answers[path] ?? null))
    await expect(findByValue(weft, 'Ann')).rejects.toThrow('expected a record, not 4 of object')
    await expect(type(weft, 'the_name')).rejects.toThrow('expected a list, not 4 of object')
    await expect(concepts(weft, [7])).rejects.toThrow('expected a list, not 4 of object')
    await expect(weft.get(7)).rejects.toMatchObject({ kind: 'internal' })
    const chair = { id: 7, typeId: 8, characterValue: null, isComposition: true }
    const the_chair = { id: 8, typeId: 51, categoryId: 1, characterValue: 'the_chair' }
    answers['/api/get_concept_bulk'] = [{ ...chair, type: the_chair }]
    answers['/api/get_all_connections_of_composition_bulk'] = []
    expect(await read(weft, 7)).toEqual({ the_chair: { id: 7 } })
  })

  test('all connections of a user come with what they connect', async () => {
    const { url } = await startWeft()
    const token = await tokenOf(url, 'ann')
    const real = await open(url, token).create('the_note', { text: 'mine', at: { x: 1 } }).synced
    const weft = open(url, token)
    await prefetch(weft)
    expect(weft.record(real)).toEqual({ text: 'mine', at: { x: '1' } })
    await expect(prefetch(open(url))).rejects.toMatchObject({ kind: 'unauthorized' })
  })
})
