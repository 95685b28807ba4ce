import { describe, expect, onTestFinished, test } from 'vitest'
import { createAccountClient, keepClientSignedIn } from '../src/account/index.ts'
import { type Client, type ClientOptions, createClient, type WeftError } from '../src/index.ts'
import { begin } from '../src/transaction/index.ts'
import { countNotes } from './count-notes.ts'
import { type Responder, respondWith, startProxy } from './proxy.ts'
import { startServer, tokenOf } from './server.ts'

const sync = '/api/v1/local-concepts'
const page = '<!doctype html><title>Oh no</title>'

describe('a write that the server does not accept', () => {
  const permanent: Record<string, [Responder, WeftError['kind'], string]> = {
    'an invalid request (400)': [
      respondWith(400, { kind: 'invalid', message: 'no sense' }),
      'invalid',
      'no sense',
    ],
    'a forbidden write (403)': [
      respondWith(403, { kind: 'forbidden', message: 'not you' }),
      'forbidden',
      'not you',
    ],
    'a missing record (404)': [
      respondWith(404, { kind: 'notFound', message: 'gone' }),
      'notFound',
      'gone',
    ],
    'a refusal without a message (400)': [
      respondWith(400, ''),
      'invalid',
      `${sync} responded with 400`,
    ],
    'a size limit of a proxy (413)': [
      respondWith(413, page),
      'tooLarge',
      `${sync} responded with 413`,
    ],
    'a status that Weft does not use (422)': [respondWith(422, { message: 'no' }), 'invalid', 'no'],
  }
  test.each(Object.entries(permanent))(
    'fails visibly after %s, and is sent when retried',
    async (_, [responder, kind, message]) => {
      const proxy = await startProxy(await startServer())
      const weft = open(proxy.url)
      proxy.next(sync, responder, responder)
      const write = weft.create('the_note', { text: 'once' })
      await untilFailed(weft)
      expect(weft.sync.get()).toMatchObject({ pending: 0, state: 'error' })
      const [refused] = weft.sync.get().failed
      expect([refused?.key, refused?.error?.kind, refused?.error?.message]).toEqual([
        write.key,
        kind,
        message,
      ])
      expect(weft.record(write.id)).toEqual({ text: 'once' })

      weft.sync.retry(write.key)
      await expect.poll(() => proxy.requests(sync).length).toBe(2)
      await untilFailed(weft)
      weft.sync.retry()
      expect(await write.synced).toBeGreaterThan(0)
      expect(weft.sync.get()).toMatchObject({ pending: 0, failed: [], state: 'idle' })
    },
  )

  test('is sent once more after a conflict with another writer', async () => {
    const proxy = await startProxy(await startServer())
    const weft = open(proxy.url)
    const busy = respondWith(409, { kind: 'conflict', message: 'look again' })
    proxy.next(sync, busy)
    await weft.create('the_note', { text: 'once' }).synced
    expect(proxy.requests(sync)).toHaveLength(2)
    proxy.next(sync, busy, busy)
    weft.create('the_note', { text: 'twice' })
    await untilFailed(weft)
    expect(weft.sync.get().failed[0]?.error).toMatchObject({ kind: 'conflict' })
  })

  test.each([
    ['in seconds', () => '3'],
    ['as a date', () => new Date(Date.now() + 4_000).toUTCString()],
  ])('is sent again after the Retry-After %s', async (_, after) => {
    const proxy = await startProxy(await startServer())
    const weft = open(proxy.url)
    proxy.next(
      sync,
      respondWith(429, { kind: 'tooMany', message: 'slowly' }, { 'Retry-After': after() }),
    )
    await weft.create('the_note', { text: 'patient' }).synced
    const [first, second] = proxy.requests(sync)
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(2_900)
  })

  test('is sent again after the Retry-After of a failed health check', async () => {
    const proxy = await startProxy(await startServer())
    const weft = open(proxy.url)
    await weft.ready
    const unavailable = { kind: 'unavailable', message: 'busy' }
    proxy.next(sync, respondWith(503, unavailable))
    proxy.next('/api/health', respondWith(503, unavailable, { 'Retry-After': '4' }))
    await weft.create('the_note', { text: 'later' }).synced
    const [first, second] = proxy.requests(sync)
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(3_900)
  })

  test('does not block other writes, and is not lost, if it makes the server fail', async () => {
    const server = await startServer()
    const proxy = await startProxy(server)
    const weft = open(proxy.url)
    await weft.ready
    const failure: Responder = respondWith(500, { kind: 'internal', message: 'oh no' })
    proxy.next(sync, failure, failure)
    const failing = weft.create('the_note', { text: 'bad luck' })
    const edit = weft.update(failing.id, { done: true })
    const other = weft.create('the_note', { text: 'fine' })
    await other.synced
    await edit.synced
    const bodies = proxy.requests(sync).map((s) => s.body)
    expect(bodies.map((b) => [b.includes('bad luck'), b.includes('fine')])).toEqual([
      [true, true],
      [true, false],
      [false, true],
      [true, false],
    ])
    expect(await countNotes(server)).toBe(2)
  })
})

describe('the promises of a refused write', () => {
  const refuse: Responder = respondWith(400, { kind: 'invalid', message: 'no sense' })

  test('while the write is listed, `synced` is rejected and `settled` is pending; after a retry both resolve', async () => {
    const proxy = await startProxy(await startServer())
    const weft = open(proxy.url)
    proxy.next(sync, refuse, refuse)
    const write = weft.create('the_note', { text: 'once' })
    const { synced, settled } = write
    await expect(synced).rejects.toMatchObject({ kind: 'invalid', message: 'no sense' })
    expect(weft.sync.writes()).toMatchObject([{ key: write.key, state: 'failed' }])
    await expect(write.synced).rejects.toThrow('no sense')

    weft.sync.retry(write.key)
    await expect(write.synced).rejects.toThrow('no sense')
    weft.sync.retry(write.key)
    expect(await write.synced).toBeGreaterThan(0)
    expect(await settled).toBe(await write.settled)
    await expect(synced).rejects.toThrow('no sense')
  })

  test('are rejected with the record, the field and the rule of a schema', async () => {
    const proxy = await startProxy(await startServer())
    const weft = open(proxy.url)
    const place = { record: -7, field: 'email', rule: 'required' }
    proxy.next(sync, respondWith(400, { kind: 'invalid', message: 'missing', ...place }))
    const write = weft.create('the_note', { email: 'ann@example.org' })
    const refusal = expect.objectContaining({ kind: 'invalid', message: 'missing', ...place })
    await expect(write.synced).rejects.toEqual(refusal)
    expect(weft.sync.get().failed[0]?.error).toEqual(refusal)
  })

  test('are all rejected when the write is discarded', async () => {
    const proxy = await startProxy(await startServer())
    const weft = open(proxy.url)
    proxy.next(sync, refuse)
    const write = weft.create('the_note', { text: 'once' })
    const { settled } = write
    await expect(write.synced).rejects.toThrow('no sense')
    await weft.sync.discard(write.key)
    for (const promise of [settled, write.synced, write.settled])
      await expect(promise).rejects.toMatchObject({ kind: 'conflict', message: 'discarded' })
  })

  test('are rejected for all writes of a transaction, and for its commit', async () => {
    const proxy = await startProxy(await startServer())
    const weft = open(proxy.url)
    proxy.next(sync, refuse)
    const transaction = begin(weft)
    const [one, two] = ['a', 'b'].map((text) => transaction.create('the_note', { text }))
    const commit = await transaction.commit()
    for (const write of [one, two, commit]) await expect(write?.synced).rejects.toThrow('no sense')
    weft.sync.retry()
    expect(await commit.synced).toBe(await one?.synced)
    expect(await commit.settled).toBe(await one?.settled)
  })

  test('raise no unhandled rejection if nothing uses them', async () => {
    const errors: unknown[] = []
    const note = (error: unknown) => errors.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const proxy = await startProxy(await startServer())
    const weft = open(proxy.url)
    proxy.next(sync, refuse)
    const write = weft.create('the_note', { text: 'once' })
    void write.synced
    await untilFailed(weft)
    await weft.sync.discard(write.key)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(errors).toEqual([])
  })
})

describe('a token that is refused', () => {
  test('is renewed once for all waiting requests, which are then repeated', async () => {
    const server = await startServer('--anonymous-writes')
    const [old, token] = [await tokenOf(server, 'ann'), await tokenOf(server, 'ann')]
    const proxy = await startProxy(server)
    let renewals = 0
    const weft = open(proxy.url, {
      token: old,
      refresh: async () => {
        renewals++
        await new Promise((resolve) => setTimeout(resolve, 50))
        return token
      },
    })
    const unauthorized = respondWith(401, { kind: 'unauthorized', message: 'who?' })
    const real = await weft.create('the_note', { text: 'mine' }).synced
    for (const path of [sync, '/api/freeschema-query', '/api/get_concept_bulk'])
      proxy.next(path, unauthorized)
    const query = weft.query({ type: 'the_note', selectors: ['self'] })
    onTestFinished(query.subscribe(() => {}))
    const write = weft.create('the_note', { text: 'also mine' })
    const [found] = await Promise.all([weft.get(real + 1_000_000), write.synced])
    expect(found).toBeUndefined()
    await expect
      .poll(() => query.get())
      .toMatchObject({ status: 'ready', complete: true, total: 2 })
    expect(renewals).toBe(1)
    expect(proxy.requests(sync).at(-1)?.headers.authorization).toBe(`Bearer ${token}`)
    expect(weft.sync.get().needsToken).toBe(false)
  })

  test('is renewed by `keepClientSignedIn`', async () => {
    const proxy = await startProxy(await startServer('--max-body', '1000000'))
    const account = createAccountClient(proxy.url)
    await account.signUp('ann@example.org', 'correct horse battery')
    const { token } = await account.signIn('ann@example.org', 'correct horse battery')
    const weft = open(proxy.url)
    onTestFinished(keepClientSignedIn(account, weft))
    // Tokens that are issued within the same second are equal.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    proxy.next(sync, respondWith(401, { kind: 'unauthorized', message: 'who?' }))
    await weft.create('the_note', { text: 'mine' }).synced
    const [first, second] = proxy.requests(sync).map((s) => s.headers.authorization)
    expect(first).toBe(`Bearer ${token}`)
    expect(second).not.toBe(first)
    expect(proxy.requests('/api/auth/refresh')).toHaveLength(1)
  })

  test('leaves writes pending and sets needsToken when it cannot be renewed', async () => {
    const server = await startServer('--anonymous-writes')
    const token = await tokenOf(server, 'ann')
    const proxy = await startProxy(server)
    let renewals = 0
    const refresh = async () => {
      renewals++
      throw new Error('the session has ended')
    }
    const weft = open(proxy.url, { token, refresh })
    proxy.next(sync, respondWith(401, { kind: 'unauthorized', message: 'who?' }))
    const write = weft.create('the_note', { text: 'mine' })
    await expect.poll(() => weft.sync.get().needsToken).toBe(true)
    expect(weft.sync.get()).toMatchObject({ pending: 1, failed: [] })
    expect([renewals, proxy.requests(sync).length]).toEqual([1, 1])
    weft.setToken(token)
    await write.synced
    expect(weft.sync.get().needsToken).toBe(false)
  })

  test('sends no writes of its user when the renewal returns the token of another user', async () => {
    const server = await startServer('--anonymous-writes')
    const [ann, bob] = [await tokenOf(server, 'ann'), await tokenOf(server, 'bob')]
    const proxy = await startProxy(server)
    const weft = open(proxy.url, { token: ann, refresh: async () => bob })
    proxy.next(sync, respondWith(401, { kind: 'unauthorized', message: 'who?' }))
    const write = weft.create('the_note', { text: 'ann’s' })
    await expect.poll(() => weft.record(write.id)).toBeUndefined()
    await weft.create('the_note', { text: 'bob’s' }).synced
    expect(
      proxy
        .requests(sync)
        .slice(1)
        .map((s) => s.body.includes('ann’s')),
    ).toEqual([false])
    weft.setToken(ann)
    const real = await write.synced
    expect(await open(server, { token: bob }).get(real)).toBeUndefined()
  })

  test('is not renewed twice for the same request', async () => {
    const server = await startServer('--anonymous-writes')
    const token = await tokenOf(server, 'ann')
    const proxy = await startProxy(server)
    const unauthorized = respondWith(401, { kind: 'unauthorized', message: 'who?' })
    let renewals = 0
    const refresh = () => {
      renewals++
      return tokenOf(server, 'ann')
    }
    const weft = open(proxy.url, { token, refresh })
    proxy.next(sync, unauthorized, unauthorized)
    const write = weft.create('the_note', { text: 'mine' })
    await write.synced
    expect(renewals).toBeLessThanOrEqual(2)
    expect(proxy.requests(sync)).toHaveLength(3)
  })
})

/** Waits until one write has failed. */
const untilFailed = (weft: Client) => expect.poll(() => weft.sync.get().failed.length).toBe(1)

function open(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url, storage: 'memory', ...options })
  onTestFinished(() => client.close())
  return client
}
