import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { boolean, date, defineSchema, integer, many, one, text } from '../src/schema/index.ts'
import { startRelay } from './relay.ts'
import { startServer } from './server.ts'

/*
 * The eight everyday queries of a small CRM, with the same answers online and offline. Each is one statement; the query for the
 * second page also needs a statement that reads the first page.
 */

const schema = defineSchema({
  contact: {
    name: text().required(),
    vip: boolean().default(false),
    age: integer(),
    company: one('company'),
  },
  company: { name: text().required(), founded: date(), contacts: many('contact', 'company') },
})

const connect = (url: string) => createClient({ url, schema, storage: 'memory' })
type Crm = ReturnType<typeof connect>

/** Creates two companies and four contacts. */
async function fill(client: Crm) {
  const acme = client.create('company', { name: 'Acme', founded: '1990-05-01' })
  const birch = client.create('company', { name: 'Birch', founded: '2010-01-01' })
  const ann = { name: 'Ann', vip: true, age: 31, company: acme.id }
  const writes = [
    client.create('contact', ann),
    client.create('contact', { name: 'Bo', vip: true, age: 19, company: acme.id }),
    client.create('contact', { name: 'Cy', age: 40, company: birch.id }),
    client.create('contact', { name: 'Dan' }),
  ]
  await Promise.all([acme, birch, ...writes].map((write) => write.synced))
  return { acme: acme.id, ann: (writes[0] as (typeof writes)[0]).id }
}

/** Runs the queries and returns what they found. */
async function everydayQueries(client: Crm, { acme, ann: id }: Awaited<ReturnType<typeof fill>>) {
  const all = await client.find('contact', { with: { company: true } }).once()
  const adults = await client.find('contact', { where: { vip: true, age: { gt: 20 } } }).once()
  const first = await client.find('contact', { orderBy: { name: 'asc' }, limit: 2 }).once()
  const second = await client
    .find('contact', { orderBy: { name: 'asc' }, limit: 2, after: first.next })
    .once()
  const one = await client.find('contact', { where: { id }, with: { company: true } }).first()
  const counts = await client.find('company', { with: { _count: { contacts: true } } }).once()
  const vips = await client.find('contact', { where: { company: acme, vip: true } }).once()
  const an = await client.find('contact', { where: { name: { contains: 'an' } } }).once()
  const old = await client
    .find('contact', { where: { company: { founded: { lt: '2000-01-01' } } } })
    .once()

  return {
    all: all.data.map(({ name, company }) => `${name} ${company?.name}`),
    adults: adults.data.map(({ name, age, vip }) => [name, age, vip]),
    second: second.data.map(({ name }) => name),
    one: one && [one.name, one.company?.founded],
    counts: counts.data.map(({ name, _count }) => [name, _count.contacts]),
    vips: vips.data.map(({ name }) => name),
    an: an.data.map(({ name }) => name),
    old: old.data.map(({ name }) => name),
    complete: [all, adults, second, counts, vips, an, old].map((page) => page.isComplete),
  }
}

const answers = {
  all: ['Dan undefined', 'Cy Birch', 'Bo Acme', 'Ann Acme'],
  adults: [['Ann', 31, true]],
  second: ['Cy', 'Dan'],
  one: ['Ann', '1990-05-01'],
  counts: [
    ['Birch', 1],
    ['Acme', 2],
  ],
  vips: ['Bo', 'Ann'],
  an: ['Dan', 'Ann'],
  old: ['Bo', 'Ann'],
}

describe('the eight everyday queries', () => {
  test('are answered by the server', async () => {
    const url = await startServer()
    const writer = connect(url)
    onTestFinished(() => writer.close())
    const { acme, ann } = await fill(writer)
    const reader = connect(url)
    onTestFinished(() => reader.close())
    const ids = {
      acme: writer.realId(acme) ?? acme,
      ann: writer.realId(ann) ?? ann,
    }
    const found = await everydayQueries(reader, ids)
    expect(found).toEqual({ ...answers, complete: Array(7).fill(true) })
  })

  test('have the same answers while the server cannot be reached', async () => {
    const relay = await startRelay(await startServer())
    const client = connect(relay.url)
    onTestFinished(() => client.close())
    const ids = await fill(client)
    await everydayQueries(client, ids)
    relay.disconnect()
    const found = await everydayQueries(client, ids)
    expect(found).toEqual({ ...answers, complete: Array(7).fill(false) })
  })

  test('find writes that are not synced yet', async () => {
    const client = connect('http://127.0.0.1:1')
    onTestFinished(() => client.close())
    const acme = client.create('company', { name: 'Acme', founded: '1990-05-01' }).id
    const birch = client.create('company', { name: 'Birch', founded: '2010-01-01' }).id
    const ann = client.create('contact', { name: 'Ann', vip: true, age: 31, company: acme }).id
    client.create('contact', { name: 'Bo', vip: true, age: 19, company: acme })
    client.create('contact', { name: 'Cy', age: 40, company: birch })
    client.create('contact', { name: 'Dan' })
    const found = await everydayQueries(client, { acme, ann })
    expect(found).toEqual({ ...answers, complete: Array(7).fill(false) })
  })
})
