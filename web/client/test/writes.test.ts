import { describe, expect, test } from 'vitest'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import type { Client, Id } from '../src/index.ts'
import {
  connect,
  createConcept,
  createData,
  disconnect,
  link,
  linkFormerly,
} from '../src/records/index.ts'
import { begin } from '../src/transaction/index.ts'
import { describeWrite } from '../src/writes/index.ts'
import { alone, open, until } from './open.ts'
import { startServer } from './server.ts'

describe('a write that waits', () => {
  test('to make a record says what is in it', () => {
    const weft = alone()
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

  test('to change one says what is new, also of what the server has', async () => {
    const { weft, id, note } = await world()
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

  test('to remove one says what that was, edited or not', () => {
    const weft = alone()
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

  test('to link two says which, and by what', () => {
    const weft = alone()
    const [ann, bea] = [person(weft, 'Ann'), person(weft, 'Bea')]
    const from = { id: ann, type: 'the_person', title: 'Ann' }
    const to = { id: bea, type: 'the_person', title: 'Bea' }
    const made = link(weft, ann, 's_friend', bea)
    const linked = { record: from, fields: [], relation: 'the_person_s_friend', to }
    expect(describeWrite(weft, made.key)).toEqual({ kind: 'link', ...linked })
    const gone = disconnect(weft, made.connection)
    expect(describeWrite(weft, gone.key)).toEqual({ kind: 'unlink', ...linked })

    const formerly = linkFormerly(weft, ann, 'friend', bea, { both: true })
    expect(describeWrite(weft, formerly.key)).toMatchObject({ kind: 'link', fields: [] })
    const inner = connect(weft, ann, ann, bea)
    expect(describeWrite(weft, inner.key)).toMatchObject({ kind: 'update', record: { id: ann } })
    const cut = disconnect(weft, inner.connection)
    expect(describeWrite(weft, cut.key)).toMatchObject({ kind: 'update', fields: [] })
  })

  test('of single concepts and of data says what they are', () => {
    const weft = alone()
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

  test('is short, however long what is written is', () => {
    const weft = alone()
    const fields = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`f${i}`, 'x'.repeat(999)]),
    )
    const said = describeWrite(weft, weft.create('the_form', fields).key)
    expect(said?.fields).toHaveLength(20)
    expect(said?.fields[0]).toEqual({ name: 'f0', text: `${'x'.repeat(79)}…` })
    expect(said?.record.title).toHaveLength(80)
  })

  test('of a transaction is described too, and one that is over is not', async () => {
    const weft = open(await startServer())
    const tx = begin(weft)
    const { key, synced } = tx.create('the_note', { text: 'held' })
    expect(describeWrite(weft, key)).toMatchObject({ kind: 'create', record: { title: 'held' } })
    await tx.commit()
    await synced
    expect(describeWrite(weft, key)).toBeUndefined()
    const regretted = weft.create('the_note', { text: 'no' })
    await weft.sync.discard(regretted.key)
    expect(describeWrite(weft, regretted.key)).toBeUndefined()
    expect(describeWrite(weft, '')).toBeUndefined()
  })
})

describe('a write about what was removed elsewhere', () => {
  test('is refused in words for people, and can still be described', async () => {
    const { weft, id, other, mend } = await world()
    const write = weft.update(id, { text: 'mine' })
    await other.remove(id).synced
    mend()
    await until(() => weft.sync.get().failed.length === 1)
    const [failed] = weft.sync.get().failed
    expect(failed).toMatchObject({ key: write.key, kind: 'update', error: { kind: 'notFound' } })
    expect(failed?.error?.message).toBe(
      'the record is not there any more: it was removed elsewhere',
    )
    expect(describeWrite(weft, write.key)).toMatchObject({
      kind: 'update',
      fields: [{ name: 'text', text: 'mine' }],
    })
  })

  test('says that a record is gone when it is about several', async () => {
    const { weft, id, further, other, mend } = await world()
    const { key } = link(weft, id, 'the_note_s_note', further)
    await other.remove(further).synced
    mend()
    await until(() => weft.sync.get().failed.length === 1)
    expect(weft.sync.get().failed[0]).toMatchObject({ key, error: { kind: 'notFound' } })
    expect(weft.sync.get().failed[0]?.error?.message).toBe(
      'a record that this changes or links is not there any more: it was removed elsewhere',
    )
  })
})

const person = (weft: Client, name: string): Id => weft.create('the_person', { name }).id

/** Somebody with two notes that the server has, who has lost the network, and somebody else who has not. */
async function world() {
  const server = await startServer()
  const cable = await wireCutter(Number(new URL(server).port))
  const [weft, other] = [open(cable.url), open(server)]
  const note = weft.create('the_note', { text: 'Buy thread', done: false })
  const further = await weft.create('the_note', { text: 'Weave' }).synced
  const id = await note.synced
  cable.cut()
  return { weft, id, note: note.id, further, other, mend: () => cable.mend() }
}
