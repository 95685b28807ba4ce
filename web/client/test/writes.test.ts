import { describe, expect, test } from 'vitest'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import {
  connect,
  createConcept,
  createData,
  disconnect,
  link,
  linkLegacy,
} from '../src/graph/index.ts'
import type { Client, Id } from '../src/index.ts'
import { begin } from '../src/transaction/index.ts'
import { describeWrite } from '../src/writes/index.ts'
import { offlineClient, open, until } from './open.ts'
import { startServer } from './server.ts'

describe('describeWrite', () => {
  test('describes a creation with its fields', () => {
    const weft = offlineClient()
    const { id, key } = weft.create('the_note', {
      done: false,
      text: 'Buy thread',
      place: { city: 'Lyon', street: 'Lyon' },
      tags: ['loom', 'shop'],
      none: [],
    })
    expect(describeWrite(weft, key)).toEqual({
      kind: 'create',
      record: { id, type: 'the_note', title: 'Buy thread' },
      fields: [
        { name: 'done', text: 'false' },
        { name: 'text', text: 'Buy thread' },
        { name: 'place.city', text: 'Lyon' },
        { name: 'place.street', text: 'Lyon' },
        { name: 'tags.0', text: 'loom' },
        { name: 'tags.1', text: 'shop' },
        { name: 'none', text: '' },
      ],
    })
  })

  test('describes an update with the new values, even for a record on the server', async () => {
    const { weft, id, note } = await setUp()
    const { key } = weft.update(id, { text: 'Buy wool', place: { city: 'Gent' } })
    expect(describeWrite(weft, key)).toEqual({
      kind: 'update',
      record: { id: note, type: 'the_note', title: 'Buy wool' },
      fields: [
        { name: 'text', text: 'Buy wool' },
        { name: 'place.city', text: 'Gent' },
      ],
    })
  })

  test('describes a removal with the title of the record, even of an edited record', () => {
    const weft = offlineClient()
    const note = weft.create('the_note', { text: 'Buy thread', done: false })
    weft.update(note.id, { text: 'Buy wool' })
    const { key } = weft.remove(note.id)
    expect(weft.record(note.id)).toBeUndefined()
    expect(describeWrite(weft, key)).toEqual({
      kind: 'remove',
      record: { id: note.id, type: 'the_note', title: 'Buy wool' },
      fields: [],
    })
  })

  test('describes a link with both records and the link type', () => {
    const weft = offlineClient()
    const [ann, bea] = [person(weft, 'Ann'), person(weft, 'Bea')]
    const from = { id: ann, type: 'the_person', title: 'Ann' }
    const to = { id: bea, type: 'the_person', title: 'Bea' }
    const created = link(weft, ann, 's_friend', bea)
    const linked = { record: from, fields: [], relation: 'the_person_s_friend', to }
    expect(describeWrite(weft, created.key)).toEqual({ kind: 'link', ...linked })
    const removal = disconnect(weft, created.connection)
    expect(describeWrite(weft, removal.key)).toEqual({ kind: 'unlink', ...linked })

    const legacy = linkLegacy(weft, ann, 'friend', bea, { both: true })
    expect(describeWrite(weft, legacy.key)).toMatchObject({ kind: 'link', fields: [] })
    const inner = connect(weft, ann, ann, bea)
    expect(describeWrite(weft, inner.key)).toMatchObject({ kind: 'update', record: { id: ann } })
    const innerRemoval = disconnect(weft, inner.connection)
    expect(describeWrite(weft, innerRemoval.key)).toMatchObject({ kind: 'update', fields: [] })
  })

  test('describes writes of single concepts and of data', () => {
    const weft = offlineClient()
    const value = createConcept(weft, 'the_mail', 'ann@example.org')
    const record = { id: value.id, type: 'the_mail', title: 'ann@example.org' }
    expect(describeWrite(weft, value.key)).toEqual({ kind: 'create', record, fields: [] })
    const data = createData(weft, { the_order: { number: '17', line: { count: '3' } } })
    expect(describeWrite(weft, data.key)).toMatchObject({
      kind: 'create',
      record: { id: data.id, type: 'the_order' },
      fields: [
        { name: 'number', text: '17' },
        { name: 'line.count', text: '3' },
      ],
    })
  })

  test('limits the length and the number of fields', () => {
    const weft = offlineClient()
    const fields = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`f${i}`, 'x'.repeat(999)]),
    )
    const description = describeWrite(weft, weft.create('the_form', fields).key)
    expect(description?.fields).toHaveLength(20)
    expect(description?.fields[0]).toEqual({ name: 'f0', text: `${'x'.repeat(79)}…` })
    expect(description?.record.title).toHaveLength(80)
  })

  test('describes writes of a transaction, and returns undefined for settled ones', async () => {
    const weft = open(await startServer())
    const tx = begin(weft)
    const { key, synced } = tx.create('the_note', { text: 'held' })
    expect(describeWrite(weft, key)).toMatchObject({ kind: 'create', record: { title: 'held' } })
    await tx.commit()
    await synced
    expect(describeWrite(weft, key)).toBeUndefined()
    const discarded = weft.create('the_note', { text: 'no' })
    await weft.sync.discard(discarded.key)
    expect(describeWrite(weft, discarded.key)).toBeUndefined()
    expect(describeWrite(weft, '')).toBeUndefined()
  })
})

describe('a write about a record that was removed elsewhere', () => {
  test('fails with a message for users, and can still be described', async () => {
    const { weft, id, other, reconnect } = await setUp()
    const write = weft.update(id, { text: 'mine' })
    await other.remove(id).synced
    reconnect()
    await until(() => weft.sync.get().failed.length === 1)
    const [failed] = weft.sync.get().failed
    expect(failed).toMatchObject({ key: write.key, kind: 'update', error: { kind: 'notFound' } })
    expect(failed?.error?.message).toBe('the record no longer exists: it was removed elsewhere')
    expect(describeWrite(weft, write.key)).toMatchObject({
      kind: 'update',
      fields: [{ name: 'text', text: 'mine' }],
    })
  })

  test('says that one of several records was removed', async () => {
    const { weft, id, otherNote, other, reconnect } = await setUp()
    const { key } = link(weft, id, 'the_note_s_note', otherNote)
    await other.remove(otherNote).synced
    reconnect()
    await until(() => weft.sync.get().failed.length === 1)
    expect(weft.sync.get().failed[0]).toMatchObject({ key, error: { kind: 'notFound' } })
    expect(weft.sync.get().failed[0]?.error?.message).toBe(
      'a record that this changes or links no longer exists: it was removed elsewhere',
    )
  })
})

const person = (weft: Client, name: string): Id => weft.create('the_person', { name }).id

/** Returns an offline client with two notes that are on the server, and another client that is online. */
async function setUp() {
  const server = await startServer()
  const network = await startNetworkProxy(Number(new URL(server).port))
  const [weft, other] = [open(network.url), open(server)]
  const note = weft.create('the_note', { text: 'Buy thread', done: false })
  const otherNote = await weft.create('the_note', { text: 'Weave' }).synced
  const id = await note.synced
  network.disconnect()
  return { weft, id, note: note.id, otherNote, other, reconnect: () => network.reconnect() }
}
