import { expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { link, readLinks } from '../src/graph/index.ts'
import type { Client, Id } from '../src/index.ts'
import { begin } from '../src/transaction/index.ts'
import { open } from './open.ts'
import { startProxy } from './proxy.ts'

const sync = '/api/v1/local-concepts'
const fields = { name: 'Ann', age: '30', tags: ['x', 'y'], home: { city: 'Oslo' } }

test('an undo before the sync discards the removal: the record keeps its ids and links', async () => {
  const { ann, bo, id, group, weft } = await setUp()
  const real = ann.realId(id) ?? 0
  await weft.kill()
  const removal = ann.remove(id)
  expect(ann.record(id)).toBeUndefined()
  const undone = removal.undo()
  await expect.poll(() => ann.record(id)).toEqual(fields)
  await undone.saved
  expect(ann.sync.writes()).toEqual([])
  await expect(removal.synced).rejects.toThrow('discarded')
  await weft.start()
  expect(await undone.synced).toBe(real)
  expect(await bo.load(real)).toEqual(fields)
  expect(await members(bo, group)).toEqual(['Ann'])
})

test('an undo after the sync creates the record again, with its fields and links', async () => {
  const { ann, bo, id, group, weft } = await setUp()
  const real = ann.realId(id) ?? 0
  let calls = 0
  onTestFinished(ann.watch(id, () => calls++))
  const removal = ann.remove(real)
  await removal.synced
  expect(await weft.count('the_person')).toBe(0)
  calls = 0
  const undone = removal.undo()
  const restored = await undone.synced
  expect(calls).toBeGreaterThan(0)
  expect(restored).not.toBe(real)
  for (const each of [id, real, restored, undone.id]) {
    expect(ann.record(each)).toEqual(fields)
    expect(ann.realId(each)).toBe(restored)
  }
  expect(await bo.load(restored)).toEqual(fields)
  expect(await members(bo, group)).toEqual(['Ann'])
  expect(await friends(bo, restored)).toEqual(['Bo'])

  await ann.update(real, { age: 31 }).synced
  expect(await open(weft.url).load(restored)).toEqual({ ...fields, age: '31' })
  const again = ann.remove(id)
  await again.synced
  expect(ann.record(real)).toBeUndefined()
  const last = await again.undo().synced
  expect(ann.realId(real)).toBe(last)
  expect(await open(weft.url).load(last)).toEqual({ ...fields, age: '31' })
})

test('an undo of a removal whose response is lost creates the record again', async () => {
  const { weft, ann: writer, id } = await setUp()
  const proxy = await startProxy(weft.url)
  const ann = open(proxy.url)
  const real = writer.realId(id) ?? 0
  await ann.load(real)
  let restored: Promise<Id> | undefined
  proxy.next(sync, async (response, forward) => {
    await forward()
    restored = removal.undo().synced
    response.destroy()
  })
  const removal = ann.remove(real)
  await expect.poll(() => restored).toBeDefined()
  expect(ann.record(real)).toEqual(await open(weft.url).load((await restored) ?? 0))
  expect(ann.record(real)).toEqual(fields)
  expect(await weft.count('the_person')).toBe(1)
})

test('an undo in a transaction discards only the removal', async () => {
  const { ann, id, weft } = await setUp()
  const tx = begin(ann)
  const other = tx.create('the_person', { name: 'Cleo' })
  const removal = tx.remove(id)
  expect(ann.record(id)).toBeUndefined()
  await removal.undo().synced
  expect(ann.record(id)).toEqual(fields)
  await (await tx.commit()).synced
  expect(await weft.count('the_person')).toBe(2)
  expect(ann.record(other.id)).toEqual({ name: 'Cleo' })
})

test('an undo restores a record whose creation the server had refused', async () => {
  const { ann, weft } = await setUp()
  const proxy = await startProxy(weft.url)
  const bo = open(proxy.url)
  proxy.next(sync, (response) => response.writeHead(400).end('{"kind":"invalid"}'))
  const { id, synced } = bo.create('the_person', { name: 'Dora' })
  await expect(synced).rejects.toThrow()
  const removal = bo.remove(id)
  await removal.synced
  expect(bo.record(id)).toBeUndefined()
  const restored = await removal.undo().synced
  expect(bo.record(id)).toEqual({ name: 'Dora' })
  expect(await ann.load(restored)).toEqual({ name: 'Dora' })
})

/** Creates a person who is a member of a group and has a friend. */
async function setUp() {
  const weft = await startWeft()
  onTestFinished(() => weft.kill())
  const [ann, bo] = [open(weft.url), open(weft.url)]
  const { id } = ann.create('the_person', fields)
  const group = ann.create('the_group', { title: 'Weavers' }).id
  const friend = ann.create('the_human', { name: 'Bo' }).id
  link(ann, group, 's_member', id)
  await link(ann, id, 's_friend', friend).synced
  await expect.poll(() => ann.sync.get().pending).toBe(0)
  return { weft, ann, bo, id, group: ann.realId(group) ?? 0 }
}

async function members(client: Client, group: Id): Promise<unknown[]> {
  const rows = await readLinks(client, group, 'the_group_s_member', { format: 'JUSTDATA' })
  return rows.map((row) => (row as { the_person: { name: string } }).the_person.name)
}

async function friends(client: Client, id: Id): Promise<unknown[]> {
  const rows = await readLinks(client, id, 'the_person_s_friend', { format: 'JUSTDATA' })
  return rows.map((row) => (row as { the_human: { name: string } }).the_human.name)
}
