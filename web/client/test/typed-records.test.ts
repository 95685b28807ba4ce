import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/index.ts'
import {
  boolean,
  choice,
  date,
  dateTime,
  defineSchema,
  file,
  integer,
  json,
  list,
  longText,
  many,
  number,
  one,
  record,
  text,
} from '../src/schema/index.ts'
import { startServer } from './server.ts'

const schema = defineSchema({
  contact: {
    name: text().required().max(20),
    email: text().format('email'),
    age: integer().min(0),
    score: number().default(0),
    vip: boolean().default(false),
    joined: date(),
    seen: dateTime(),
    tags: list(text()),
    photo: file(),
    meta: json<{ source: string }>(),
    notes: longText(),
    stage: choice('lead', 'customer').default('lead'),
    salary: number().restricted(),
    address: record({ street: text(), city: text().required() }),
    phones: list(record({ label: text(), digits: text().required() })),
    surname: text().was('lastName'),
    company: one('company'),
    groups: many('group'),
  },
  company: { name: text().required(), contacts: many('contact', 'company') },
  group: { name: text().required(), members: many('contact', 'groups') },
  team: { name: text(), code: text().unique(), size: integer().default(1) },
  badge: { number: integer(), owner: one('contact').required() },
})

const connect = (url: string, onWarning?: (message: string) => void) =>
  createClient({ url, schema, storage: 'memory', ...(onWarning && { onWarning }) })

const offline = () => {
  const client = connect('http://127.0.0.1:1')
  onTestFinished(() => client.close())
  return client
}

const full = {
  name: 'Ann',
  email: 'ann@example.org',
  age: 31,
  score: -0.5,
  vip: true,
  joined: '2024-02-29',
  seen: new Date('2026-01-02T03:04:05.678Z'),
  tags: ['red', ''],
  photo: { url: '/uploads/1', name: 'a.png', type: 'image/png', size: 7 },
  meta: { source: 'web' },
  notes: 'long',
  stage: 'customer',
  address: { street: 'Main 5', city: 'Gent' },
  phones: [{ digits: '1' }, { label: 'home', digits: '2' }],
} as const

describe('a typed record', () => {
  test('reads back as it was written, here and on another device', async () => {
    const url = await startServer()
    const client = connect(url)
    onTestFinished(() => client.close())
    const write = client.create('contact', full)
    const expected = {
      ...full,
      address: { ...full.address, id: expect.any(Number) },
      phones: [
        { id: expect.any(Number), label: null, digits: '1' },
        { id: expect.any(Number), label: 'home', digits: '2' },
      ],
      salary: undefined,
      surname: null,
    }
    const local = await client.find('contact').first()
    expect(local).toEqual({ ...expected, id: write.id })
    const id = await write.synced
    const other = connect(url)
    onTestFinished(() => other.close())
    expect(await other.find('contact').first()).toEqual({ ...expected, id })
    expect(client.raw.record(write.id)).toMatchObject({ name: 'Ann', age: '31', vip: 'true' })
  })

  test('has defaults, null and empty lists for fields without input', async () => {
    const client = offline()
    const { id } = client.create('contact', { name: 'Bo', age: undefined, email: null })
    expect(await client.find('contact').first()).toEqual({
      id,
      name: 'Bo',
      email: null,
      age: null,
      score: 0,
      vip: false,
      joined: null,
      seen: null,
      tags: [],
      photo: null,
      meta: null,
      notes: null,
      stage: 'lead',
      salary: undefined,
      address: null,
      phones: [],
      surname: null,
    })
  })

  test('changes: undefined keeps a field, and null empties it', async () => {
    const url = await startServer()
    const client = connect(url)
    onTestFinished(() => client.close())
    const { id } = client.create('contact', full)
    const changes = {
      age: 32,
      email: null,
      notes: undefined,
      tags: ['blue'],
      address: { city: 'Bergen' },
    }
    const write = client.update(id, changes)
    const changed = { name: 'Ann', age: 32, email: null, notes: 'long', tags: ['blue'] }
    expect(await client.find('contact').first()).toMatchObject(changed)
    await write.synced
    const other = connect(url)
    onTestFinished(() => other.close())
    const row = await other.find('contact').first()
    expect(row).toMatchObject({ ...changed, address: { street: null, city: 'Bergen' } })
  })

  test('is refused with the record, the field and the rule, and nothing is written', () => {
    const client = offline()
    const create = (fields: object) => () => client.create('contact', fields as never)
    expect(create({})).toThrow(
      expect.objectContaining({ kind: 'invalid', field: 'name', rule: 'required' }),
    )
    const place = (field: string, rule: string) => expect.objectContaining({ field, rule })
    expect(create({ name: 'A', age: '30' })).toThrow(place('age', 'kind'))
    expect(create({ name: 'A', age: Number.NaN })).toThrow(place('age', 'kind'))
    expect(create({ name: 'A', age: -1 })).toThrow('Age must be at least 0.')
    expect(create({ name: 'A'.repeat(21) })).toThrow(place('name', 'max'))
    expect(create({ name: 'A'.repeat(10_000_000) })).toThrow(place('name', 'max'))
    expect(create({ name: 'A', joined: '2026-02-30' })).toThrow(place('joined', 'kind'))
    expect(create({ name: 'A', email: 'x' })).toThrow(place('email', 'format'))
    expect(create({ name: 'A', stage: 'won' })).toThrow(place('stage', 'choices'))
    expect(create({ name: 'A', nam: 'B' })).toThrow(place('nam', 'unknown'))
    expect(create({ name: 'A', phones: [{ digits: '1' }, {}] })).toThrow(
      place('phones.1.digits', 'required'),
    )
    expect(() => client.create('company', { name: 'A', contacts: [1] } as never)).toThrow(
      place('contacts', 'unknown'),
    )
    expect(() => client.create('badge', { number: 1 } as never)).toThrow(place('owner', 'required'))
    expect(() => client.create('person' as never, {} as never)).toThrow('"person" is not a type')
    expect(client.sync.writes()).toEqual([])
    const { id } = client.create('contact', { name: 'Ann' })
    expect(() => client.update(id, { name: null } as never)).toThrow(
      expect.objectContaining({ record: id, field: 'name', rule: 'required' }),
    )
    expect(() => client.update(client.id('contact', 12345), {})).toThrow(
      'record 12345 is not loaded',
    )
    const toItself = (field: string) =>
      expect.objectContaining({ record: id, field, rule: 'self', kind: 'invalid' })
    expect(() => client.setLink(id, 'company', id as never)).toThrow(toItself('company'))
    expect(() => client.addLink(id, 'groups', id as never)).toThrow(toItself('groups'))
    expect(() => client.update(id, { groups: [id] } as never)).toThrow(
      'Groups must be another record.',
    )
    expect(client.sync.writes()).toHaveLength(1)
  })

  test('shows malformed values as null, with a warning', async () => {
    const url = await startServer()
    const warnings: string[] = []
    const client = connect(url, (message) => warnings.push(message))
    onTestFinished(() => client.close())
    const old = { name: 'Old', age: 'many', vip: 'yes', lastName: 'Smith', unknown: 'kept' }
    await client.raw.create('the_contact', old).synced
    const row = await client.find('contact').first()
    expect(row).toMatchObject({ name: 'Old', age: null, vip: null, surname: 'Smith' })
    expect(warnings.some((warning) => warning.includes('the stored value of age'))).toBe(true)
    if (!row) throw new Error('the record is missing')
    await client.update(row.id, { surname: 'Smythe' }).synced
    expect(client.raw.record(row.id)).toMatchObject({ surname: 'Smythe', unknown: 'kept' })
    expect(client.raw.record(row.id)).not.toHaveProperty('lastName')
  })
})

describe('links of a typed record', () => {
  test('are set, replaced, added and removed on both sides', async () => {
    const url = await startServer()
    const client = connect(url)
    onTestFinished(() => client.close())
    const acme = client.create('company', { name: 'Acme' }).id
    const birch = client.create('company', { name: 'Birch' }).id
    const staff = client.create('group', { name: 'Staff' }).id
    const board = client.create('group', { name: 'Board' }).id
    const ann = client.create('contact', { name: 'Ann', company: acme, groups: [staff] }).id
    const read = async () => {
      const row = await client.find('contact', { with: { company: true, groups: true } }).first()
      return [row?.company?.name ?? null, row?.groups.map(({ name }) => name).sort()]
    }
    expect(await read()).toEqual(['Acme', ['Staff']])
    client.setLink(ann, 'company', birch)
    client.addLink(ann, 'groups', board)
    client.addLink(ann, 'groups', board)
    expect(await read()).toEqual(['Birch', ['Board', 'Staff']])
    client.removeLink(staff, 'members', ann)
    client.update(ann, { company: null })
    expect(await read()).toEqual([null, ['Board']])
    const last = client.update(ann, { company: acme, groups: [staff] })
    expect(await read()).toEqual(['Acme', ['Staff']])
    await last.synced
    const other = connect(url)
    onTestFinished(() => other.close())
    const companies = await other.find('company', { with: { contacts: true } }).once()
    expect(companies.data.map(({ name, contacts }) => [name, contacts.map((c) => c.name)])).toEqual(
      [
        ['Birch', []],
        ['Acme', ['Ann']],
      ],
    )
  })

  test('are set again after another client removed them', async () => {
    const url = await startServer()
    const [ann, bo] = [connect(url), connect(url)]
    onTestFinished(() => ann.close())
    onTestFinished(() => bo.close())
    const acme = await ann.create('company', { name: 'Acme' }).synced
    const id = await ann.create('contact', { name: 'Ann', company: acme }).synced
    const read = async (client: typeof ann) =>
      (await client.find('contact', { with: { company: true } }).first())?.company?.name ?? null
    expect(await read(bo)).toBe('Acme')
    await ann.setLink(ann.id('contact', id), 'company', null).synced
    expect(await read(bo)).toBe(null)
    await bo.setLink(bo.id('contact', id), 'company', bo.id('company', acme)).synced
    expect(await read(bo)).toBe('Acme')
    expect(await read(ann)).toBe('Acme')
  })

  test('are part of a transaction with their records', async () => {
    const url = await startServer()
    const client = connect(url)
    onTestFinished(() => client.close())
    const { result, synced } = client.transaction((tx) => {
      const company = tx.create('company', { name: 'Acme' })
      return tx.create('contact', { name: 'Ann', company: company.id })
    })
    await synced
    expect(client.realId(result.id)).toBeGreaterThan(0)
    const row = await client.find('contact', { with: { company: true } }).first()
    expect(row?.company?.name).toBe('Acme')
    expect(() =>
      client.transaction((tx) => {
        tx.create('company', { name: 'Half' })
        return tx.create('contact', {} as never)
      }),
    ).toThrow('Name is required.')
    expect(await client.find('company', { where: { name: 'Half' } }).count()).toBe(0)
  })
})

describe('writes with a rule', () => {
  test('increments of several clients are added up', async () => {
    const url = await startServer()
    const client = connect(url)
    onTestFinished(() => client.close())
    const { id } = client.create('contact', { name: 'Ann', age: 30 })
    client.increment(id, 'age', 1)
    expect((await client.find('contact').first())?.age).toBe(31)
    const write = client.increment(id, 'score', 0.5)
    await write.synced
    const other = connect(url)
    onTestFinished(() => other.close())
    const row = await other.find('contact').first()
    if (!row) throw new Error('the record is missing')
    await other.increment(row.id, 'age', -2).synced
    expect((await client.find('contact').first())?.age).toBe(29)
    expect((await client.find('contact').first())?.score).toBe(0.5)
    expect(() => client.increment(id, 'age', 0.5)).toThrow('Age must be a whole number.')
    expect(() => client.increment(id, 'name' as never, 1)).toThrow('name is not a field')
  })

  test('an upsert changes the record with the same key, and keeps its other fields', async () => {
    const url = await startServer()
    const client = connect(url)
    onTestFinished(() => client.close())
    const other = connect(url)
    onTestFinished(() => other.close())
    const fields = { name: 'Staff', code: 's', size: 3 }
    await client.create('team', fields).synced
    const write = other.upsert('team', { by: 'code' }, { name: 'Crew', code: 's' })
    await write.synced
    const teams = await other.find('team').once()
    expect(teams.data).toMatchObject([{ name: 'Crew', code: 's', size: 3 }])
    const next = other.upsert('team', { by: 'code' }, { name: 'New', code: 'n' })
    await next.synced
    expect(await other.find('team').count()).toBe(2)
    expect(await other.find('team', { where: { code: 'n' } }).first()).toMatchObject({ size: 1 })
    expect(() => client.upsert('team', { by: 'name' as never }, fields)).toThrow('is not unique')
  })

  test('a removal can be undone, with the links of the record', async () => {
    const client = connect(await startServer())
    onTestFinished(() => client.close())
    const acme = client.create('company', { name: 'Acme' }).id
    const { id, synced } = client.create('contact', { name: 'Ann', company: acme })
    await synced
    const removal = client.remove(id)
    expect(await client.find('contact').count()).toBe(0)
    await removal.synced
    await removal.undo().synced
    const row = await client.find('contact', { with: { company: true } }).first()
    expect(row).toMatchObject({ name: 'Ann', company: { name: 'Acme' } })
  })
})

test('an id is a number, or a string of digits from a URL', () => {
  const client = offline()
  expect(client.id('contact', '17')).toBe(17)
  for (const wrong of ['x', '', '1.5', 0, Number.NaN])
    expect(() => client.id('contact', wrong)).toThrow('is not an id')
})

test('a link without a target is refused by `defineSchema`, contradictory rules by the first query', async () => {
  const define = (types: object) => () => defineSchema(types as never)
  expect(define({ a: { b: one('b') } })).toThrow('a.b has no link to b')
  expect(define({ a: { b: many('c', 'x') }, c: { x: text() } })).toThrow('a.b has no link to c.x')
  expect(define({ a: { name: 'text' } })).toThrow('name is "text", not a field')
  const contradictory = defineSchema({ a: { n: integer().min(3).max(1) } })
  const warnings: string[] = []
  const onWarning = (message: string) => warnings.push(message)
  const client = createClient({ url: 'http://127.0.0.1:1', schema: contradictory, onWarning })
  onTestFinished(() => client.close())
  await expect(client.find('a').once()).rejects.toThrow('a.n: is less than min')
  expect(warnings).toEqual(['the schema has problems: a.n: is less than min'])
})
