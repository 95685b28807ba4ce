import { expect, onTestFinished, test } from 'vitest'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { startWeft } from '../../e2e/weft.ts'
import { countLinks, createData, link, readLinks, unlink } from '../src/graph/index.ts'
import { type Client, createClient, type Id } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { begin } from '../src/transaction/index.ts'
import { tokenOf } from './server.ts'

const expired = /^Query Transaction Expired$/

test('shows writes immediately, and sends them with the commit, in one request', async () => {
  const { client, count, sent } = await setUp()
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
  expect(await loadElsewhere(client, real)).toEqual({ text: 'three' })
  expect(client.sync.get()).toMatchObject({ pending: 0, held: 0 })
})

test('a rollback leaves nothing in the page or on the server', async () => {
  const { client, count, sent } = await setUp()
  const note = client.create('the_note', { text: 'kept', done: false })
  await note.synced
  const before = sent.length
  const tx = begin(client)
  const created = tx.create('the_note', { text: 'made' })
  const rejection = expect(created.synced).rejects.toThrow('discarded')
  tx.update(note.id, { text: 'changed' })
  tx.update(created.id, { text: 'made again' })
  const other = client.create('the_note', { text: 'other' })
  tx.remove(other.id)
  expect(client.concept(other.id)).toBeUndefined()

  await tx.rollback()
  await rejection
  expect(client.record(note.id)).toEqual({ text: 'kept', done: 'false' })
  expect(client.concept(created.id)).toBeUndefined()
  expect(client.record(other.id)).toEqual({ text: 'other' })
  await other.synced
  expect(client.sync.get()).toMatchObject({ pending: 0, held: 0, failed: [] })
  expect(sent.length - before).toBe(1)
  expect(await count('the_note')).toBe(2)
})

test('writes of other entry points with the client of `run` belong to the transaction, even asynchronous ones', async () => {
  const { client, sent } = await setUp()
  const person = (name: string) => client.create('the_friend', { name })
  const [ann, bob, cyd] = [person('ann'), person('bob'), person('cyd')]
  const a = await ann.synced
  await link(client, a, 's_friend', bob.id).synced
  const before = sent.length

  const rolledBack = begin(client)
  rolledBack.run((to) => link(to, a, 's_friend', cyd.id))
  rolledBack.run((to) => createData(to, { city: 'Gent' }, { of: a }))
  await rolledBack.run((to) => unlink(to, a, 's_friend', bob.id))
  expect(client.sync.get()).toMatchObject({ held: 3, pending: 0 })
  const friends = () => readLinks(client, a, 's_friend', { format: 'RAW' })
  expect(await friends()).toEqual([cyd.id])
  await rolledBack.rollback()
  expect(await friends()).toEqual([bob.id])
  expect(sent.length).toBe(before)

  const tx = begin(client)
  const dan = tx.create('the_friend', { name: 'dan' })
  tx.run((to) => link(to, a, 's_friend', dan.id))
  await tx.run((to) => unlink(to, a, 's_friend', bob.id))
  await (await tx.commit()).synced
  expect(sent.length - before).toBe(1)
  const other = openClient(client.url)
  await other.load(a)
  expect(await readLinks(other, a, 's_friend', { format: 'RAW' })).toEqual([await dan.synced])
  expect(await countLinks(other, a, 's_friend')).toBe(1)
})

test('a transaction of any size is one request', async () => {
  const { client, count, sent } = await setUp()
  const fields = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`field${i}`, `${i}`]))
  const tx = begin(client)
  for (let i = 0; i < 250; i++) tx.create('the_note', { ...fields, n: i })
  await (await tx.commit()).synced
  expect(sent.length).toBe(1)
  const { concepts, connections } = JSON.parse(sent[0] ?? '')
  expect(concepts.length + connections.length).toBeGreaterThan(5_000)
  expect(await count('the_note')).toBe(250)
})

test('lists show the writes of a transaction until it is rolled back', async () => {
  const { client } = await setUp()
  const note = client.create('the_note', { text: 'kept' })
  await note.synced
  const list = client.query({ type: 'the_note', selectors: ['self'] }, { format: 'JUSTDATA' })
  onTestFinished(list.subscribe(() => {}))
  const shown = () => {
    const state = list.get()
    return state.status === 'ready' ? JSON.stringify(state.data) : ''
  }
  await expect.poll(shown).toContain('kept')
  const tx = begin(client)
  tx.create('the_note', { text: 'made' })
  tx.update(note.id, { text: 'changed' })
  await expect.poll(shown).toContain('changed')
  expect(shown()).toContain('made')
  expect(shown()).not.toContain('kept')
  await tx.rollback()
  await expect.poll(shown).not.toContain('made')
  expect(shown()).toContain('kept')
})

test('a refused write fails the whole transaction, which can be retried or discarded', async () => {
  const { client, count, sent } = await setUp()
  const mine = client.create('the_note', { text: 'mine' })
  await mine.synced
  const tx = begin(client)
  const created = tx.create('the_note', { text: 'made' })
  const rejection = expect(created.settled).rejects.toThrow('discarded')
  tx.remove(mine.id)
  tx.run((to) => link(to, created.id, 'the_note_friend', 987_654_321))
  const write = await tx.commit()
  const commitRejection = expect(write.settled).rejects.toThrow('discarded')
  await expect(write.synced).rejects.toThrow('no longer exists')
  await expect.poll(() => client.sync.get().failed.length).toBe(3)
  expect(client.sync.get()).toMatchObject({ pending: 0, state: 'error' })
  for (const { error } of client.sync.get().failed)
    expect(error?.message).toContain('no longer exists')
  expect(await count('the_note')).toBe(1)

  const before = sent.length
  client.sync.retry(write.key)
  await expect.poll(() => sent.length - before).toBe(1)
  await expect.poll(() => client.sync.get().failed.length).toBe(3)
  expect(client.record(mine.id)).toBeUndefined()
  await client.sync.discard(client.sync.get().failed[1]?.key ?? '')
  await Promise.all([rejection, commitRejection])
  expect(client.sync.writes()).toEqual([])
  expect(client.record(mine.id)).toEqual({ text: 'mine' })
  expect(await count('the_note')).toBe(1)
})

test('a rollback to a mark discards the writes since, and the rest is sent', async () => {
  const { client, count } = await setUp()
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
  expect(await loadElsewhere(client, id)).toEqual({ text: 'first' })
  expect(await count('the_note')).toBe(2)

  const next = begin(client)
  next.create('the_note', { text: 'no' })
  await next.rollback(next.mark())
  expect(client.sync.get().held).toBe(1)
  await expect(next.rollback(mark)).rejects.toMatchObject({ kind: 'invalid' })
  await next.rollback()
  expect(client.sync.get().held).toBe(0)
})

test.each(['commit', 'rollback'] as const)('every call throws after a %s', async (end) => {
  const { client } = await setUp()
  const tx = begin(client)
  let lateClient: Client | undefined
  const { id } = tx.run((to) => {
    lateClient = to
    return to.create('the_note', { text: 'x' })
  })
  await tx[end]()
  expect(() => tx.create('the_note', { text: 'y' })).toThrow(expired)
  expect(() => tx.update(id, { text: 'y' })).toThrow(expired)
  expect(() => tx.remove(id)).toThrow(expired)
  expect(() => tx.run(() => {})).toThrow(expired)
  expect(() => tx.mark()).toThrow(expired)
  expect(() => lateClient?.create('the_note', { text: 'y' })).toThrow(expired)
  await expect(tx.rollback()).rejects.toThrow(expired)
  await expect(tx.commit()).rejects.toThrow(expired)
})

test('an action that throws rolls the transaction back, and its error is the cause of later errors', async () => {
  const { client, sent } = await setUp()
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

test('a commit waits for running actions, and accepts no new ones', async () => {
  const { client, count } = await setUp()
  const tx = begin(client)
  let openGate = () => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  const work = tx.run(async (to) => {
    await gate
    return to.create('the_note', { text: 'late' })
  })
  const commit = tx.commit()
  expect(() => tx.create('the_note', { text: 'too late' })).toThrow(expired)
  openGate()
  await (await commit).synced
  expect(await (await work).synced).toBeGreaterThan(0)
  expect(await count('the_note')).toBe(1)
})

test('a write that refers to a record of an open transaction is sent with the transaction', async () => {
  const { client, sent } = await setUp()
  const tx = begin(client)
  const inside = tx.create('the_note', { text: 'inside' })
  client.update(inside.id, { text: 'outside' })
  const free = client.create('the_note', { text: 'free' })
  await free.synced
  expect(sent.length).toBe(1)
  await tx.commit()
  const id = await inside.synced
  await expect.poll(() => client.sync.get().pending).toBe(0)
  expect(await loadElsewhere(client, id)).toEqual({ text: 'outside' })

  const other = begin(client)
  const two = other.create('the_note', { text: 'inside' })
  const rejection = expect(client.update(two.id, { text: 'outside' }).synced).rejects.toThrow(
    'discarded',
  )
  await other.rollback()
  await rejection
  expect(client.sync.writes()).toEqual([])
})

test('later writes overtake neither a transaction nor the writes made during it', async () => {
  const { client, weft } = await setUp()
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
  await expect.poll(() => client.sync.get()).toMatchObject({ pending: 0 })
  expect(client.sync.get().failed).toEqual([])
  expect(await weft.count('the_note')).toBe(2)
  expect(await loadElsewhere(client, await two.synced)).toEqual({ n: 'in' })
  expect(await loadElsewhere(client, await beside.synced)).toEqual({ n: 'in' })
})

test('no write of a transaction is sent when one refers to data the server no longer has', async () => {
  const { client, weft, count } = await setUp()
  const old = client.create('the_note', { n: 1 })
  await old.synced
  await internalsOf(client).http.checkHealth()
  const tx = begin(client)
  const created = tx.create('the_note', { n: 2 })
  const rejection = expect(created.synced).rejects.toThrow('discarded')
  tx.update(old.id, { n: 3 })
  await weft.kill()
  weft.empty()
  await weft.start()
  await internalsOf(client).http.checkHealth()
  expect(client.sync.get()).toMatchObject({ pending: 0, held: 1, failed: [{ id: 0 }] })
  const write = await tx.commit()
  write.synced.catch(() => {})
  await client.create('the_task', { n: 4 }).synced
  expect(await count('the_task')).toBe(1)
  expect(await count('the_note')).toBe(0)
  expect(client.sync.get()).toMatchObject({ pending: 1, held: 0, failed: [{ id: 0 }] })
  await client.sync.discard(client.sync.get().failed[0]?.key ?? '')
  await rejection
  expect(client.sync.writes()).toEqual([])
})

test('a transaction belongs to the current user, and continues when the user returns', async () => {
  const { client, weft, sent } = await setUp()
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
  const reader = openClient(client.url)
  expect(await reader.load(await note.synced)).toBeUndefined()
  reader.setToken(ann)
  expect(await reader.load(await note.synced)).toEqual({ of: 'ann again' })
})

test('a request that changes and removes a record has the same effect when it is sent twice', async () => {
  const weft = await startWeft()
  const network = await startNetworkProxy(weft.port)
  const client = openClient(network.url)
  const [old, other] = [client.create('the_note', { n: 1 }), client.create('the_note', { n: 2 })]
  await Promise.all([old.synced, other.synced])
  const tx = begin(client)
  tx.update(old.id, { n: 3 })
  tx.update(old.id, { n: 4, in: { deep: 'er' } })
  tx.remove(old.id)
  const created = tx.create('the_note', { n: 5 })
  const removed = tx.create('the_note', { n: 6, in: { deep: 'er' } })
  tx.update(removed.id, { n: 7 })
  tx.remove(removed.id)
  network.dropResponses()
  const write = await tx.commit()
  client.update(other.id, { n: 8 })
  client.remove(other.id)
  await expect.poll(() => network.droppedResponses()).toBeGreaterThan(0)
  network.reconnect()
  await internalsOf(client).http.checkHealth()
  await expect.poll(() => client.sync.get().pending).toBe(0)
  expect(client.sync.get().failed).toEqual([])
  await write.synced
  expect(await weft.count('the_note')).toBe(1)
  expect(await loadElsewhere(client, await created.synced)).toEqual({ n: '5' })
})

test('an empty transaction can be committed, and an empty id is refused', async () => {
  const { client, sent } = await setUp()
  await (await begin(client).commit()).synced
  expect(sent).toEqual([])
  expect(() => begin(client, '')).toThrow(/is empty/)
  begin(client).run((to) => expect(() => begin(to)).toThrow(/mark/))
})

/** Starts a server and a client, and records the bodies of the sync requests. */
async function setUp() {
  const weft = await startWeft()
  const sent: string[] = []
  const { fetch } = globalThis
  globalThis.fetch = (url, init) => {
    if (String(url).includes('/local-concepts')) sent.push(String(init?.body))
    return fetch(url, init)
  }
  onTestFinished(() => {
    globalThis.fetch = fetch
  })
  return { client: openClient(weft.url), weft, count: weft.count, sent }
}

function openClient(url: string): Client {
  const client = createClient({ url, storage: 'memory' })
  onTestFinished(() => client.close())
  return client
}

/** Loads the record with a client that has not cached it. */
async function loadElsewhere({ url }: Client, id: Id) {
  return await openClient(url).load(id)
}
