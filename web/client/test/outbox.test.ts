import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../src/index.ts'
import { insideOf } from '../src/inside.ts'
import { link } from '../src/records/index.ts'
import { discardHeld, dropExpired, release } from '../src/sync/held.ts'
import { type Answer, type Between, between, says } from './between.ts'
import { startServer, tokenOf } from './server.ts'

const sync = '/api/v1/local-concepts'

describe('writes go several in a request', () => {
  test('in order, with what builds on others', async () => {
    const { way, weft, server } = await world()
    const writes = ['a', 'b', 'c'].map((text) => weft.create('the_note', { text }))
    const edit = weft.update(writes[1]?.id ?? 0, { text: 'B' })
    const gone = weft.remove(writes[2]?.id ?? 0)
    const after = weft.create('the_note', { text: 'd' })
    await Promise.all([...writes, edit, gone, after].map((w) => w.synced))
    // A removal goes alone, and nothing overtakes it.
    expect(sizes(way)).toEqual([
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

  test('up to 2,000 records, and no write is split', async () => {
    const { way, weft } = await world()
    const note = (n: number) => Object.fromEntries([...Array(n)].map((_, i) => [`f${i}`, `${i}`]))
    const fields = [500, 400, 300, 1_500, 10]
    await Promise.all(fields.map((n) => weft.create('the_note', note(n)).synced))
    expect(sizes(way)).toEqual([
      [501 + 401, 500 + 400],
      [301, 300],
      [1_501, 1_500],
      [11, 10],
    ])
  })

  test('where one is refused each goes alone, and only that one fails, with what builds on it', async () => {
    const { way, weft } = await world('--anonymous-writes', '--max-body', '4000')
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
    expect(sizes(way)).toHaveLength(4)
    await weft.sync.discard(bad.key)
    await expect(bad.synced).rejects.toThrow('discarded')
    await expect(edit.synced).rejects.toThrow('discarded')
    expect(weft.sync.writes()).toEqual([])
  })

  test('a group of which the answer was lost is sent again, and made once', async () => {
    const { way, weft, server } = await world()
    way.next(sync, lost)
    const writes = ['a', 'b'].map((text) => weft.create('the_note', { text }))
    await expect.poll(() => way.seen(sync).length).toBe(1)
    const late = weft.create('the_note', { text: 'c' })
    await Promise.all([...writes, late].map((w) => w.synced))
    expect(sizes(way)).toEqual([
      [4, 2],
      [6, 3],
    ])
    expect(await countOf(server)).toBe(3)
  })

  test('what was sent, with its answer lost, and then without a removal beside it, is no fault of it', async () => {
    const { way, weft, server } = await world()
    way.next(sync, lost, says(413, { kind: 'tooLarge', message: 'too much' }))
    const [a, b] = ['a', 'b'].map((text) => weft.create('the_note', { text }))
    const gone = weft.remove(a?.id ?? 0)
    await Promise.all([a, b, gone].map((w) => w?.synced))
    expect(weft.sync.get().failed).toEqual([])
    expect(await countOf(server)).toBe(1)
  })
})

describe('who wrote', () => {
  test('a guest’s write that was taken, and whose answer was lost, is not made again for who signs in', async () => {
    const { way, weft, server } = await world()
    const token = await tokenOf(server, 'ann')
    way.next(sync, lost)
    const taken = weft.create('the_note', { text: 'taken' })
    await offline(weft)
    const waits = weft.create('the_note', { text: 'waits' })
    weft.setToken(token)
    const [first, second] = await Promise.all([taken.synced, waits.synced])
    expect(await countOf(server, token)).toBe(2)
    expect(weft.record(taken.id)).toEqual({ text: 'taken' })
    const nobody = open(server)
    expect((await nobody.get(first))?.owner).toBe(999)
    expect(await nobody.get(second)).toBeUndefined()
    const [before, again] = way.seen(sync).filter((s) => s.body.includes('taken'))
    expect([before, again].map((s) => s?.headers.authorization)).toEqual([undefined, undefined])
  })

  test('what a guest could not send is whose signs in, and nobody else’s, whatever is lost on the way', async () => {
    const { way, weft, server } = await world()
    const [ann, bob] = [await tokenOf(server, 'ann'), await tokenOf(server, 'bob')]
    way.next(sync, (to) => to.destroy(), lost, lost)
    const write = weft.create('the_note', { text: 'a thought' })
    await offline(weft)
    weft.setToken(ann)
    await expect.poll(() => way.seen(sync).length).toBeGreaterThan(1)
    weft.setToken(bob)
    expect(weft.record(write.id)).toBeUndefined()
    await weft.create('the_note', { text: 'bob’s' }).synced
    weft.setToken(ann)
    const real = await write.synced
    expect(await open(server, { token: bob }).get(real)).toBeUndefined()
    expect([await countOf(server, ann), await countOf(server, bob)]).toEqual([1, 1])
  })

  test('a guest’s link whose answer was lost is not made again for who signs in', async () => {
    const { way, weft, server } = await world()
    const token = await tokenOf(server, 'ann')
    const [a, b] = await Promise.all(
      ['a', 'b'].map((text) => weft.create('the_note', { text }).synced),
    )
    way.next(sync, lost)
    const write = link(weft, a ?? 0, 'the_note_s_next', b ?? 0)
    await offline(weft)
    weft.setToken(token)
    await write.synced
    const answer = await fetch(`${server}/api/get-all-linkers-from-concept?conceptId=${a}`)
    const links = (await answer.json()) as { toTheConceptId: number }[]
    expect(links.filter((c) => c.toTheConceptId === b)).toHaveLength(1)
  })

  test('where guests may not write, what they wrote waits for who signs in', async () => {
    const { way, weft, server } = await world('--max-body', '100000')
    const token = await tokenOf(server, 'ann')
    const write = weft.create('the_note', { text: 'mine' })
    await expect.poll(() => weft.sync.get().needsToken).toBe(true)
    weft.setToken(token)
    await write.synced
    expect(way.seen(sync)).toHaveLength(2)
    expect(await countOf(server, token)).toBe(1)
  })

  test('an application can ask before somebody signs out, and their writes wait for them', async () => {
    const { way, server } = await world()
    const [ann, bob] = [await tokenOf(server, 'ann'), await tokenOf(server, 'bob')]
    const weft = open(way.url, { token: ann })
    way.next(sync, (to) => to.destroy())
    const write = weft.create('the_note', { text: 'mine' })
    await offline(weft)
    expect(weft.sync.get()).toMatchObject({ pending: 1, state: 'offline' })
    weft.setToken(bob)
    expect(weft.sync.get()).toMatchObject({ pending: 0 })
    await weft.create('the_note', { text: 'bob’s' }).synced
    expect(way.seen(sync).at(-1)?.body).not.toContain('mine')
    weft.setToken(ann)
    await write.synced
    expect(weft.record(write.id)).toEqual({ text: 'mine' })
  })
})

describe('writes of a transaction', () => {
  test('wait until it is committed, and go as one request, whole', async () => {
    const { way, weft } = await world()
    const [a, b] = [hold(weft, 'tx', 'a'), hold(weft, 'tx', 'b')]
    const beside = weft.create('the_note', { text: 'beside' })
    await beside.synced
    expect(weft.sync.get()).toMatchObject({ pending: 0, held: 2, state: 'idle' })
    expect(weft.sync.writes().map((w) => [w.key, w.held])).toEqual([
      [a.key, 'tx'],
      [b.key, 'tx'],
    ])
    expect(weft.record(a.id)).toEqual({ text: 'a' })
    const commit = release(insideOf(weft).outbox, 'tx')
    await commit.saved
    expect(await commit.synced).toBe(await a.synced)
    expect(await b.synced).toBeGreaterThan(0)
    expect(sizes(way)).toEqual([
      [2, 1],
      [4, 2],
    ])
    expect(weft.sync.writes()).toEqual([])
  })

  test('fail together, are retried together and are discarded together', async () => {
    const { way, weft } = await world('--anonymous-writes', '--max-body', '4000')
    const [a, b] = [hold(weft, 'tx', 'a'), hold(weft, 'tx', 'x'.repeat(5_000))]
    const commit = release(insideOf(weft).outbox, 'tx')
    const after = weft.create('the_note', { text: 'after' })
    await after.synced
    expect(weft.sync.get().failed.map((w) => w.key)).toEqual([a.key, b.key])
    const before = way.seen(sync).length
    weft.sync.retry(b.key)
    await expect.poll(() => way.seen(sync).length).toBe(before + 1)
    await expect.poll(() => weft.sync.get().failed.length).toBe(2)
    await weft.sync.discard(a.key)
    for (const write of [a, b, commit]) await expect(write.synced).rejects.toThrow('discarded')
    expect(weft.record(a.id)).toBeUndefined()
    expect(weft.sync.writes()).toEqual([])
  })

  test('that is rolled back are as if they had never been', async () => {
    const { way, weft } = await world()
    const [a, b] = [hold(weft, 'tx', 'a'), hold(weft, 'tx', 'b')]
    const other = hold(weft, 'other', 'c')
    await discardHeld(insideOf(weft).outbox, 'tx', [b.key])
    expect([a, b, other].map((w) => weft.record(w.id))).toEqual([
      { text: 'a' },
      undefined,
      { text: 'c' },
    ])
    await discardHeld(insideOf(weft).outbox, 'tx')
    expect(weft.sync.writes().map((w) => w.key)).toEqual([other.key])
    await expect(a.synced).rejects.toThrow('discarded')
    expect(way.seen(sync)).toEqual([])
  })

  test('that nobody went on with for 7 days are dropped, whole', async () => {
    const { weft } = await world()
    const { outbox, http } = insideOf(weft)
    const ago = (days: number) => Date.now() - days * 24 * 3_600_000
    vi.useFakeTimers({ toFake: ['Date'], now: ago(7.1) })
    onTestFinished(() => void vi.useRealTimers())
    const old = hold(weft, 'old', 'a')
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['Date'], now: ago(6.9) })
    hold(weft, 'young', 'b')
    vi.useRealTimers()
    await dropExpired(outbox, http)
    expect(weft.sync.get().held).toBe(1)
    await expect(old.synced).rejects.toThrow('discarded')
  })
})

/** Writes a note for a transaction. */
function hold(weft: Client, held: string, text: string) {
  const { write, writing } = insideOf(weft)
  const { create } = writing((records, kind, id, concepts, connections, type) =>
    write(records, kind, id, concepts, connections, type, held),
  )
  return create('the_note', { text })
}

/** A server, something between, and a client that is ready: what it writes in one task goes in one request. */
async function world(...flags: string[]) {
  const server = await startServer(...flags)
  const way = await between(server)
  const weft = open(way.url)
  await weft.ready
  return { server, way, weft }
}

/** The server takes it, and says so in vain. */
const lost: Answer = async (to, pass) => {
  await pass()
  to.destroy()
}

/** How many concepts and connections each request had. */
const sizes = (way: Between) =>
  way.seen(sync).map(({ body }) => {
    const { concepts, connections } = JSON.parse(body)
    return [concepts.length, connections.length]
  })

const byNumber = (a: number | undefined, b: number | undefined) => (a ?? 0) - (b ?? 0)

function open(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url, storage: 'memory', ...options })
  onTestFinished(() => client.close())
  return client
}

/** How many notes somebody sees. */
async function countOf(url: string, token?: string): Promise<number> {
  const body = JSON.stringify({ type: 'the_note', inpage: 1, outputFormat: 6 })
  const authorization = token ? { Authorization: `Bearer ${token}` } : {}
  const headers = { 'Content-Type': 'application/json', ...authorization }
  const answer = await fetch(`${url}/api/freeschema-query`, { method: 'POST', headers, body })
  return ((await answer.json()) as { mainCount: number }).mainCount
}

/** Resolves when a request has come to nothing, though it may be over the next moment. */
const offline = (weft: Client): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (weft.sync.get().online) return
      leave()
      resolve()
    }
    const leave = weft.sync.subscribe(look)
    look()
  })
