import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { link } from '../src/graph/index.ts'
import { type Client, type ClientOptions, createClient } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { discardExpiredTransactions } from '../src/sync/abandoned.ts'
import { commitTransaction, discardTransaction } from '../src/sync/open-transaction.ts'
import { countNotes } from './count-notes.ts'
import { type Responder, respondWith, startProxy, type TestProxy } from './proxy.ts'
import { startServer, tokenOf } from './server.ts'

const sync = '/api/v1/local-concepts'

describe('grouping writes into requests', () => {
  test('sends writes in order, together with writes that refer to them', async () => {
    const { proxy, weft, server } = await setUp()
    const writes = ['a', 'b', 'c'].map((text) => weft.create('the_note', { text }))
    const edit = weft.update(writes[1]?.id ?? 0, { text: 'B' })
    const removal = weft.remove(writes[2]?.id ?? 0)
    const after = weft.create('the_note', { text: 'd' })
    await Promise.all([...writes, edit, removal, after].map((w) => w.synced))
    // A removal is sent alone, and later writes wait for it.
    expect(requestSizes(proxy)).toEqual([
      [7, 4],
      [0, 0],
      [2, 1],
    ])
    const [a, b, c] = await Promise.all(writes.map((w) => w.synced))
    const other = open(server)
    expect(await other.load(a ?? 0)).toEqual({ text: 'a' })
    expect(await other.load(b ?? 0)).toEqual({ text: 'B' })
    expect(await other.get(c ?? 0)).toBeUndefined()
    expect([a, b, await after.synced]).toEqual([a, b, await after.synced].sort(byNumber))
  })

  test('sends writes from before and after the client opened in one request and in order', async () => {
    const proxy = await startProxy(await startServer())
    const weft = open(proxy.url)
    const { id, synced } = weft.create('the_note', { text: 'a' })
    const edits = [weft.update(id, { text: 'b' })]
    await weft.ready
    for (const text of ['c', 'd']) edits.push(weft.update(id, { text }))
    await Promise.all([synced, ...edits.map((edit) => edit.synced)])
    expect(requestSizes(proxy)).toHaveLength(1)
    expect(await open(proxy.url).load(await synced)).toEqual({ text: 'd' })
  })

  test('a copy of a returned write has the same promises', async () => {
    const { weft } = await setUp()
    const { saved, synced, ...named } = { ...weft.create('the_note', { text: 'a' }) }
    await saved
    expect(weft.concept(await synced)?.id).toBe(named.id)
  })

  test('puts up to 2,000 records in a request and never splits a write', async () => {
    const { proxy, weft } = await setUp()
    const note = (n: number) => Object.fromEntries([...Array(n)].map((_, i) => [`f${i}`, `${i}`]))
    const fields = [500, 400, 300, 1_500, 10]
    await Promise.all(fields.map((n) => weft.create('the_note', note(n)).synced))
    expect(requestSizes(proxy)).toEqual([
      [501 + 401, 500 + 400],
      [301, 300],
      [1_501, 1_500],
      [11, 10],
    ])
  })

  test('after a refusal, sends each write alone; only the refused write and its dependents fail', async () => {
    const { proxy, weft } = await setUp('--anonymous-writes', '--max-body', '4000')
    const before = weft.create('the_note', { text: 'before' })
    const bad = weft.create('the_note', { text: 'x'.repeat(5_000) })
    const edit = weft.update(bad.id, { done: true })
    const after = weft.create('the_note', { text: 'after' })
    await Promise.all([before.synced, after.synced])
    expect(weft.sync.writes().map((w) => [w.key, w.state])).toEqual([
      [bad.key, 'failed'],
      [edit.key, 'pending'],
    ])
    expect(weft.sync.get()).toMatchObject({ pending: 1, failed: [{ key: bad.key }] })
    expect(requestSizes(proxy)).toHaveLength(4)
    await weft.sync.discard(bad.key)
    await expect(bad.synced).rejects.toThrow('discarded')
    await expect(edit.synced).rejects.toThrow('discarded')
    expect(weft.sync.writes()).toEqual([])
  })

  test('sends a group again after a lost response, and the server creates it once', async () => {
    const { proxy, weft, server } = await setUp()
    proxy.next(sync, loseResponse)
    const writes = ['a', 'b'].map((text) => weft.create('the_note', { text }))
    await expect.poll(() => proxy.requests(sync).length).toBe(1)
    const last = weft.create('the_note', { text: 'c' })
    await Promise.all([...writes, last].map((w) => w.synced))
    expect(requestSizes(proxy)).toEqual([
      [4, 2],
      [6, 3],
    ])
    expect(await countNotes(server)).toBe(3)
  })

  test('regroups writes after a lost response without failing a removal', async () => {
    const { proxy, weft, server } = await setUp()
    proxy.next(sync, loseResponse, respondWith(413, { kind: 'tooLarge', message: 'too much' }))
    const [a, b] = ['a', 'b'].map((text) => weft.create('the_note', { text }))
    const removal = weft.remove(a?.id ?? 0)
    await Promise.all([a, b, removal].map((w) => w?.synced))
    expect(weft.sync.get().failed).toEqual([])
    expect(await countNotes(server)).toBe(1)
  })
})

describe('the sender of a write', () => {
  test('does not create a guest’s write again for the next user when only its response was lost', async () => {
    const { proxy, weft, server } = await setUp()
    const token = await tokenOf(server, 'ann')
    proxy.next(sync, loseResponse)
    const delivered = weft.create('the_note', { text: 'delivered' })
    await waitUntilOffline(weft)
    const unsent = weft.create('the_note', { text: 'waits' })
    weft.setToken(token)
    const [first, second] = await Promise.all([delivered.synced, unsent.synced])
    expect(await countNotes(server, token)).toBe(2)
    expect(weft.record(delivered.id)).toEqual({ text: 'delivered' })
    const guest = open(server)
    expect((await guest.get(first))?.owner).toBe(999)
    expect(await guest.get(second)).toBeUndefined()
    const [firstTry, secondTry] = proxy.requests(sync).filter((s) => s.body.includes('delivered'))
    expect([firstTry, secondTry].map((s) => s?.headers.authorization)).toEqual([
      undefined,
      undefined,
    ])
  })

  test('gives an unsent guest write to the first user who signs in, even when responses are lost', async () => {
    const { proxy, weft, server } = await setUp()
    const [ann, bob] = [await tokenOf(server, 'ann'), await tokenOf(server, 'bob')]
    proxy.next(sync, (response) => response.destroy(), loseResponse, loseResponse)
    const write = weft.create('the_note', { text: 'a thought' })
    await waitUntilOffline(weft)
    weft.setToken(ann)
    await expect.poll(() => proxy.requests(sync).length).toBeGreaterThan(1)
    weft.setToken(bob)
    expect(weft.record(write.id)).toBeUndefined()
    await weft.create('the_note', { text: 'bob’s' }).synced
    weft.setToken(ann)
    const real = await write.synced
    expect(await open(server, { token: bob }).get(real)).toBeUndefined()
    expect([await countNotes(server, ann), await countNotes(server, bob)]).toEqual([1, 1])
  })

  test('does not create a guest’s link again for the next user when only its response was lost', async () => {
    const { proxy, weft, server } = await setUp()
    const token = await tokenOf(server, 'ann')
    const [a, b] = await Promise.all(
      ['a', 'b'].map((text) => weft.create('the_note', { text }).synced),
    )
    proxy.next(sync, loseResponse)
    const write = link(weft, a ?? 0, 'the_note_s_next', b ?? 0)
    await waitUntilOffline(weft)
    weft.setToken(token)
    await write.synced
    const response = await fetch(`${server}/api/get-all-linkers-from-concept?conceptId=${a}`)
    const links = (await response.json()) as { toTheConceptId: number }[]
    expect(links.filter((c) => c.toTheConceptId === b)).toHaveLength(1)
  })

  test('keeps a guest’s write until a user signs in, if guests may not write', async () => {
    const { proxy, weft, server } = await setUp('--max-body', '100000')
    const token = await tokenOf(server, 'ann')
    const write = weft.create('the_note', { text: 'mine' })
    await expect.poll(() => weft.sync.get().needsToken).toBe(true)
    weft.setToken(token)
    await write.synced
    expect(proxy.requests(sync)).toHaveLength(2)
    expect(await countNotes(server, token)).toBe(1)
  })

  test('the status counts unsent writes before a sign-out; they are sent when the user is back', async () => {
    const { proxy, server } = await setUp()
    const [ann, bob] = [await tokenOf(server, 'ann'), await tokenOf(server, 'bob')]
    const weft = open(proxy.url, { token: ann })
    proxy.next(sync, (response) => response.destroy())
    const write = weft.create('the_note', { text: 'mine' })
    await waitUntilOffline(weft)
    expect(weft.sync.get()).toMatchObject({ pending: 1, state: 'offline' })
    weft.setToken(bob)
    expect(weft.sync.get()).toMatchObject({ pending: 0 })
    await weft.create('the_note', { text: 'bob’s' }).synced
    expect(proxy.requests(sync).at(-1)?.body).not.toContain('mine')
    weft.setToken(ann)
    await write.synced
    expect(weft.record(write.id)).toEqual({ text: 'mine' })
  })
})

describe('writes of a transaction', () => {
  test('wait for the commit, and are sent as one request', async () => {
    const { proxy, weft } = await setUp()
    const [a, b] = [createHeldNote(weft, 'tx', 'a'), createHeldNote(weft, 'tx', 'b')]
    const beside = weft.create('the_note', { text: 'beside' })
    await beside.synced
    expect(weft.sync.get()).toMatchObject({ pending: 0, held: 2, state: 'idle' })
    expect(weft.sync.writes().map((w) => [w.key, w.held])).toEqual([
      [a.key, 'tx'],
      [b.key, 'tx'],
    ])
    expect(weft.record(a.id)).toEqual({ text: 'a' })
    const commit = commitTransaction(internalsOf(weft).outbox, 'tx')
    await commit.saved
    expect(await commit.synced).toBe(await a.synced)
    expect(await b.synced).toBeGreaterThan(0)
    expect(requestSizes(proxy)).toEqual([
      [2, 1],
      [4, 2],
    ])
    expect(weft.sync.writes()).toEqual([])
  })

  test('fail, are retried and are discarded together', async () => {
    const { proxy, weft } = await setUp('--anonymous-writes', '--max-body', '4000')
    const [a, b] = [createHeldNote(weft, 'tx', 'a'), createHeldNote(weft, 'tx', 'x'.repeat(5_000))]
    const commit = commitTransaction(internalsOf(weft).outbox, 'tx')
    const after = weft.create('the_note', { text: 'after' })
    await after.synced
    expect(weft.sync.get().failed.map((w) => w.key)).toEqual([a.key, b.key])
    const before = proxy.requests(sync).length
    weft.sync.retry(b.key)
    await expect.poll(() => proxy.requests(sync).length).toBe(before + 1)
    await expect.poll(() => weft.sync.get().failed.length).toBe(2)
    await weft.sync.discard(a.key)
    for (const write of [a, b, commit]) await expect(write.synced).rejects.toThrow('discarded')
    expect(weft.record(a.id)).toBeUndefined()
    expect(weft.sync.writes()).toEqual([])
  })

  test('disappear with a rollback', async () => {
    const { proxy, weft } = await setUp()
    const [a, b] = [createHeldNote(weft, 'tx', 'a'), createHeldNote(weft, 'tx', 'b')]
    const other = createHeldNote(weft, 'other', 'c')
    await discardTransaction(internalsOf(weft).outbox, 'tx', [b.key])
    expect([a, b, other].map((w) => weft.record(w.id))).toEqual([
      { text: 'a' },
      undefined,
      { text: 'c' },
    ])
    await discardTransaction(internalsOf(weft).outbox, 'tx')
    expect(weft.sync.writes().map((w) => w.key)).toEqual([other.key])
    await expect(a.synced).rejects.toThrow('discarded')
    expect(proxy.requests(sync)).toEqual([])
  })

  test('are discarded 7 days after the last write', async () => {
    const { weft } = await setUp()
    const { outbox, http } = internalsOf(weft)
    const ago = (days: number) => Date.now() - days * 24 * 3_600_000
    vi.useFakeTimers({ toFake: ['Date'], now: ago(7.1) })
    onTestFinished(() => void vi.useRealTimers())
    const old = createHeldNote(weft, 'old', 'a')
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['Date'], now: ago(6.9) })
    createHeldNote(weft, 'young', 'b')
    vi.useRealTimers()
    await discardExpiredTransactions(outbox, http)
    expect(weft.sync.get().held).toBe(1)
    await expect(old.synced).rejects.toThrow('discarded')
  })
})

/** Creates a note in the open transaction `held`. */
function createHeldNote(weft: Client, held: string, text: string) {
  const { write, createWriter } = internalsOf(weft)
  const { create } = createWriter((records, kind, id, details) =>
    write(records, kind, id, { ...details, held }),
  )
  return create('the_note', { text })
}

/** Starts a server, a proxy and a client that is ready. A client that is ready sends all writes of one task in one request. */
async function setUp(...flags: string[]) {
  const server = await startServer(...flags)
  const proxy = await startProxy(server)
  const weft = open(proxy.url)
  await weft.ready
  return { server, proxy, weft }
}

/** Lets the server process the request, and drops the response. */
const loseResponse: Responder = async (response, forward) => {
  await forward()
  response.destroy()
}

/** Returns the number of concepts and connections in each request. */
const requestSizes = (proxy: TestProxy) =>
  proxy.requests(sync).map(({ body }) => {
    const { concepts, connections } = JSON.parse(body)
    return [concepts.length, connections.length]
  })

const byNumber = (a: number | undefined, b: number | undefined) => (a ?? 0) - (b ?? 0)

function open(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url, storage: 'memory', ...options })
  onTestFinished(() => client.close())
  return client
}

/** Resolves as soon as the client has been offline, even for a moment. */
const waitUntilOffline = (weft: Client): Promise<void> =>
  new Promise((resolve) => {
    const check = () => {
      if (weft.sync.get().online) return
      unsubscribe()
      resolve()
    }
    const unsubscribe = weft.sync.subscribe(check)
    check()
  })
