import { describe, expect, test } from 'vitest'
import { createRecord, linkLegacy, readLinkCount, updateNestedRecord } from '../src/graph/index.ts'
import type { Client, Id } from '../src/index.ts'
import { WeftError } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { begin } from '../src/transaction/index.ts'
import { open, until } from './open.ts'
import { startServer, tokenOf } from './server.ts'

/** Reads a record as its owner, as another user and as a guest, each with an empty cache. */
type ReadAsAll = (id: Id) => Promise<unknown[]>

interface Users {
  readonly url: string
  readonly ann: Client
  readonly bob: Client
  readonly guest: Client
  readonly readAsAll: ReadAsAll
}

async function setUp(): Promise<Users> {
  const url = await startServer('--anonymous-writes')
  const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
  const readAsAll: ReadAsAll = (id) =>
    Promise.all([ann, bob, undefined].map((token) => open(url, token).load(id)))
  return { url, ann: open(url, ann), bob: open(url, bob), guest: open(url), readAsAll }
}

/** Creates a record of user ann with a public field, a private field, and a public nested record. */
async function createWithMixedAccess(ann: Client): Promise<Id> {
  const fields = { title: 'Loom', place: { city: 'Gent' } }
  const id = await createRecord(ann, 'the_item', fields, { access: 5 }).synced
  await ann.update(id, { note: 'for me' }, { access: 4 }).synced
  return id
}

describe('the access of an update', () => {
  test('each user who could read a field can read its new value', async () => {
    const { ann, readAsAll } = await setUp()
    const id = await createWithMixedAccess(ann)
    await ann.update(id, { title: 'Big loom', place: { city: 'Oslo', street: 'Kirkegata' } }).synced
    const shown = { title: 'Big loom', place: { city: 'Oslo', street: 'Kirkegata' } }
    expect(await readAsAll(id)).toEqual([{ ...shown, note: 'for me' }, shown, shown])
  })

  test('an update removes the named fields', async () => {
    const { ann, readAsAll } = await setUp()
    const id = await createWithMixedAccess(ann)
    await ann.update(id, { title: 'Big loom' }, { remove: ['note', 'place'] }).synced
    expect(ann.record(id)).toEqual({ title: 'Big loom' })
    expect(await readAsAll(id)).toEqual([
      { title: 'Big loom' },
      { title: 'Big loom' },
      { title: 'Big loom' },
    ])
  })

  test('a new field can be read by each user who can read the record', async () => {
    const { ann, readAsAll } = await setUp()
    const [shown, hidden] = await Promise.all([
      createRecord(ann, 'the_item', { title: 'Loom' }, { access: 5 }).synced,
      ann.create('the_item', { title: 'Diary' }).synced,
    ])
    await Promise.all([shown, hidden].map((id) => ann.update(id, { price: 12 }).synced))
    const loom = { title: 'Loom', price: '12' }
    expect(await readAsAll(shown)).toEqual([loom, loom, loom])
    expect(await readAsAll(hidden)).toEqual([{ title: 'Diary', price: '12' }, undefined, undefined])
  })

  test('a private field of a public record remains private', async () => {
    const { ann, readAsAll, url } = await setUp()
    const id = await createWithMixedAccess(ann)
    const reader = open(url, await tokenOf(url, 'ann'))
    await reader.load(id)
    await reader.update(id, { note: 'still for me', title: 'Loom 2' }).synced
    const shown = { title: 'Loom 2', place: { city: 'Gent' } }
    expect(await readAsAll(id)).toEqual([{ ...shown, note: 'still for me' }, shown, shown])
  })

  test('a nested record with a private field is replaced by a private nested record', async () => {
    const { ann, readAsAll } = await setUp()
    const id = await createWithMixedAccess(ann)
    const place = placeIdOf(ann, id)
    await updateNestedRecord(ann, id, place, { street: 'secret' }, { access: 4 }).synced
    await ann.update(id, { place: { city: 'Oslo', street: 'secret' } }).synced
    const shown = { title: 'Loom' }
    const all = { title: 'Loom', note: 'for me', place: { city: 'Oslo', street: 'secret' } }
    expect(await readAsAll(id)).toEqual([all, shown, shown])
  })

  test('updateNestedRecord keeps the access of the nested record', async () => {
    const { ann, readAsAll } = await setUp()
    const id = await createWithMixedAccess(ann)
    await updateNestedRecord(ann, id, placeIdOf(ann, id), { city: 'Oslo', street: 'Kirkegata' })
      .synced
    const shown = { title: 'Loom', place: { city: 'Oslo', street: 'Kirkegata' } }
    expect(await readAsAll(id)).toEqual([{ ...shown, note: 'for me' }, shown, shown])
  })

  test('the option `access` replaces the access, even for unchanged text', async () => {
    const { ann, readAsAll } = await setUp()
    const id = await createWithMixedAccess(ann)
    await ann.update(id, { title: 'Loom' }, { access: 4 }).synced
    const place = { city: 'Gent' }
    expect(await readAsAll(id)).toEqual([
      { title: 'Loom', note: 'for me', place },
      { place },
      { place },
    ])
    await ann.update(id, { title: 'Loom', note: 'for all' }, { access: 5 }).synced
    const shown = { title: 'Loom', note: 'for all', place }
    expect(await readAsAll(id)).toEqual([shown, shown, shown])
    expect(ann.update(id, { title: 'Loom' }, { access: 5 }).key).toBe('')
  })

  test('an update in a transaction supports the option `access`', async () => {
    const { ann, readAsAll } = await setUp()
    const id = await createWithMixedAccess(ann)
    const transaction = begin(ann)
    transaction.update(id, { note: 'for all' }, { access: 5 })
    await (await transaction.commit()).synced
    const shown = { title: 'Loom', note: 'for all', place: { city: 'Gent' } }
    expect(await readAsAll(id)).toEqual([shown, shown, shown])
  })

  test('an update with an unknown access is rejected and changes nothing', async () => {
    const { ann } = await setUp()
    const id = await createWithMixedAccess(ann)
    const update = () => ann.update(id, { title: 'x' }, { access: 6 as 5 })
    expect(update).toThrow(new WeftError('invalid', 'an access is 3, 4 or 5, not 6'))
    expect(ann.record(id)).toMatchObject({ title: 'Loom' })
  })

  test('other users and guests cannot change a public record', async () => {
    const { ann, bob, guest, readAsAll } = await setUp()
    const id = await createWithMixedAccess(ann)
    await Promise.all([bob.load(id), guest.load(id)])
    for (const other of [bob, guest]) {
      other.update(id, { title: 'Mine' })
      await until(() => other.sync.get().failed[0]?.error?.kind === 'forbidden')
    }
    const shown = { title: 'Loom', place: { city: 'Gent' } }
    expect(await readAsAll(id)).toEqual([{ ...shown, note: 'for me' }, shown, shown])
  })

  test('all users and guests can read the fields that users and guests add to a shared record', async () => {
    const { bob, guest, readAsAll } = await setUp()
    const id = await guest.create('the_item', { title: 'Loom' }).synced
    await guest.update(id, { title: 'Big loom' }).synced
    await bob.load(id)
    await bob.update(id, { price: 12 }).synced
    const shown = { title: 'Big loom', price: '12' }
    expect(await readAsAll(id)).toEqual([shown, shown, shown])
  })

  test("a guest's unsent record and its edits become private when a user signs in", async () => {
    const url = await startServer('--max-body', '4000')
    const weft = open(url)
    const { id } = weft.create('the_item', { title: 'Diary' })
    const edit = weft.update(id, { title: 'My diary', page: 1 })
    await until(() => weft.sync.get().needsToken)
    weft.setToken(await tokenOf(url, 'ann'))
    const real = await edit.synced
    expect(weft.record(id)).toEqual({ title: 'My diary', page: '1' })
    expect(await open(url).load(real)).toBeUndefined()
  })

  test('a new count of links has the access of the previous count', async () => {
    const { ann, bob } = await setUp()
    const [from, ...to] = await Promise.all(
      ['Loom', 'Shuttle', 'Reed'].map(
        (title) => createRecord(ann, 'the_item', { title }, { access: 5 }).synced,
      ),
    )
    await linkLegacy(ann, from as Id, 'part', to[0] as Id, { access: 5, count: true }).synced
    await linkLegacy(ann, from as Id, 'part', to[1] as Id, { count: true }).synced
    await bob.load(from as Id)
    expect(await readLinkCount(bob, from as Id, 'part_s')).toBe(2)
  })
})

/** Returns the id of the nested record `place`. */
function placeIdOf(client: Client, id: Id): Id {
  const { graph } = internalsOf(client)
  const records = graph.connectionsOfType(graph.canonical(id)).map((c) => c.to)
  return records.find((to) => graph.concept(to)?.value === '') as Id
}
