import { describe, expect, onTestFinished, test } from 'vitest'
import { createAccount, keepSigned } from '../src/account/index.ts'
import { type Client, type ClientOptions, createClient, type WeftError } from '../src/index.ts'
import { type Answer, between, says } from './between.ts'
import { startServer, tokenOf } from './server.ts'

const sync = '/api/v1/local-concepts'
const page = '<!doctype html><title>Oh no</title>'

describe('what is told apart when a write does not get through', () => {
  const passing: Record<string, Answer> = {
    'a proxy that gives up (502)': says(502, page),
    'a server that is too busy (503)': says(503, { kind: 'unavailable', message: 'busy' }),
    'a server that fails (500)': says(500, { kind: 'internal', message: 'oh no' }),
    'a server that waited too long (408)': says(408, ''),
    'too many requests (429)': says(429, { kind: 'tooMany', message: 'slowly' }),
    'a page instead of JSON': says(200, page),
    'a page that says no (404)': says(404, page),
    'JSON that says nothing': says(200, {}),
    'JSON of something else': says(200, ['hello']),
    'a line that is cut before the server hears of it': (to) => to.destroy(),
    'a line that is cut before the answer': async (to, pass) => {
      await pass()
      to.destroy()
    },
    'half an answer': async (to, pass) => {
      const { text } = await pass()
      to.writeHead(200, { 'Content-Length': String(text.length) })
      to.write(text.slice(0, text.length / 2), () => to.destroy())
    },
    'half an answer that nobody counted': async (to, pass) => {
      const { text } = await pass()
      to.end(text.slice(0, text.length / 2))
    },
  }
  test.each(Object.entries(passing))('%s: it is sent again, and made once', async (_, answer) => {
    const server = await startServer()
    const way = await between(server)
    const weft = open(way.url)
    way.next(sync, answer)
    const write = weft.create('the_note', { text: 'once' })
    const real = await write.synced
    expect(real).toBeGreaterThan(0)
    expect(way.seen(sync)).toHaveLength(2)
    const [first, second] = way.seen(sync).map((s) => JSON.parse(s.body))
    expect(second).toMatchObject(first)
    expect(weft.record(write.id)).toEqual({ text: 'once' })
    expect(weft.sync.get()).toMatchObject({ pending: 0, failed: [], needsToken: false })
    expect(await countOf(server)).toBe(1)
  })

  const final: Record<string, [Answer, WeftError['kind'], string]> = {
    'a request that makes no sense (400)': [
      says(400, { kind: 'invalid', message: 'no sense' }),
      'invalid',
      'no sense',
    ],
    'what somebody may not do (403)': [
      says(403, { kind: 'forbidden', message: 'not you' }),
      'forbidden',
      'not you',
    ],
    'what is not there (404)': [
      says(404, { kind: 'notFound', message: 'gone' }),
      'notFound',
      'gone',
    ],
    'a refusal without a word (400)': [says(400, ''), 'invalid', `${sync} answered 400`],
    'more than a proxy lets through (413)': [says(413, page), 'tooLarge', `${sync} answered 413`],
    'a status that only others use (422)': [says(422, { message: 'no' }), 'invalid', 'no'],
  }
  test.each(Object.entries(final))(
    '%s: it fails, is seen, and goes when asked to',
    async (_, [answer, kind, message]) => {
      const way = await between(await startServer())
      const weft = open(way.url)
      way.next(sync, answer, answer)
      const write = weft.create('the_note', { text: 'once' })
      await failed(weft)
      expect(weft.sync.get()).toMatchObject({ pending: 0, state: 'error' })
      const [seen] = weft.sync.get().failed
      expect([seen?.key, seen?.error?.kind, seen?.error?.message]).toEqual([
        write.key,
        kind,
        message,
      ])
      expect(weft.record(write.id)).toEqual({ text: 'once' })

      weft.sync.retry(write.key)
      await expect.poll(() => way.seen(sync).length).toBe(2)
      await failed(weft)
      weft.sync.retry()
      expect(await write.synced).toBeGreaterThan(0)
      expect(weft.sync.get()).toMatchObject({ pending: 0, failed: [], state: 'idle' })
    },
  )

  test('a conflict with what somebody else was writing is tried once more', async () => {
    const way = await between(await startServer())
    const weft = open(way.url)
    const busy = says(409, { kind: 'conflict', message: 'look again' })
    way.next(sync, busy)
    await weft.create('the_note', { text: 'once' }).synced
    expect(way.seen(sync)).toHaveLength(2)
    way.next(sync, busy, busy)
    weft.create('the_note', { text: 'twice' })
    await failed(weft)
    expect(weft.sync.get().failed[0]?.error).toMatchObject({ kind: 'conflict' })
  })

  test.each([
    ['in seconds', () => '3'],
    ['as a date', () => new Date(Date.now() + 4_000).toUTCString()],
  ])('a server that asks for time, %s, gets it', async (_, after) => {
    const way = await between(await startServer())
    const weft = open(way.url)
    way.next(sync, says(429, { kind: 'tooMany', message: 'slowly' }, { 'Retry-After': after() }))
    await weft.create('the_note', { text: 'patient' }).synced
    const [first, second] = way.seen(sync)
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(2_900)
  })

  test('what the server fails at does not hold up what was written beside it, nor is it lost', async () => {
    const server = await startServer()
    const way = await between(server)
    const weft = open(way.url)
    await weft.ready
    const fails: Answer = says(500, { kind: 'internal', message: 'oh no' })
    way.next(sync, fails, fails)
    const bad = weft.create('the_note', { text: 'bad luck' })
    const edit = weft.update(bad.id, { done: true })
    const good = weft.create('the_note', { text: 'fine' })
    await good.synced
    await edit.synced
    const bodies = way.seen(sync).map((s) => s.body)
    expect(bodies.map((b) => [b.includes('bad luck'), b.includes('fine')])).toEqual([
      [true, true],
      [true, false],
      [false, true],
      [true, false],
    ])
    expect(await countOf(server)).toBe(2)
  })
})

describe('a token that is refused', () => {
  test('is renewed once for all who wait, and what was asked is asked again', async () => {
    const server = await startServer('--anonymous-writes')
    const [old, token] = [await tokenOf(server, 'ann'), await tokenOf(server, 'ann')]
    const way = await between(server)
    let renewals = 0
    const weft = open(way.url, {
      token: old,
      refresh: async () => {
        renewals++
        await new Promise((done) => setTimeout(done, 50))
        return token
      },
    })
    const no = says(401, { kind: 'unauthorized', message: 'who?' })
    const real = await weft.create('the_note', { text: 'mine' }).synced
    for (const path of [sync, '/api/freeschema-query', '/api/get_concept_bulk']) way.next(path, no)
    const query = weft.query({ type: 'the_note', selectors: ['self'] })
    onTestFinished(query.subscribe(() => {}))
    const write = weft.create('the_note', { text: 'also mine' })
    const [found] = await Promise.all([weft.get(real + 1_000_000), write.synced])
    expect(found).toBeUndefined()
    await expect
      .poll(() => query.get())
      .toMatchObject({ status: 'ready', complete: true, total: 2 })
    expect(renewals).toBe(1)
    expect(way.seen(sync).at(-1)?.headers.authorization).toBe(`Bearer ${token}`)
    expect(weft.sync.get().needsToken).toBe(false)
  })

  test('is renewed by the account that keeps the client signed in', async () => {
    const way = await between(await startServer('--max-body', '1000000'))
    const account = createAccount(way.url)
    await account.signUp('ann@example.org', 'correct horse battery')
    const { token } = await account.signIn('ann@example.org', 'correct horse battery')
    const weft = open(way.url)
    onTestFinished(keepSigned(account, weft))
    // Tokens of one second are the same.
    await new Promise((later) => setTimeout(later, 1_100))
    way.next(sync, says(401, { kind: 'unauthorized', message: 'who?' }))
    await weft.create('the_note', { text: 'mine' }).synced
    const [first, second] = way.seen(sync).map((s) => s.headers.authorization)
    expect(first).toBe(`Bearer ${token}`)
    expect(second).not.toBe(first)
    expect(way.seen('/api/auth/refresh')).toHaveLength(1)
  })

  test('leaves writes waiting where no other is to be had, and says so', async () => {
    const server = await startServer('--anonymous-writes')
    const token = await tokenOf(server, 'ann')
    const way = await between(server)
    let renewals = 0
    const refresh = async () => {
      renewals++
      throw new Error('the session has ended')
    }
    const weft = open(way.url, { token, refresh })
    way.next(sync, says(401, { kind: 'unauthorized', message: 'who?' }))
    const write = weft.create('the_note', { text: 'mine' })
    await expect.poll(() => weft.sync.get().needsToken).toBe(true)
    expect(weft.sync.get()).toMatchObject({ pending: 1, failed: [] })
    expect([renewals, way.seen(sync).length]).toEqual([1, 1])
    weft.setToken(token)
    await write.synced
    expect(weft.sync.get().needsToken).toBe(false)
  })

  test('of somebody else does not send what the one before wrote', async () => {
    const server = await startServer('--anonymous-writes')
    const [ann, bob] = [await tokenOf(server, 'ann'), await tokenOf(server, 'bob')]
    const way = await between(server)
    const weft = open(way.url, { token: ann, refresh: async () => bob })
    way.next(sync, says(401, { kind: 'unauthorized', message: 'who?' }))
    const write = weft.create('the_note', { text: 'ann’s' })
    await expect.poll(() => weft.record(write.id)).toBeUndefined()
    await weft.create('the_note', { text: 'bob’s' }).synced
    expect(
      way
        .seen(sync)
        .slice(1)
        .map((s) => s.body.includes('ann’s')),
    ).toEqual([false])
    weft.setToken(ann)
    const real = await write.synced
    expect(await open(server, { token: bob }).get(real)).toBeUndefined()
  })

  test('that is refused again is not renewed for the same request twice', async () => {
    const server = await startServer('--anonymous-writes')
    const token = await tokenOf(server, 'ann')
    const way = await between(server)
    const no = says(401, { kind: 'unauthorized', message: 'who?' })
    let renewals = 0
    const refresh = () => {
      renewals++
      return tokenOf(server, 'ann')
    }
    const weft = open(way.url, { token, refresh })
    way.next(sync, no, no)
    const write = weft.create('the_note', { text: 'mine' })
    await write.synced
    expect(renewals).toBeLessThanOrEqual(2)
    expect(way.seen(sync)).toHaveLength(3)
  })
})

const failed = (weft: Client) => expect.poll(() => weft.sync.get().failed.length).toBe(1)

function open(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url, storage: 'memory', ...options })
  onTestFinished(() => client.close())
  return client
}

/** How many notes there are, as the server counts them. */
async function countOf(url: string): Promise<number> {
  const body = JSON.stringify({ type: 'the_note', inpage: 1, outputFormat: 6 })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${url}/api/freeschema-query`, { method: 'POST', headers, body })
  return ((await answer.json()) as { mainCount: number }).mainCount
}
