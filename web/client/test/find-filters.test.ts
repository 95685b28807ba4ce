import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/index.ts'
import {
  boolean,
  choice,
  date,
  dateTime,
  defineSchema,
  integer,
  list,
  many,
  number,
  one,
  record,
  text,
} from '../src/schema/index.ts'
import { until } from './open.ts'
import { startServer } from './server.ts'

const schema = defineSchema({
  contact: {
    name: text().required(),
    code: text(),
    vip: boolean().default(false),
    age: integer(),
    score: number(),
    joined: date(),
    seen: dateTime(),
    stage: choice('lead', 'customer').default('lead'),
    tags: list(text()),
    address: record({ street: text(), city: text() }),
    company: one('company'),
    manager: one('contact'),
    reports: many('contact', 'manager'),
    groups: many('group'),
  },
  company: { name: text().required(), contacts: many('contact', 'company') },
  group: { name: text().required(), members: many('contact', 'groups') },
  comment: { body: text(), subject: one(['contact', 'company']) },
})

const connect = (url: string) => createClient({ url, schema, storage: 'memory' })
type Crm = ReturnType<typeof connect>

/** Creates the records of these tests, without waiting for the server. */
function fill(client: Crm) {
  const acme = client.create('company', { name: 'Acme' }).id
  const birch = client.create('company', { name: 'Birch' }).id
  client.create('company', { name: 'Empty' })
  const staff = client.create('group', { name: 'Staff' }).id
  const board = client.create('group', { name: 'Board' }).id
  const ann = client.create('contact', {
    name: 'Ann',
    code: '10',
    vip: true,
    age: 31,
    score: 1.5,
    joined: '2024-02-29',
    seen: new Date('2026-01-01T12:00:00Z'),
    stage: 'customer',
    tags: ['red', 'blue'],
    address: { street: 'Main 5', city: 'Gent' },
    company: acme,
    groups: [staff, board],
  }).id
  const bo = client.create('contact', {
    name: 'Bo',
    code: '10%',
    vip: true,
    age: 9,
    score: -2,
    joined: '2020-01-01',
    tags: ['blue'],
    address: { city: 'Bergen' },
    company: acme,
    manager: ann,
    groups: [staff],
  }).id
  client.create('contact', { name: 'Cyan', age: 20, company: birch, manager: ann })
  const write = client.create('contact', { name: 'Dan', code: '1x0', tags: [] })
  client.create('comment', { body: 'to ann', subject: ann })
  const last = client.create('comment', { body: 'to acme', subject: acme })
  return { acme, ann, bo, dan: write.id, done: last.synced }
}

type Ids = Omit<ReturnType<typeof fill>, 'done'>
type Where = NonNullable<NonNullable<Parameters<typeof findContacts>[1]>>
const findContacts = (client: Crm, where: NonNullable<Parameters<Crm['find']>[1]>['where']) =>
  client.find('contact', { where: where as never })

/** Conditions on contacts, and the first letters of the names that they find, newest first. */
const cases: readonly (readonly [string, (ids: Ids) => object, string])[] = [
  ['text in any case', () => ({ name: 'ANN' }), 'A'],
  ['ne, which holds without a value', () => ({ code: { ne: '10' } }), 'DCB'],
  ['in', () => ({ age: { in: [9, 20, 21] } }), 'CB'],
  ['in an empty list', () => ({ age: { in: [] } }), ''],
  ['a range of numbers', () => ({ age: { gt: 9, lte: 31 } }), 'CA'],
  ['a fraction', () => ({ score: { lt: 0 } }), 'B'],
  ['a day', () => ({ joined: { gte: '2024-02-29' } }), 'A'],
  ['an instant', () => ({ seen: { lt: new Date('2026-01-01T12:00:01Z') } }), 'A'],
  ['contains', () => ({ name: { contains: 'AN' } }), 'DCA'],
  ['contains a percent sign', () => ({ code: { contains: '0%' } }), 'B'],
  ['startsWith', () => ({ name: { startsWith: 'c' } }), 'C'],
  ['startsWith a digit', () => ({ code: { startsWith: '10' } }), 'BA'],
  ['like', () => ({ name: { like: 'c%n' } }), 'C'],
  ['exists', () => ({ code: { exists: true } }), 'DBA'],
  ['null', () => ({ code: null }), 'C'],
  ['a default', () => ({ vip: false }), 'DC'],
  ['not a default', () => ({ stage: { ne: 'lead' } }), 'A'],
  ['not', () => ({ not: { vip: true, age: { gt: 20 } } }), 'DCB'],
  ['or', () => ({ or: [{ age: 9 }, { name: 'Dan' }] }), 'DB'],
  ['and', () => ({ and: [{ vip: true }, { age: { gt: 20 } }] }), 'A'],
  ['an item of a list', () => ({ tags: { has: 'blue' } }), 'BA'],
  ['all items of a list', () => ({ tags: { hasEvery: ['blue', 'red'] } }), 'A'],
  ['some items of a list', () => ({ tags: { hasSome: ['red', 'green'] } }), 'A'],
  ['an empty list', () => ({ tags: { isEmpty: true } }), 'DC'],
  ['a list with items', () => ({ tags: { isEmpty: false } }), 'BA'],
  ['an item of a list, or a number', () => ({ or: [{ tags: { has: 'red' } }, { age: 20 }] }), 'CA'],
  ['not an item of a list', () => ({ not: { tags: { has: 'red' } } }), 'DCB'],
  [
    'not an empty list together with a text',
    () => ({ not: { tags: { isEmpty: true }, name: 'Dan' } }),
    'CBA',
  ],
  [
    'neither an item of a list nor a text',
    () => ({ not: { or: [{ tags: { has: 'red' } }, { name: 'Dan' }] } }),
    'CB',
  ],
  [
    'contains a percent sign, or has a linked record',
    () => ({ or: [{ code: { contains: '0%' } }, { company: { name: 'birch' } }] }),
    'CB',
  ],
  [
    'an id with an item of a list, or startsWith a digit',
    ({ ann }) => ({ or: [{ id: ann, tags: { has: 'red' } }, { code: { startsWith: '1x' } }] }),
    'DA',
  ],
  [
    'alternatives with an item of a list, and a range',
    () => ({ and: [{ or: [{ tags: { has: 'blue' } }, { vip: false }] }, { age: { gt: 9 } }] }),
    'CA',
  ],
  ['a field of a nested record', () => ({ address: { city: 'gent' } }), 'A'],
  ['no nested record', () => ({ address: null }), 'DC'],
  ['no field of a nested record', () => ({ address: { street: null } }), 'DCB'],
  ['the id of a linked record', ({ acme }) => ({ company: acme }), 'BA'],
  ['no linked record', () => ({ company: null }), 'D'],
  ['a linked record that exists', () => ({ company: { exists: true } }), 'CBA'],
  ['a field of a linked record', () => ({ company: { name: 'birch' } }), 'C'],
  ['not a field of a linked record', () => ({ not: { company: { name: 'birch' } } }), 'DBA'],
  ['a link of a linked record', () => ({ manager: { company: { name: 'Acme' } } }), 'CB'],
  ['some linked records', () => ({ groups: { some: { name: 'Board' } } }), 'A'],
  ['no linked records', () => ({ groups: { none: { name: 'Staff' } } }), 'DC'],
  ['every linked record', () => ({ groups: { every: { name: 'Staff' } } }), 'DCB'],
  ['an inverse link', () => ({ reports: { some: { age: { lt: 10 } } } }), 'A'],
  [
    'several conditions on one linked record',
    () => ({ reports: { some: { age: 9, company: { name: 'Birch' } } } }),
    '',
  ],
  [
    'conditions on several linked records',
    () => ({
      and: [
        { reports: { some: { age: 9 } } },
        { reports: { some: { company: { name: 'Birch' } } } },
      ],
    }),
    'A',
  ],
  [
    'alternatives of a linked record',
    () => ({ manager: { or: [{ age: 1 }, { vip: true }] } }),
    'CB',
  ],
  ['an id', ({ bo }) => ({ id: bo }), 'B'],
  ['ids', ({ bo, dan }) => ({ id: { in: [bo, dan] }, vip: true }), 'B'],
  ['not an id', ({ bo }) => ({ not: { id: bo } }), 'DCA'],
  [
    'the time of creation',
    () => ({ _createdAt: { gt: new Date(0), lt: '2999-01-01T00:00:00Z' } }),
    'DCBA',
  ],
]

/** Conditions on a record without values, and whether the defaults of its fields meet them. */
const defaultCases: readonly (readonly [string, object, boolean])[] = [
  ['equal', { state: 'half: 50% DONE' }, true],
  ['contains', { state: { contains: 'ALF' } }, true],
  ['does not contain', { state: { contains: 'open' } }, false],
  ['contains a percent sign', { state: { contains: '0%' } }, true],
  ['contains no percent sign', { state: { contains: 'f%d' } }, false],
  ['starts with', { state: { startsWith: 'hALF' } }, true],
  ['does not start with', { state: { startsWith: 'alf' } }, false],
  ['starts with a digit', { size: { startsWith: '1' } }, true],
  ['does not start with a digit', { size: { startsWith: '0' } }, false],
  ['like', { state: { like: 'h%DONE' } }, true],
  ['like without percent signs', { state: { like: '50' } }, true],
  ['not like in this order', { state: { like: 'done%half' } }, false],
  ['an underscore is no pattern', { state: { like: 'h_lf' } }, false],
  ['a number is compared by its value', { size: { gt: '9' } }, true],
  ['not', { not: { state: { contains: 'half' } } }, false],
  ['a text that reads as a time', { due: { contains: 'now' } }, true],
  ['exists', { state: { exists: true } }, false],
]

test('conditions compare the default of a missing value, in this page and on the server', async () => {
  const ticket = {
    state: text().default('Half: 50% done'),
    size: text().default('10'),
    due: text().default('now'),
  }
  const url = await startServer()
  const open = () => {
    const client = createClient({ url, schema: defineSchema({ ticket }), storage: 'memory' })
    onTestFinished(() => client.close())
    return client
  }
  const [writer, reader] = [open(), open()]
  const { id } = writer.create('ticket', {})
  const written = writer.update(id, { state: null, size: null, due: null })
  const count = (client: typeof writer) =>
    Promise.all(
      defaultCases.map(async ([name, where]) => [
        name,
        (await client.find('ticket', { where: where as never }).count()) === 1,
      ]),
    )
  const want = defaultCases.map(([name, , isFound]) => [name, isFound])
  expect(await count(writer)).toEqual(want)
  await written.synced
  expect(await count(reader)).toEqual(want)
})

describe('filters of find', () => {
  /** Starts a server with the records, and returns a client that has not loaded any of them. */
  async function openFilled() {
    const url = await startServer()
    const writer = connect(url)
    onTestFinished(() => writer.close())
    const { done, ...own } = fill(writer)
    await done
    const real = <T extends number>(id: T) => (writer.realId(id as never) ?? id) as T
    const ids: Ids = {
      acme: real(own.acme),
      ann: real(own.ann),
      bo: real(own.bo),
      dan: real(own.dan),
    }
    const client = connect(url)
    onTestFinished(() => client.close())
    return { client, ids }
  }

  const initials = async (client: Crm, where: object) =>
    (await findContacts(client, where as Where).once()).data.map(({ name }) => name[0]).join('')

  test('the server finds the same records and counts them', async () => {
    const { client, ids } = await openFilled()
    const found = await Promise.all(
      cases.map(async ([name, where]) => [
        name,
        await initials(client, where(ids)),
        await findContacts(client, where(ids) as Where).count(),
      ]),
    )
    expect(found).toEqual(cases.map(([name, , want]) => [name, want, want.length]))
  })

  test.each(cases)(
    'this page finds its own writes by this condition: %s',
    async (_, where, found) => {
      const client = connect('http://127.0.0.1:1')
      onTestFinished(() => client.close())
      const own = fill(client)
      expect(await initials(client, where(own))).toBe(found)
      expect(await findContacts(client, where(own) as Where).count()).toBe(found.length)
    },
  )

  test('a link to several types is filtered by id and type', async () => {
    const { client, ids } = await openFilled()
    const toCompany = client.find('comment', { where: { subject: { _type: 'company' } } })
    expect((await toCompany.once()).data.map(({ body }) => body)).toEqual(['to acme'])
    const toAnn = client.find('comment', { where: { subject: ids.ann }, with: { subject: true } })
    expect((await toAnn.first())?.subject).toMatchObject({ _type: 'contact', name: 'Ann' })
  })

  test('search finds words in any text field of a record', async () => {
    const { client } = await openFilled()
    const find = async (search: string) =>
      (await client.find('contact', { search }).once()).data.map(({ name }) => name)
    expect(await find('an')).toEqual(['Dan', 'Cyan', 'Ann'])
    expect(await find('an customer')).toEqual(['Ann'])
  })

  test('aggregates are computed in groups', async () => {
    const { client, ids } = await openFilled()
    const byVip = client.aggregate('contact', {
      groupBy: ['vip', 'company'],
      sum: ['age'],
      avg: ['age'],
      min: ['name'],
      max: ['joined'],
    })
    expect((await byVip.once()).data).toEqual([
      {
        vip: true,
        company: ids.acme,
        count: 2,
        sum: { age: 40 },
        avg: { age: 20 },
        min: { name: 'Ann' },
        max: { joined: '2024-02-29' },
      },
      expect.objectContaining({ vip: false, company: null, count: 1, sum: { age: null } }),
      expect.objectContaining({ vip: false, count: 1, sum: { age: 20 } }),
    ])
    expect(await client.aggregate('contact', { where: { vip: true } }).first()).toEqual({
      count: 2,
    })
    expect(
      await client.aggregate('contact', { where: { name: 'x' }, max: ['age'] }).first(),
    ).toEqual({
      count: 0,
      max: { age: null },
    })
  })
})

describe('rows of find', () => {
  test('contain the links and counts of `with`, filtered and ordered as it says', async () => {
    const url = await startServer()
    const client = connect(url)
    onTestFinished(() => client.close())
    const own = fill(client)
    const query = () =>
      client.find('company', {
        select: ['name'],
        with: {
          contacts: {
            where: { age: { gt: 5 } },
            orderBy: { age: 'asc' },
            select: ['name'],
            with: { groups: true, manager: { select: ['name'] } },
          },
          _count: { contacts: { where: { vip: true } } },
          _createdAt: true,
        },
      })
    const expected = [
      { name: 'Empty', contacts: [], _count: { contacts: 0 } },
      {
        name: 'Birch',
        contacts: [{ name: 'Cyan', manager: { name: 'Ann' } }],
        _count: { contacts: 0 },
      },
      {
        name: 'Acme',
        _count: { contacts: 2 },
        contacts: [
          { name: 'Bo', groups: [{ name: 'Staff' }] },
          { name: 'Ann', manager: null, groups: [{ name: 'Board' }, { name: 'Staff' }] },
        ],
      },
    ]
    expect((await query().once()).data).toMatchObject(expected)
    await own.done
    const page = await query().once()
    expect(page).toMatchObject({ isComplete: true, data: expected })
    expect(page.data[0]?._createdAt).toBeInstanceOf(Date)
    const reader = connect(url)
    onTestFinished(() => reader.close())
    const limited = reader.find('company', { with: { contacts: { limit: 1 } } })
    expect((await limited.once()).data.map(({ contacts }) => contacts.length)).toEqual([0, 1, 1])
  })

  test('are updated while there are subscribers, and keep equal parts', async () => {
    const url = await startServer()
    const client = connect(url)
    onTestFinished(() => client.close())
    const own = fill(client)
    await own.done
    const query = client.find('contact', { where: { vip: true }, with: { company: true } })
    expect(query).toBe(client.find('contact', { where: { vip: true }, with: { company: true } }))
    onTestFinished(query.subscribe(() => {}))
    await until(() => query.get().isComplete)
    const [bo, ann] = query.get().data
    expect([bo?.name, ann?.name]).toEqual(['Bo', 'Ann'])
    client.update(own.dan, { vip: true, company: own.acme })
    await until(() => query.get().data.length === 3)
    expect(query.get().data[0]).toMatchObject({ name: 'Dan', company: { name: 'Acme' } })
    expect(query.get().data[2]).toBe(ann)
    await until(() => query.get().isComplete)
  })

  test('are ordered by fields, empty values last, in pages', async () => {
    const url = await startServer()
    const writer = connect(url)
    onTestFinished(() => writer.close())
    const own = fill(writer)
    const initialsOf = async (client: Crm, options: object) => {
      const pages: string[] = []
      let after: never | null = null
      do {
        const page = await client.find('contact', { ...options, limit: 3, after }).once()
        pages.push(page.data.map(({ name }) => name[0]).join(''))
        after = page.next as never
      } while (after !== null)
      return pages.join(' ')
    }
    const orders = [
      [{ orderBy: { name: 'asc' } }, 'ABC D'],
      [{ orderBy: { name: 'desc' } }, 'DCB A'],
      [{ orderBy: { age: 'asc' } }, 'BCA D'],
      [{ orderBy: { age: 'desc' } }, 'ACB D'],
      [{ orderBy: { vip: 'desc', joined: 'desc' } }, 'ABD C'],
      [{ orderBy: { stage: 'asc', _createdAt: 'asc' } }, 'ABC D'],
      [{ orderBy: { _createdAt: 'asc' } }, 'ABC D'],
      [{ where: { name: { contains: 'n' } }, orderBy: { age: 'asc' } }, 'CAD'],
    ] as const
    const check = async (client: Crm) => {
      for (const [options, want] of orders) expect(await initialsOf(client, options)).toBe(want)
    }
    await check(writer)
    await own.done
    await check(writer)
    const reader = connect(url)
    onTestFinished(() => reader.close())
    await check(reader)
    const query = reader.find('contact', { orderBy: { age: 'asc' }, limit: 2 })
    onTestFinished(query.subscribe(() => {}))
    await until(() => query.get().isComplete)
    await query.loadMore()
    expect(query.get().data.map(({ name }) => name)).toEqual(['Bo', 'Cyan', 'Ann', 'Dan'])
    const [bo] = query.get().data
    if (!bo) throw new Error('Bo is missing')
    reader.update(bo.id, { age: 25 })
    await until(() => query.get().data[0]?.name === 'Cyan')
    expect(query.get().data.map(({ name }) => name)).toEqual(['Cyan', 'Bo', 'Ann', 'Dan'])
  })

  test('are loaded in pages, and loadMore adds the next page', async () => {
    const client = connect(await startServer())
    onTestFinished(() => client.close())
    for (let i = 0; i < 5; i++) client.create('group', { name: `g${i}` })
    await client.create('group', { name: 'g5' }).synced
    const query = client.find('group', { limit: 2 })
    const names = () => query.get().data.map(({ name }) => name)
    onTestFinished(query.subscribe(() => {}))
    await until(() => query.get().isComplete)
    expect([names(), query.get().hasMore]).toEqual([['g5', 'g4'], true])
    await query.loadMore()
    expect([names(), query.get().hasMore]).toEqual([['g5', 'g4', 'g3', 'g2'], true])
    const first = await query.once()
    const second = await client.find('group', { limit: 2, after: first.next }).once()
    expect(second.data.map(({ name }) => name)).toEqual(['g3', 'g2'])
    await query.loadMore()
    expect([names(), query.get().hasMore]).toEqual([['g5', 'g4', 'g3', 'g2', 'g1', 'g0'], false])
  })
})

describe('malformed options of find', () => {
  test.each([
    [{ where: { name: undefined } }, 'where.name is undefined'],
    [{ where: { company: { name: undefined } } }, 'where.company.name is undefined'],
    [{ where: { or: [{ age: { gt: undefined } }] } }, 'where.or.0.age.gt is undefined'],
    [{ where: { nam: 'x' } }, 'where.nam is not a field or link'],
    [{ where: { age: 'x' } }, 'where.age: Age must be a whole number.'],
    [{ where: { age: { over: 1 } } }, 'where.age.over is not an operator'],
    [{ where: { groups: { name: 'x' } } }, 'where.groups.name is not one of some, every and none'],
    [
      { where: { manager: { tags: { has: 'x' } } } },
      'where.manager.tags.has is only possible on the records of the query',
    ],
    [
      { with: { reports: { where: { or: [{ tags: { has: 'x' } }] } } } },
      'tags.has is only possible on the records of the query',
    ],
    [{ with: { compny: true } }, 'contact has no link "compny"'],
    [{ select: ['nam'] }, 'contact has no field "nam"'],
    [{ orderBy: { tags: 'asc' } }, 'orderBy.tags is not a field that has an order'],
    [{ orderBy: { name: 'up' } }, 'orderBy.name is neither "asc" nor "desc"'],
    [{ limit: 0 }, 'limit is a number from 1'],
    [{ search: 20 }, 'search is not a string: number'],
    [{ after: 'x' }, '"x" is not a cursor'],
    [{ wher: {} }, '"wher" is not an option of find'],
  ])('%j is refused', async (options, message) => {
    const client = connect('http://127.0.0.1:1')
    onTestFinished(() => client.close())
    const query = client.find('contact', options as never)
    await expect(query.once()).rejects.toMatchObject({ kind: 'invalid' })
    await expect(query.count()).rejects.toThrow(message)
    expect(query.get()).toMatchObject({ status: 'error', data: [] })
  })
})

test('numbers that conditions cannot compare are refused in ranges, and reported when they are written', async () => {
  const warnings: string[] = []
  const onWarning = (message: string) => warnings.push(message)
  const url = await startServer()
  const client = createClient({ url, schema, storage: 'memory', onWarning })
  onTestFinished(() => client.close())
  const sum = 0.1 + 0.2
  await client.create('contact', { name: 'Ann', score: sum, age: 31 }).synced
  await client.create('contact', { name: 'Bo', score: 0.000001, age: 999_999_999_999_999 }).synced
  expect(warnings).toEqual([
    'contact.score is 0.30000000000000004, which conditions and orderBy compare as text: round numbers to 15 digits',
  ])
  const names = async (where: Parameters<typeof client.find<'contact'>>[1]) =>
    (await client.find('contact', where).once()).data.map(({ name, score }) => [name, score])
  expect(await names({ where: { score: sum } })).toEqual([['Ann', sum]])
  expect(await names({ where: { score: { lt: 0.3 } } })).toEqual([['Bo', 0.000001]])
  await expect(names({ where: { score: { gt: sum } } })).rejects.toThrow(
    'where.score.gt is 0.30000000000000004; comparisons take numbers with up to 15 digits, so round it',
  )
  await expect(names({ where: { or: [{ score: { lte: 1e-7 } }] } })).rejects.toThrow('is 1e-7;')
  client.update(client.id('contact', (await client.find('contact').first())?.id ?? 0), {
    score: 1e21,
  })
  expect(warnings.at(-1)).toContain('contact.score is 1e+21')
})

describe('an order by fields of linked records', () => {
  const orderBy = { company: { name: 'asc' }, name: 'desc' } as const
  const byCompany = ['Cy Acme', 'Ann Acme', 'Bo Birch', 'Eve -', 'Dan -']

  /** Creates contacts. Ordered by company they are in another order than by name. */
  function fillCompanies(client: Crm) {
    const birch = client.create('company', { name: 'Birch' }).id
    const acme = client.create('company', { name: 'acme' }).id
    client.update(acme, { name: 'Acme' })
    client.create('contact', { name: 'Bo', company: birch, age: 1 })
    client.create('contact', { name: 'Ann', company: acme, age: 2 })
    client.create('contact', { name: 'Dan', age: 3 })
    client.create('contact', { name: 'Cy', company: acme, age: 4 })
    return client.create('contact', { name: 'Eve', age: 5 })
  }
  const show = (rows: readonly { name: string; company?: { name: string } | null }[]) =>
    rows.map(({ name, company }) => `${name} ${company?.name ?? '-'}`)

  test.each(['the server', 'this page'])('is computed by %s', async (where) => {
    const url = where === 'this page' ? 'http://127.0.0.1:1' : await startServer()
    const client = connect(url)
    onTestFinished(() => client.close())
    const last = fillCompanies(client)
    if (where === 'the server') await last.synced
    const all = await client.find('contact', { orderBy, with: { company: true } }).once()
    expect(show(all.data)).toEqual(byCompany)
    expect(all.next).toBeNull()
    const bare = await client.find('contact', { orderBy: { company: { name: 'desc' } } }).once()
    // Contacts of one company are ordered newest first. Without `with` the rows have no link.
    expect(bare.data.map(({ name }) => name)).toEqual(['Bo', 'Cy', 'Ann', 'Eve', 'Dan'])
    expect(Object.keys(bare.data[0] ?? {})).not.toContain('company')
    const adults = { orderBy, where: { age: { gt: 1 } }, limit: 1 } as const
    expect((await client.find('contact', adults).first())?.name).toBe('Cy')
    expect(await client.find('contact', adults).count()).toBe(4)
  })

  test('has pages, and the next page is found even after the last record of the previous one was removed', async () => {
    const client = connect(await startServer())
    onTestFinished(() => client.close())
    await fillCompanies(client).synced
    const options = { orderBy, with: { company: true }, limit: 2 } as const
    const first = await client.find('contact', options).once()
    expect(show(first.data)).toEqual(byCompany.slice(0, 2))
    await client.remove(client.id('contact', first.data[1]?.id ?? 0)).synced
    const second = await client.find('contact', { ...options, after: first.next }).once()
    expect(show(second.data)).toEqual(byCompany.slice(2, 4))
    const third = await client.find('contact', { ...options, after: second.next }).once()
    expect(show(third.data)).toEqual(byCompany.slice(4))
    expect(third.next).toBeNull()
    const other = { ...options, orderBy: { company: { name: 'desc' } }, after: first.next } as const
    await expect(client.find('contact', other).once()).rejects.toThrow(
      'is not a cursor of this query',
    )
  })

  test('changes with the linked records, and loadMore adds pages', async () => {
    const client = connect(await startServer())
    onTestFinished(() => client.close())
    await fillCompanies(client).synced
    const query = client.find('contact', { orderBy, with: { company: true }, limit: 2 })
    onTestFinished(query.subscribe(() => {}))
    await until(() => query.get().isComplete)
    await query.loadMore()
    expect(show(query.get().data)).toEqual(byCompany.slice(0, 4))
    const birch = await client.find('company', { where: { name: 'Birch' } }).first()
    await client.update(birch?.id as NonNullable<typeof birch>['id'], { name: 'Aachen' }).synced
    await until(() => query.get().data[0]?.name === 'Bo')
    expect(show(query.get().data)).toEqual(['Bo Aachen', 'Cy Acme', 'Ann Acme', 'Eve -'])
  })

  test('is refused for links to several records, other members, and wrong directions', async () => {
    const client = connect('http://127.0.0.1:1')
    onTestFinished(() => client.close())
    for (const [orderBy, message] of [
      [{ groups: { name: 'asc' } }, 'orderBy.groups is not a link to one record of one type'],
      [{ company: { nam: 'asc' } }, 'orderBy.company.nam is not a field that has an order'],
      [{ company: { name: 'up' } }, 'orderBy.company.name is neither "asc" nor "desc"'],
      [{ company: { name: 'asc' }, tags: 'asc' }, 'orderBy.tags is not a field that has an order'],
    ] as const)
      await expect(client.find('contact', { orderBy: orderBy as object }).once()).rejects.toThrow(
        message,
      )
  })
})

test('conditions on lists apply to fields that are not selected, and in aggregates', async () => {
  const client = connect(await startServer())
  onTestFinished(() => client.close())
  await fill(client).done
  const where = { tags: { has: 'red' } }
  const all = await client.find('contact', { where }).once()
  const selected = await client.find('contact', { where, select: ['name'] }).once()
  expect(selected.data).toEqual(all.data.map(({ id, name }) => ({ id, name })))
  const groups = await client.aggregate('contact', { where, sum: ['age'] }).once()
  expect(groups.data.map(({ count }) => count)).toEqual([all.data.length])
  expect(all.data.length).toBeGreaterThan(0)
})

test('loadMore adds one page, even if it is called several times while loading', async () => {
  const client = connect(await startServer())
  onTestFinished(() => client.close())
  await fill(client).done
  const query = client.find('contact', { limit: 1, orderBy: { name: 'asc' } })
  onTestFinished(query.subscribe(() => {}))
  await until(() => query.get().isComplete)
  await Promise.all([query.loadMore(), query.loadMore(), query.loadMore()])
  expect(query.get().data.map(({ name }) => name)).toEqual(['Ann', 'Bo'])
  await query.loadMore()
  expect(query.get().data.map(({ name }) => name)).toEqual(['Ann', 'Bo', 'Cyan'])
})
