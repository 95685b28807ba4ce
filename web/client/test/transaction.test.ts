import { expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import { type Client, createClient, type Id } from '../src/index.ts'
import { insideOf } from '../src/inside.ts'
import { countLinks, createData, link, relation, unlink } from '../src/records/index.ts'
import { begin } from '../src/transaction/index.ts'
import { tokenOf } from './server.ts'

const expired = /^Query Transaction Expired$/

test('what is written is here at once, and there with the commit, in one request', async () => {
  const { client, count, sent } = await world()
  const tx = begin(client)
  const note = tx.create('the_note', { text: 'one' })
  const task = tx.run((to) => to.create('the_task', { title: 'two' }))
  tx.update(note.id, { text: 'three' })
  expect(client.record(note.id)).toEqual({ text: 'three' })
  expect(client.sync.get()).toMatchObject({ pending: 0, held: 3, state: 'idle' })
  expect(client.sync.writes().map((w) => w.held)).toEqual([tx.id, tx.id, tx.id])

  const plain = client.create('the_note', { text: 'outside' })
  await plain.synced
  expect(await count('the_note')).toBe(1)
  expect(await count('the_task')).toBe(0)
  const before = sent.length

  const write = await tx.commit()
  await write.synced
  expect(sent.length - before).toBe(1)
  const [real, other] = await Promise.all([note.synced, task.synced])
  expect(Math.min(real, other)).toBeGreaterThan(0)
  expect([await count('the_note'), await count('the_task')]).toEqual([2, 1])
  expect(await stranger(client, real)).toEqual({ text: 'three' })
  expect(client.sync.get()).toMatchObject({ pending: 0, held: 0 })
})

test('a transaction that is rolled back leaves nothing, here or there', async () => {
  const { client, count, sent } = await world()
  const kept = client.create('the_note', { text: 'kept', done: false })
  await kept.synced
  const before = sent.length
  const tx = begin(client)
  const made = tx.create('the_note', { text: 'made' })
  const lost = expect(made.synced).rejects.toThrow('discarded')
  tx.update(kept.id, { text: 'changed' })
  tx.update(made.id, { text: 'made again' })
  const other = client.create('the_note', { text: 'other' })
  tx.remove(other.id)
  expect(client.concept(other.id)).toBeUndefined()

  await tx.rollback()
  await lost
  expect(client.record(kept.id)).toEqual({ text: 'kept', done: 'false' })
  expect(client.concept(made.id)).toBeUndefined()
  expect(client.record(other.id)).toEqual({ text: 'other' })
  await other.synced
  expect(client.sync.get()).toMatchObject({ pending: 0, held: 0, failed: [] })
  expect(sent.length - before).toBe(1)
  expect(await count('the_note')).toBe(2)
})

test("what other entries write with its client is the transaction's, also when they have to wait", async () => {
  const { client, sent } = await world()
  const person = (name: string) => client.create('the_friend', { name })
  const [ann, bob, cyd] = [person('ann'), person('bob'), person('cyd')]
  const a = await ann.synced
  await link(client, a, 's_friend', bob.id).synced
  const before = sent.length

  const tried = begin(client)
  tried.run((to) => link(to, a, 's_friend', cyd.id))
  tried.run((to) => createData(to, { city: 'Gent' }, { of: a }))
  await tried.run((to) => unlink(to, a, 's_friend', bob.id))
  expect(client.sync.get()).toMatchObject({ held: 3, pending: 0 })
  const friends = () => relation(client, a, 's_friend', { format: 'RAW' })
  expect(await friends()).toEqual([cyd.id])
  await tried.rollback()
  expect(await friends()).toEqual([bob.id])
  expect(sent.length).toBe(before)

  const tx = begin(client)
  const dan = tx.create('the_friend', { name: 'dan' })
  tx.run((to) => link(to, a, 's_friend', dan.id))
  await tx.run((to) => unlink(to, a, 's_friend', bob.id))
  await (await tx.commit()).synced
  expect(sent.length - before).toBe(1)
  const other = opened(client.url)
  await other.load(a)
  expect(await relation(other, a, 's_friend', { format: 'RAW' })).toEqual([await dan.synced])
  expect(await countLinks(other, a, 's_friend')).toBe(1)
})

test('a transaction of any size is one request', async () => {
  const { client, count, sent } = await world()
  const fields = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`field${i}`, `${i}`]))
  const tx = begin(client)
  for (let i = 0; i < 250; i++) tx.create('the_note', { ...fields, n: i })
  await (await tx.commit()).synced
  expect(sent.length).toBe(1)
  const { concepts, connections } = JSON.parse(sent[0] ?? '')
  expect(concepts.length + connections.length).toBeGreaterThan(5_000)
  expect(await count('the_note')).toBe(250)
})

test('lists show what a transaction makes and changes, until it is rolled back', async () => {
  const { client } = await world()
  const kept = client.create('the_note', { text: 'kept' })
  await kept.synced
  const list = client.query({ type: 'the_note', selectors: ['self'] }, { format: 'JUSTDATA' })
  onTestFinished(list.subscribe(() => {}))
  const shown = () => {
    const state = list.get()
    return state.status === 'ready' ? JSON.stringify(state.data) : ''
  }
  await expect.poll(shown).toContain('kept')
  const tx = begin(client)
  tx.create('the_note', { text: 'made' })
  tx.update(kept.id, { text: 'changed' })
  await expect.poll(shown).toContain('changed')
  expect(shown()).toContain('made')
  expect(shown()).not.toContain('kept')
  await tx.rollback()
  await expect.poll(shown).not.toContain('made')
  expect(shown()).toContain('kept')
})

test('a part that the server refuses refuses all, as one write that can be sent again or discarded', async () => {
  const { client, count, sent } = await world()
  const mine = client.create('the_note', { text: 'mine' })
  await mine.synced
  const tx = begin(client)
  const made = tx.create('the_note', { text: 'made' })
  const lost = expect(made.synced).rejects.toThrow('discarded')
  tx.remove(mine.id)
  tx.run((to) => link(to, made.id, 'the_note_friend', 987_654_321))
  const write = await tx.commit()
  const all = expect(write.synced).rejects.toThrow('discarded')
  await expect.poll(() => client.sync.get().failed.length).toBe(3)
  expect(client.sync.get()).toMatchObject({ pending: 0, state: 'error' })
  for (const { error } of client.sync.get().failed)
    expect(error?.message).toContain('not there any more')
  expect(await count('the_note')).toBe(1)

  const before = sent.length
  client.sync.retry(write.key)
  await expect.poll(() => sent.length - before).toBe(1)
  await expect.poll(() => client.sync.get().failed.length).toBe(3)
  expect(client.record(mine.id)).toBeUndefined()
  await client.sync.discard(client.sync.get().failed[1]?.key ?? '')
  await Promise.all([lost, all])
  expect(client.sync.writes()).toEqual([])
  expect(client.record(mine.id)).toEqual({ text: 'mine' })
  expect(await count('the_note')).toBe(1)
})

test('what was written since a mark is taken back, and the rest is sent', async () => {
  const { client, count } = await world()
  const tx = begin(client)
  const first = tx.create('the_note', { text: 'first' })
  const mark = tx.mark()
  const second = tx.create('the_note', { text: 'second' })
  tx.update(first.id, { text: 'changed' })
  const later = tx.mark()
  await tx.rollback(mark)
  expect(client.concept(second.id)).toBeUndefined()
  expect(client.record(first.id)).toEqual({ text: 'first' })
  await expect(tx.rollback(later)).rejects.toMatchObject({ kind: 'invalid' })
  tx.create('the_note', { text: 'third' })
  const id = await (await tx.commit()).synced.then(() => first.synced)
  expect(await stranger(client, id)).toEqual({ text: 'first' })
  expect(await count('the_note')).toBe(2)

  const again = begin(client)
  again.create('the_note', { text: 'no' })
  await again.rollback(again.mark())
  expect(client.sync.get().held).toBe(1)
  await expect(again.rollback(mark)).rejects.toMatchObject({ kind: 'invalid' })
  await again.rollback()
  expect(client.sync.get().held).toBe(0)
})

test.each(['commit', 'rollback'] as const)('after a %s everything is refused', async (end) => {
  const { client } = await world()
  const tx = begin(client)
  let held: Client | undefined
  const { id } = tx.run((to) => {
    held = to
    return to.create('the_note', { text: 'x' })
  })
  await tx[end]()
  expect(() => tx.create('the_note', { text: 'y' })).toThrow(expired)
  expect(() => tx.update(id, { text: 'y' })).toThrow(expired)
  expect(() => tx.remove(id)).toThrow(expired)
  expect(() => tx.run(() => {})).toThrow(expired)
  expect(() => tx.mark()).toThrow(expired)
  expect(() => held?.create('the_note', { text: 'y' })).toThrow(expired)
  await expect(tx.rollback()).rejects.toThrow(expired)
  await expect(tx.commit()).rejects.toThrow(expired)
})

test('an action that throws rolls back, and is the cause of what is refused after it', async () => {
  const { client, sent } = await world()
  const tx = begin(client)
  tx.create('the_note', { text: 'x' })
  expect(() => tx.create('the note', {})).toThrow(/without spaces/)
  await expect(tx.commit()).rejects.toMatchObject({
    message: 'Query Transaction Expired',
    cause: { kind: 'invalid' },
  })
  await expect.poll(() => client.sync.writes()).toEqual([])

  const slow = begin(client)
  const work = slow.run(async (to) => {
    await to.create('the_note', { text: 'y' }).saved
    throw new Error('on second thoughts')
  })
  const failed = expect(work).rejects.toThrow('on second thoughts')
  await expect(slow.commit()).rejects.toThrow(expired)
  await failed
  await expect.poll(() => client.sync.writes()).toEqual([])
  expect(sent).toEqual([])
})

test('a commit waits for work that has begun, and takes no other', async () => {
  const { client, count } = await world()
  const tx = begin(client)
  let go = () => {}
  const gate = new Promise<void>((open) => {
    go = open
  })
  const work = tx.run(async (to) => {
    await gate
    return to.create('the_note', { text: 'late' })
  })
  const commit = tx.commit()
  expect(() => tx.create('the_note', { text: 'too late' })).toThrow(expired)
  go()
  await (await commit).synced
  expect(await (await work).synced).toBeGreaterThan(0)
  expect(await count('the_note')).toBe(1)
})

test('a write outside that builds on one inside waits for it, and goes with it', async () => {
  const { client, sent } = await world()
  const tx = begin(client)
  const one = tx.create('the_note', { text: 'inside' })
  client.update(one.id, { text: 'outside' })
  const free = client.create('the_note', { text: 'free' })
  await free.synced
  expect(sent.length).toBe(1)
  await tx.commit()
  const id = await one.synced
  await expect.poll(() => client.sync.get().pending).toBe(0)
  expect(await stranger(client, id)).toEqual({ text: 'outside' })

  const other = begin(client)
  const two = other.create('the_note', { text: 'inside' })
  const lost = expect(client.update(two.id, { text: 'outside' }).synced).rejects.toThrow(
    'discarded',
  )
  await other.rollback()
  await lost
  expect(client.sync.writes()).toEqual([])
})

test('what is written later does not overtake a transaction, nor what was written beside it', async () => {
  const { client, weft } = await world()
  const [one, two] = [client.create('the_note', { n: 1 }), client.create('the_note', { n: 2 })]
  await Promise.all([one.synced, two.synced])
  await weft.kill()
  const tx = begin(client)
  tx.update(one.id, { n: 'in' })
  const beside = client.create('the_note', { n: 3 })
  tx.update(beside.id, { n: 'in' })
  const inside = tx.create('the_note', { n: 4 })
  client.update(inside.id, { n: 'beside' })
  tx.update(two.id, { n: 'in' })
  await tx.commit()
  for (const { id } of [one, inside]) client.remove(id)
  await weft.start()
  client.sync.retry()
  await expect.poll(() => client.sync.get(), { timeout: 20_000 }).toMatchObject({ pending: 0 })
  expect(client.sync.get().failed).toEqual([])
  expect(await weft.count('the_note')).toBe(2)
  expect(await stranger(client, await two.synced)).toEqual({ n: 'in' })
  expect(await stranger(client, await beside.synced)).toEqual({ n: 'in' })
})

test('when a part is for data that the server has no more, no part is sent', async () => {
  const { client, weft, count } = await world()
  const old = client.create('the_note', { n: 1 })
  await old.synced
  await insideOf(client).http.probe()
  const tx = begin(client)
  const made = tx.create('the_note', { n: 2 })
  const lost = expect(made.synced).rejects.toThrow('discarded')
  tx.update(old.id, { n: 3 })
  await weft.kill()
  weft.empty()
  await weft.start()
  await insideOf(client).http.probe()
  expect(client.sync.get()).toMatchObject({ pending: 0, held: 1, failed: [{ id: 0 }] })
  const write = await tx.commit()
  write.synced.catch(() => {})
  await client.create('the_task', { n: 4 }).synced
  expect(await count('the_task')).toBe(1)
  expect(await count('the_note')).toBe(0)
  expect(client.sync.get()).toMatchObject({ pending: 1, held: 0, failed: [{ id: 0 }] })
  await client.sync.discard(client.sync.get().failed[0]?.key ?? '')
  await lost
  expect(client.sync.writes()).toEqual([])
})

test('a transaction belongs to whoever is signed in, and is there when they are back', async () => {
  const { client, weft, sent } = await world()
  const [ann, bob] = await Promise.all([tokenOf(weft.url, 'ann'), tokenOf(weft.url, 'bob')])
  client.setToken(ann)
  const tx = begin(client, 'trip')
  const note = tx.create('the_note', { of: 'ann' })
  tx.create('the_note', { of: 'ann', too: 'yes' })
  client.setToken(bob)
  expect(client.record(note.id)).toBeUndefined()
  expect(client.sync.get().held).toBe(0)
  await begin(client, 'trip').commit()
  expect(() => tx.create('the_note', { of: 'bob' })).toThrow(expired)
  expect(sent).toEqual([])
  client.setToken(ann)
  expect(client.record(note.id)).toEqual({ of: 'ann' })
  tx.update(note.id, { of: 'ann again' })
  await (await tx.commit()).synced
  expect(sent.length).toBe(1)
  const back = opened(client.url)
  expect(await back.load(await note.synced)).toBeUndefined()
  back.setToken(ann)
  expect(await back.load(await note.synced)).toEqual({ of: 'ann again' })
})

test('what is changed and removed in one request may be sent twice', async () => {
  const weft = await startWeft()
  const cable = await wireCutter(weft.port)
  const client = opened(cable.url)
  const [old, other] = [client.create('the_note', { n: 1 }), client.create('the_note', { n: 2 })]
  await Promise.all([old.synced, other.synced])
  const tx = begin(client)
  tx.update(old.id, { n: 3 })
  tx.update(old.id, { n: 4, in: { deep: 'er' } })
  tx.remove(old.id)
  const made = tx.create('the_note', { n: 5 })
  const gone = tx.create('the_note', { n: 6, in: { deep: 'er' } })
  tx.update(gone.id, { n: 7 })
  tx.remove(gone.id)
  cable.loseAnswers()
  const write = await tx.commit()
  client.update(other.id, { n: 8 })
  client.remove(other.id)
  await expect.poll(() => cable.lost()).toBeGreaterThan(0)
  cable.mend()
  await insideOf(client).http.probe()
  await expect.poll(() => client.sync.get().pending).toBe(0)
  expect(client.sync.get().failed).toEqual([])
  await write.synced
  expect(await weft.count('the_note')).toBe(1)
  expect(await stranger(client, await made.synced)).toEqual({ n: '5' })
})

test('an empty commit is one, and an id that is none is refused', async () => {
  const { client, sent } = await world()
  await (await begin(client).commit()).synced
  expect(sent).toEqual([])
  expect(() => begin(client, '')).toThrow(/not empty/)
  begin(client).run((to) => expect(() => begin(to)).toThrow(/mark/))
})

async function world() {
  const weft = await startWeft()
  const sent: string[] = []
  const { fetch } = globalThis
  globalThis.fetch = (at, init) => {
    if (String(at).includes('/local-concepts')) sent.push(String(init?.body))
    return fetch(at, init)
  }
  onTestFinished(() => {
    globalThis.fetch = fetch
  })
  return { client: opened(weft.url), weft, count: weft.count, sent }
}

function opened(url: string): Client {
  const client = createClient({ url, storage: 'memory' })
  onTestFinished(() => client.close())
  return client
}

/** The record as somebody has it who has not seen it before. */
async function stranger({ url }: Client, id: Id) {
  return await opened(url).load(id)
}
