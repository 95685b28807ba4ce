import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { type Client, createClient } from '../src/index.ts'
import {
  createTracker,
  suggestedConcepts,
  suggestedConnections,
  type TrackerOptions,
} from '../src/tracker/index.ts'
import { startServer, tokenOf } from './server.ts'

describe('counting', () => {
  test('counts each concept that is read, by its real id after the sync', async () => {
    const weft = open(await startServer())
    const tracker = startTracker(weft)
    const { id, synced } = weft.create('the_note', { text: 'a' })
    weft.concept(id)
    weft.concept(id)
    expect(tracker.getTop(1).concepts).toEqual([{ id, count: 2 }])
    const real = await synced
    await weft.get(real)
    const text = weft.find('the_text', 'a')
    expect(tracker.getTop(9).concepts).toEqual([
      { id: real, count: 3 },
      { id: expect.any(Number), count: 1 },
    ])
    expect(text?.value).toBe('a')
    expect(weft.concept(987_654)).toBeUndefined()
    expect(weft.find('the_text', 'b')).toBeUndefined()
    expect(tracker.getTop(9).concepts).toHaveLength(2)
  })

  test('counts a record with its values and connections', async () => {
    const weft = open(await startServer())
    const tracker = startTracker(weft)
    const id = await weft.create('the_note', { text: 'a', list: { x: '1' } }).synced
    weft.record(id)
    weft.record(id)
    await weft.load(id)
    const { concepts, connections } = tracker.getTop(99)
    expect(concepts.map(({ count }) => count)).toEqual([3, 3, 3, 3])
    expect(connections.map(({ count }) => count)).toEqual([3, 3, 3])
    expect(concepts.every(({ id }) => id > 0)).toBe(true)
    expect(connections.every(({ id }) => id > 0)).toBe(true)
  })

  test('counts the records of an answer once', async () => {
    const url = await startServer()
    const other = open(url)
    const id = await other.create('the_note', { text: 'a' }).synced
    const weft = open(url)
    const tracker = startTracker(weft)
    const query = weft.query({ type: 'the_note', selectors: ['self'] })
    await query.refresh()
    query.get()
    query.get()
    expect(tracker.getTop(1).concepts).toEqual([{ id, count: 1 }])
  })

  test('counts nothing while stopped, and does not wrap the read methods', async () => {
    const weft = open(await startServer())
    const reads = { ...weft }
    const tracker = createTracker(weft)
    const { id } = weft.create('the_note', { text: 'a' })
    weft.concept(id)
    expect(tracker.getTop(9)).toEqual({ concepts: [], connections: [] })
    const stop = tracker.start()
    expect(tracker.start()).toBe(stop)
    const { concept } = weft
    weft.concept(id)
    expect(tracker.getTop(9).concepts).toEqual([{ id, count: 1 }])
    stop()
    concept(id)
    weft.concept(id)
    expect(tracker.getTop(9).concepts).toEqual([{ id, count: 1 }])
    expect(weft.concept).toBe(reads.concept)
    expect(weft.record).toBe(reads.record)
    expect(weft.close).toBe(reads.close)
    onTestFinished(tracker.start())
    stop()
    weft.concept(id)
    expect(tracker.getTop(9).concepts).toEqual([{ id, count: 2 }])
  })

  test('counts uses that the application reports, except of id 0', async () => {
    const tracker = createTracker(open(await startServer()))
    tracker.countConcept(5)
    tracker.countConcept(7)
    tracker.countConcept(7)
    tracker.countConcept(0)
    tracker.countConnection(6)
    tracker.countConnection(0)
    expect(tracker.getTop(1)).toEqual({
      concepts: [{ id: 7, count: 2 }],
      connections: [{ id: 6, count: 1 }],
    })
  })

  test('each client has its own tracker', async () => {
    const url = await startServer()
    const [one, other] = [open(url), open(url)]
    const tracker = startTracker(one)
    expect(createTracker(one)).toBe(tracker)
    const otherTracker = startTracker(other)
    const id = await one.create('the_note', { text: 'a' }).synced
    one.concept(id)
    expect(tracker.getTop(9).concepts).toEqual([{ id, count: 1 }])
    expect(otherTracker.getTop(9).concepts).toEqual([])
  })
})

describe('sending', () => {
  test('the server ranks uses, and suggests the concepts that the user uses first', async () => {
    const url = await startServer('--attempts', '50')
    const token = await tokenOf(url, 'ann')
    const weft = open(url, token)
    const ids: number[] = []
    for (const text of ['a', 'b', 'c']) ids.push(await weft.create('the_note', { text }).synced)
    const tracker = createTracker(weft)
    for (const [i, id] of ids.entries())
      for (let n = 0; n <= i; n++) {
        tracker.countConcept(id)
      }
    weft.record(ids[0] as number)
    tracker.start()
    weft.record(ids[0] as number)
    expect(await tracker.sendToServer()).toBe(true)
    expect(tracker.getTop(9)).toEqual({ concepts: [], connections: [] })
    expect(await tracker.sendToServer()).toBe(false)

    const later = open(url, token)
    await later.ready
    const concepts = await suggestedConcepts(later, 2)
    expect(concepts.map(({ id }) => id)).toEqual([ids[2], expect.any(Number)])
    expect(later.concept(ids[2] as number)).toEqual(concepts[0])
    const connections = await suggestedConnections(later)
    expect(connections).toEqual([expect.objectContaining({ from: ids[0] })])
  })

  test('counts are kept until there is a token', async () => {
    const url = await startServer('--attempts', '50')
    const weft = open(url)
    const tracker = createTracker(weft)
    tracker.countConcept(5)
    expect(await tracker.sendToServer()).toBe(false)
    weft.setToken(await tokenOf(url, 'ann'))
    expect(await tracker.sendToServer()).toBe(true)
    tracker.countConcept(6)
    weft.setToken(await tokenOf(url, 'bob'))
    expect(tracker.getTop(9).concepts).toEqual([])
    expect(await tracker.sendToServer()).toBe(false)
  })

  test('counts are sent when due, again after a failure, and not after the tracker stops', async () => {
    const server = await startWeft()
    const token = await tokenOf(server.url, 'ann')
    const weft = open(server.url, token)
    await weft.ready
    await server.kill()
    const logged: unknown[] = []
    const log = (...entry: unknown[]) => void logged.push(entry)
    const tracker = createTracker(weft, { sendInterval: 100, checkInterval: 50, logger: { log } })
    const stop = tracker.start()
    onTestFinished(stop)
    tracker.countConcept(5)
    await expect.poll(() => logged.length).toBeGreaterThan(1)
    expect(logged[0]).toEqual([
      'ERROR',
      'Failed to sync data to the server.',
      { errorMessage: expect.stringContaining('received no response') },
    ])
    expect(tracker.getTop(9).concepts).toEqual([{ id: 5, count: 1 }])
    await server.start()
    await expect.poll(() => tracker.getTop(9).concepts).toEqual([])
    stop()
    tracker.countConcept(5)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(tracker.getTop(9).concepts).toEqual([{ id: 5, count: 1 }])
  })

  test('a request has at most ten thousand ids, and the rest is kept for the next request', async () => {
    const bodies: { concepts: Record<string, number>; connections: Record<string, number> }[] = []
    const url = await startRespondingServer((body) => {
      if (body) bodies.push(JSON.parse(body))
      if (bodies.length === 1) tracker.countConcept(3)
      return '{}'
    })
    const weft = open(url, 'weft_key')
    const tracker = createTracker(weft)
    for (let id = 1; id <= 10_001; id++) tracker.countConcept(id)
    tracker.countConnection(6)
    tracker.countConnection(-6)
    const [first, second] = await Promise.all([tracker.sendToServer(), tracker.sendToServer()])
    expect([first, second]).toEqual([true, true])
    const sizes = bodies.map((b) => [
      Object.keys(b.concepts).length,
      Object.keys(b.connections).length,
    ])
    expect(sizes).toEqual([
      [10_000, 0],
      [2, 1],
    ])
    expect(bodies[1]).toEqual({ concepts: { 10001: 1, 3: 1 }, connections: { 6: 1 } })
    expect(tracker.getTop(9)).toEqual({ concepts: [], connections: [{ id: -6, count: 1 }] })
  })
})

describe('failed suggestions', () => {
  test('reject with the messages that the wire contract prescribes', async () => {
    const weft = open(await startServer())
    await weft.ready
    const { fetch } = globalThis
    onTestFinished(() => {
      globalThis.fetch = fetch
    })
    // An application may wrap fetch and throw any value.
    globalThis.fetch = () => Promise.reject('not today')
    await expect(suggestedConcepts(weft)).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'An unexpected error occurred while fetching suggested concepts.',
    })
    await expect(suggestedConnections(weft, 3)).rejects.toMatchObject({
      message: 'An unexpected error occurred while fetching suggested Connections.',
    })
    globalThis.fetch = fetch
    await expect(suggestedConcepts(weft, -1.5)).rejects.toMatchObject({
      message: 'Unable to fetch suggested concepts. Please try again later.',
    })
    weft.setToken('nonsense')
    await expect(suggestedConnections(weft)).rejects.toMatchObject({
      kind: 'unauthorized',
      message: 'Unable to fetch suggested connections. Please try again later.',
    })
  })
})

function open(url: string, token?: string): Client {
  const weft = createClient({ url, token, storage: 'memory' })
  onTestFinished(() => weft.close())
  return weft
}

function startTracker(weft: Client, options?: TrackerOptions) {
  const tracker = createTracker(weft, options)
  onTestFinished(tracker.start())
  return tracker
}

/** Starts a server that responds to each request with the JSON text that `respond` returns. Returns its address. */
async function startRespondingServer(respond: (body: string) => string): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    response.setHeader('Content-Type', 'application/json')
    response.end(respond(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
