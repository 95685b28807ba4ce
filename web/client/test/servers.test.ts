import { describe, expect, onTestFinished, test } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { type Responder, respondWith, startProxy } from './proxy.ts'
import { startServer } from './server.ts'

const config = '/api/v1/config'
const concepts = '/api/get_concept_bulk'
const widgets = '/api/v1/widgets'
const sync = '/api/v1/local-concepts'

describe('additional servers for reads', () => {
  test('the first additional server serves records; writes and queries go to the main server', async () => {
    const { base, caches, real } = await setUp()
    const [cache] = caches
    const weft = open(base.url, { servers: caches.map((c) => c.url) })
    await untilServersKnown(weft)
    expect((await weft.get(real))?.id).toBe(real)
    expect(await weft.create('the_note', { text: 'here' }).synced).toBeGreaterThan(real)
    expect([cache.requests(concepts).length, base.requests(concepts).length]).toEqual([1, 0])
    expect([cache.requests(sync).length, base.requests(sync).length]).toEqual([0, 1])
    expect(base.requests(config)).toEqual([])
  })

  test('an additional server that does not respond is dropped; when none is left, the main server is used', async () => {
    const { base, caches, real } = await setUp()
    const [first, second] = caches
    first.next(concepts, (response) => response.destroy())
    second.next(concepts, (response) => response.destroy())
    const weft = open(base.url, { servers: caches.map((c) => c.url) })
    await untilServersKnown(weft)
    expect((await weft.get(real))?.id).toBe(real)
    expect((await weft.get(real + 1))?.id).toBe(real + 1)
    expect([first, second].map((s) => s.requests(concepts).length)).toEqual([1, 1])
    expect(base.requests(concepts).length).toBeGreaterThan(1)
    expect(weft.sync.get().online).toBe(true)
  })

  test('an unavailable main server is reported as such', async () => {
    const { base, caches, real } = await setUp()
    const weft = open(base.url, { servers: [caches[0].url] })
    await untilServersKnown(weft)
    caches[0].next(concepts, (response) => response.destroy())
    base.next(concepts, (response) => response.destroy())
    await expect(weft.get(real)).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Base Server Down',
    })
    expect((await weft.get(real))?.id).toBe(real)
  })

  test('after an error response, the next server is not tried', async () => {
    const { base, caches, real } = await setUp()
    const [cache] = caches
    cache.next(concepts, respondWith(503, { kind: 'unavailable', message: 'busy' }))
    const weft = open(base.url, { servers: [cache.url] })
    await untilServersKnown(weft)
    await expect(weft.get(real)).rejects.toThrow('busy')
    expect(base.requests(concepts)).toEqual([])
    expect((await weft.get(real))?.id).toBe(real)
    expect(base.requests(concepts)).toEqual([])
  })

  test('the main server is asked for records that an additional server lacks', async () => {
    const { base, real } = await setUp()
    const incomplete = await startProxy(await startServer())
    const weft = open(base.url, { servers: [incomplete.url] })
    await untilServersKnown(weft)
    expect((await weft.get(real))?.id).toBe(real)
    expect(incomplete.requests(concepts).length).toBeGreaterThan(0)
    expect(JSON.parse(base.requests(concepts)[0]?.body ?? '')).toEqual([real])
  })

  test('a stored widget is read from the first server that responds and has it', async () => {
    const { base, caches } = await setUp()
    const [first, second] = caches
    const incomplete = await startProxy(await startServer())
    first.next(widgets, (response) => response.destroy())
    const weft = open(base.url, { servers: [first.url, second.url] })
    await untilServersKnown(weft)
    const path = `${widgets}?id=1&version=latest`
    const read = async (client: Client) => {
      const { http } = internalsOf(client)
      const response = await http.readPath(path, (json) => Boolean((json as Reply)?.widget))
      return ((await response.json()) as Reply).widget
    }
    for (const server of [second, second, base])
      server.next(widgets, respondWith(200, { widget: server.url }))
    expect([await read(weft), await read(weft)]).toEqual([second.url, second.url])
    expect(first.requests(widgets).length).toBe(1)
    const other = open(base.url, { servers: [incomplete.url] })
    await untilServersKnown(other)
    expect(await read(other)).toBe(base.url)
    expect(incomplete.requests(widgets).length).toBe(1)
  })

  test('the main server lists the additional servers and assigns the session', async () => {
    const cache = await startProxy(await startServer())
    const server = await startServer('--anonymous-writes', '--cache-servers', `${cache.url}/`)
    const base = await startProxy(server)
    const weft = open(base.url, { application: 'my shop' })
    await untilServersKnown(weft)
    const [request] = base.requests(config)
    expect(request?.search).toBe('?application=my%20shop')
    expect([request?.body, request?.headers['content-type']]).toEqual(['', undefined])
    await weft.get(77_777)
    expect(JSON.parse(cache.requests(concepts)[0]?.body ?? '')).toEqual([77_777])
    const session = cache.requests(concepts)[0]?.headers['x-session-id']
    expect(Number(session)).toBeGreaterThan(999)
    await weft.create('the_note', { text: 'mine' }).synced
    expect(base.requests(sync)[0]?.headers).toMatchObject({
      'x-session-id': session,
      randomizer: expect.stringMatching(/^\d+$/),
      'content-type': 'application/json',
    })
  })

  test.each<[string, Responder, string?]>([
    ['an error', respondWith(500, { kind: 'internal', message: 'oh no' })],
    ['a page', respondWith(200, '<title>Oh no</title>')],
    ['an unrelated object', respondWith(200, { success: true, config: {} })],
    ['malformed addresses', respondWith(200, { success: true, servers: [7, 'nonsense', null] })],
    ['no list', respondWith(200, { success: true, servers: 'http://127.0.0.1:1', session: 0 })],
    ['an empty list', respondWith(200, { success: true, servers: [], session: 4711 }), '4711'],
    ['a session', respondWith(200, { success: true, config: {}, session: 4711 }), '4711'],
  ])(
    'with %s instead of a configuration, only the main server is used',
    async (_, responder, session = '998') => {
      const { base, real } = await setUp()
      base.next(config, responder)
      const weft = open(base.url, { application: 'test' })
      await untilServersKnown(weft)
      expect((await weft.get(real))?.id).toBe(real)
      expect(base.requests(concepts)[0]?.headers['x-session-id']).toBe(session)
    },
  )
})

interface Reply {
  readonly widget: unknown
}

/** Starts a server with one record behind three proxies: the main server and two additional ones. */
async function setUp() {
  const server = await startServer()
  const real = await open(server).create('the_note', { text: 'there' }).synced
  const [base, first, second] = await Promise.all([server, server, server].map(startProxy))
  if (!base || !first || !second) throw new Error('unreachable')
  return { base, caches: [first, second] as const, real }
}

/** Resolves once a client reads from its additional servers. */
async function untilServersKnown(weft: Client): Promise<void> {
  const { http } = internalsOf(weft)
  const before = http.readRecords
  await expect.poll(() => http.readRecords !== before).toBe(true)
}

function open(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url, storage: 'memory', ...options })
  onTestFinished(() => client.close())
  return client
}
