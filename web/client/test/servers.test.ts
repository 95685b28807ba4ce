import { describe, expect, onTestFinished, test } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../src/index.ts'
import { insideOf } from '../src/inside.ts'
import { type Answer, between, says } from './between.ts'
import { startServer } from './server.ts'

const config = '/api/v1/config'
const concepts = '/api/get_concept_bulk'
const sync = '/api/v1/local-concepts'

describe('more servers that answer reads', () => {
  test('the first is asked for records; writes and queries go to the server itself', async () => {
    const { base, caches, real } = await world()
    const [cache] = caches
    const weft = open(base.url, { servers: caches.map((c) => c.url) })
    await using(weft)
    expect((await weft.get(real))?.id).toBe(real)
    expect(await weft.create('the_note', { text: 'here' }).synced).toBeGreaterThan(real)
    expect([cache.seen(concepts).length, base.seen(concepts).length]).toEqual([1, 0])
    expect([cache.seen(sync).length, base.seen(sync).length]).toEqual([0, 1])
    expect(base.seen(config)).toEqual([])
  })

  test('one that does not answer is left, for good, and at last the server itself is asked', async () => {
    const { base, caches, real } = await world()
    const [first, second] = caches
    first.next(concepts, (to) => to.destroy())
    second.next(concepts, (to) => to.destroy())
    const weft = open(base.url, { servers: caches.map((c) => c.url) })
    await using(weft)
    expect((await weft.get(real))?.id).toBe(real)
    expect((await weft.get(real + 1))?.id).toBe(real + 1)
    expect([first, second].map((s) => s.seen(concepts).length)).toEqual([1, 1])
    expect(base.seen(concepts).length).toBeGreaterThan(1)
    expect(weft.sync.get().online).toBe(true)
  })

  test('when the server itself is silent as well it is said so', async () => {
    const { base, caches, real } = await world()
    const weft = open(base.url, { servers: [caches[0].url] })
    await using(weft)
    caches[0].next(concepts, (to) => to.destroy())
    base.next(concepts, (to) => to.destroy())
    await expect(weft.get(real)).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Base Server Down',
    })
    expect((await weft.get(real))?.id).toBe(real)
  })

  test('a refusal is an answer, and no reason to ask another', async () => {
    const { base, caches, real } = await world()
    const [cache] = caches
    cache.next(concepts, says(503, { kind: 'unavailable', message: 'busy' }))
    const weft = open(base.url, { servers: [cache.url] })
    await using(weft)
    await expect(weft.get(real)).rejects.toThrow('busy')
    expect(base.seen(concepts)).toEqual([])
    expect((await weft.get(real))?.id).toBe(real)
    expect(base.seen(concepts)).toEqual([])
  })

  test('what one does not have, because it is behind, the server itself is asked for', async () => {
    const { base, real } = await world()
    const behind = await between(await startServer())
    const weft = open(base.url, { servers: [behind.url] })
    await using(weft)
    expect((await weft.get(real))?.id).toBe(real)
    expect(behind.seen(concepts).length).toBeGreaterThan(0)
    expect(JSON.parse(base.seen(concepts)[0]?.body ?? '')).toEqual([real])
  })

  test('the server says which there are, and what session this is', async () => {
    const cache = await between(await startServer())
    const server = await startServer('--anonymous-writes', '--cache-servers', `${cache.url}/`)
    const base = await between(server)
    const weft = open(base.url, { application: 'my shop' })
    await using(weft)
    const [asked] = base.seen(config)
    expect(asked?.search).toBe('?application=my%20shop')
    expect([asked?.body, asked?.headers['content-type']]).toEqual(['', undefined])
    await weft.get(77_777)
    expect(JSON.parse(cache.seen(concepts)[0]?.body ?? '')).toEqual([77_777])
    const session = cache.seen(concepts)[0]?.headers['x-session-id']
    expect(Number(session)).toBeGreaterThan(999)
    await weft.create('the_note', { text: 'mine' }).synced
    expect(base.seen(sync)[0]?.headers).toMatchObject({
      'x-session-id': session,
      randomizer: expect.stringMatching(/^\d+$/),
      'content-type': 'application/json',
    })
  })

  test.each<[string, Answer, string?]>([
    ['an error', says(500, { kind: 'internal', message: 'oh no' })],
    ['a page', says(200, '<title>Oh no</title>')],
    ['nothing of use', says(200, { success: true, config: {} })],
    ['addresses that are none', says(200, { success: true, servers: [7, 'nonsense', null] })],
    ['no list', says(200, { success: true, servers: 'http://127.0.0.1:1', session: 0 })],
    ['an empty list', says(200, { success: true, servers: [], session: 4711 }), '4711'],
    ['a session', says(200, { success: true, config: {}, session: 4711 }), '4711'],
  ])(
    '%s instead of a configuration leaves the server itself',
    async (_, answer, session = '998') => {
      const { base, real } = await world()
      base.next(config, answer)
      const weft = open(base.url, { application: 'test' })
      await using(weft)
      expect((await weft.get(real))?.id).toBe(real)
      expect(base.seen(concepts)[0]?.headers['x-session-id']).toBe(session)
    },
  )
})

/** A server with a record, and two others that know the same. */
async function world() {
  const server = await startServer()
  const real = await open(server).create('the_note', { text: 'there' }).synced
  const [base, first, second] = await Promise.all([server, server, server].map(between))
  if (!base || !first || !second) throw new Error('unreachable')
  return { base, caches: [first, second] as const, real }
}

/** Resolves when a client reads from the servers it has. */
async function using(weft: Client): Promise<void> {
  const { http } = insideOf(weft)
  const before = http.read
  await expect.poll(() => http.read !== before).toBe(true)
}

function open(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url, storage: 'memory', ...options })
  onTestFinished(() => client.close())
  return client
}
