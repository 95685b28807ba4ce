import { expect, onTestFinished, test } from 'vitest'
import { type NetworkProxy, startNetworkProxy } from '../../e2e/network-proxy.ts'
import { startWeft } from '../../e2e/weft.ts'
import { type Change, ChangeStream } from '../src/live/remote/change-stream.ts'
import { readEvents, type StreamEvent } from '../src/live/remote/events.ts'
import { Http } from '../src/wire/http.ts'
import { mulberry } from './dice.ts'
import { respondWith, startProxy } from './proxy.ts'
import { startServer, tokenOf } from './server.ts'
import { outsideClient } from './tab.ts'

test('events are parsed no matter how the network splits them', async () => {
  const text =
    'event: ready\r\nid: 1\r\ndata: {"a":"é"}\r\n\r\n: still here\nid: 2\n\nevent:change\ndata:x: y\ndata\n\nevent: cut off'
  const expected = [
    { name: 'ready', id: '1', data: '{"a":"é"}' },
    { name: '', id: '2', data: '' },
    { name: 'change', id: '', data: 'x: y' },
  ]
  const bytes = new TextEncoder().encode(text)
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await parse([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(expected)
  }
})

test('random bytes are parsed without errors, and with the same result no matter how the network splits them', async () => {
  const words = [
    'event:',
    'id: ',
    'data: {',
    ':',
    '\r',
    '\n',
    '\n',
    '\u0000',
    'é',
    '\uFEFF',
    '1e999',
    '__proto__',
  ]
  const random = mulberry(7)
  const encode = new TextEncoder()
  for (let round = 0; round < 500; round++) {
    const parts = Array.from({ length: Math.floor(random() * 30) }, () =>
      random() < 0.1
        ? Uint8Array.of(Math.floor(random() * 256)) // often not UTF-8
        : encode.encode(words[Math.floor(random() * words.length)]),
    )
    const bytes = Uint8Array.from(parts.flatMap((part) => [...part]))
    expect(await parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(
      await parse([bytes]),
    )
  }
})

/** Returns the events of a stream that arrives in parts. */
async function parse(parts: Uint8Array<ArrayBuffer>[]): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
  await readEvents(body, (event) => events.push(event))
  return events
}

test('a stream starts with one gap, and then reports the ids and types of each change', async () => {
  const url = await startServer()
  const { changes } = listen(url)
  await expect.poll(() => changes).toEqual(['gap'])
  const id = await outsideClient(url).create('the_note', { text: 'hi' }).synced
  await expect.poll(() => changes).toHaveLength(2)
  const concept = await outsideClient(url).get(id)
  expect(changes[1]).toEqual(expect.arrayContaining([id, concept?.type]))
})

test('a broken connection resumes after the last change', async () => {
  const { server, network } = await startBehindProxy()
  const { changes, requests } = listen(network.url)
  await expect.poll(() => changes).toEqual(['gap'])
  const create = (text: string) => outsideClient(server).create('the_note', { text }).synced
  await create('before')
  await expect.poll(() => changes).toHaveLength(2)
  network.disconnect()
  const missed = await create('missed')
  network.reconnect()
  await expect.poll(() => changes).toHaveLength(3)
  const after = await create('after')
  await expect.poll(() => changes).toHaveLength(4)
  expect(changes.slice(2)).toEqual([
    expect.arrayContaining([missed]),
    expect.arrayContaining([after]),
  ])
  expect(requests.length).toBeGreaterThan(1)
  expect(requests.slice(1).every((request) => request.includes('?after='))).toBe(true)
})

test('a silent connection is reopened without missing changes', async () => {
  const { server, network } = await startBehindProxy()
  const { changes } = listen(network.url, { silence: 1_000 })
  await expect.poll(() => changes).toEqual(['gap'])
  network.stall()
  const missed = await outsideClient(server).create('the_note', { text: 'missed' }).synced
  await new Promise((resolve) => setTimeout(resolve, 300))
  network.reconnect()
  await expect.poll(() => changes).toHaveLength(2)
  expect(changes[1]).toEqual(expect.arrayContaining([missed]))
})

test('a client that only listens reports when the server stops and when it is back', async () => {
  const { network } = await startBehindProxy()
  const { changes, http } = listen(network.url)
  await expect.poll(() => changes).toEqual(['gap'])
  const states: boolean[] = []
  http.onOnlineChange = () => states.push(http.online)
  network.disconnect()
  await expect.poll(() => states).toEqual([false])
  network.reconnect()
  await expect.poll(() => states).toEqual([false, true])
})

test('a silent connection triggers a health check', async () => {
  const { network } = await startBehindProxy()
  const { changes, requests } = listen(network.url, { silence: 1_000 })
  await expect.poll(() => changes).toEqual(['gap'])
  network.stall()
  await expect.poll(() => requests.join()).toContain('/api/health')
})

test('a restart with another history is reported as a gap', async () => {
  const weft = await startWeft()
  const { changes, storeIds } = listen(weft.url)
  await expect.poll(() => changes).toEqual(['gap'])
  await outsideClient(weft.url).create('the_note', { text: 'old' }).synced
  await expect.poll(() => changes).toHaveLength(2)
  await weft.kill()
  weft.empty()
  await weft.start()
  await expect.poll(() => changes.slice(2)).toEqual(['gap'])
  expect(new Set(storeIds).size).toBe(2)
})

test('a change that touched too many ids to list is reported as a gap', async () => {
  const url = await startServer()
  const { changes } = listen(url)
  await expect.poll(() => changes).toEqual(['gap'])
  const fields = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`f${i}`, `${i}`]))
  await outsideClient(url).create('the_note', fields).synced
  await expect.poll(() => changes.length).toBeGreaterThan(1)
  expect(changes.slice(1)).toContain('gap')
})

test('the token is not in the URL, and a refused client does not retry within three seconds', async () => {
  const url = await startServer()
  const token = await tokenOf(url, 'ann')
  const { changes, requests, statuses, http, stream } = listen(url, { token })
  await expect.poll(() => changes).toEqual(['gap'])
  await outsideClient(url, token).create('the_note', { text: 'hers' }).synced
  await expect.poll(() => changes).toHaveLength(2)
  expect(requests.join()).not.toContain(token)

  http.token = 'no.such.token'
  stream.reopen()
  await expect.poll(() => statuses).toContain(401)
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(statuses.filter((status) => status === 401)).toHaveLength(1)
  http.token = token
  stream.reopen()
  await outsideClient(url, token).create('the_note', { text: 'and more' }).synced
  await expect.poll(() => changes.length).toBeGreaterThan(2)
})

test('a server with too many open streams is retried after its Retry-After', async () => {
  const url = await startServer()
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const { signal } = controller
  const open = () => fetch(`${url}/api/v1/events`, { signal })
  const readers = await Promise.all(Array.from({ length: 100 }, open))
  expect(readers.every((reader) => reader.ok)).toBe(true)
  const { changes, statuses } = listen(url)
  await expect.poll(() => statuses).toEqual([503])
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  expect(statuses).toEqual([503])
  controller.abort()
  await expect.poll(() => changes).toEqual(['gap'])
})

test.each(['1e12', '9999999999', 'Fri, 01 Jan 2999 00:00:00 GMT'])(
  'a Retry-After of %s, which exceeds the longest timer of 24 days, does not cause an immediate retry',
  async (after) => {
    const proxy = await startProxy(await startServer())
    const path = '/api/v1/events'
    proxy.next(path, ...Array(50).fill(respondWith(503, '', { 'Retry-After': after, ...readable })))
    const { statuses } = listen(proxy.url)
    await expect.poll(() => statuses).toContain(503)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(proxy.requests(path)).toHaveLength(1)
  },
)

test('a stream without listeners stays open for a while and is then closed', async () => {
  const url = await startServer()
  const { changes, requests, signals, stream } = listen(url)
  await expect.poll(() => changes).toEqual(['gap'])
  stream.setWanted(false)
  stream.setWanted(true)
  await outsideClient(url).create('the_note', { text: 'received' }).synced
  await expect.poll(() => changes).toHaveLength(2)
  expect(requests).toHaveLength(1)
  stream.setWanted(false)
  await expect.poll(() => signals[0]?.aborted).toBe(true)
  await outsideClient(url).create('the_note', { text: 'not received' }).synced
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(changes).toHaveLength(2)
})

const readable = { 'Access-Control-Expose-Headers': 'Retry-After' }

/** Starts a server and a proxy in front of it that can disconnect. */
async function startBehindProxy(): Promise<{ server: string; network: NetworkProxy }> {
  const server = await startServer()
  return { server, network: await startNetworkProxy(Number(new URL(server).port)) }
}

/**
 * Opens a stream. Returns its changes and gaps, the stores it found, and its requests with the statuses of their
 * responses, all oldest first.
 */
function listen(url: string, options: { token?: string; silence?: number } = {}) {
  const changes: (Change | 'gap')[] = []
  const storeIds: unknown[] = []
  const requests: string[] = []
  const statuses: number[] = []
  const signals: AbortSignal[] = []
  const http = new Http(url, options.token)
  http.onStoreSeen = (store) => storeIds.push(store)
  http.fetch = async (input, init) => {
    requests.push(String(input))
    if (init?.signal) signals.push(init.signal)
    const response = await fetch(input, init)
    statuses.push(response.status)
    return response
  }
  const stream = new ChangeStream(http, {
    onChange: (change) => changes.push(change),
    onGap: () => changes.push('gap'),
    ...(options.silence && { silenceTimeout: options.silence }),
  })
  onTestFinished(() => {
    stream.close()
    http.close()
  })
  stream.setWanted(true)
  return { changes, storeIds, requests, statuses, signals, http, stream }
}
