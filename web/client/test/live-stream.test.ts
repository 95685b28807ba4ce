import { expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { type WireCutter, wireCutter } from '../../e2e/wire-cutter.ts'
import { readEvents, type StreamEvent } from '../src/live/events.ts'
import { type Change, Stream } from '../src/live/stream.ts'
import { Http } from '../src/wire/http.ts'
import { between, says } from './between.ts'
import { startServer, tokenOf } from './server.ts'
import { outside } from './tab.ts'

test('events are read however the network cuts them up', async () => {
  const text =
    'event: ready\r\nid: 1\r\ndata: {"a":"é"}\r\n\r\n: still here\nid: 2\n\nevent:change\ndata:x: y\ndata\n\nevent: cut off'
  const want = [
    { name: 'ready', id: '1', data: '{"a":"é"}' },
    { name: '', id: '2', data: '' },
    { name: 'change', id: '', data: 'x: y' },
  ]
  const bytes = new TextEncoder().encode(text)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const heard: StreamEvent[] = []
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of [bytes.slice(0, cut), bytes.slice(cut)]) controller.enqueue(part)
        controller.close()
      },
    })
    await readEvents(body, (event) => heard.push(event))
    expect(heard).toEqual(want)
  }
})

test('a change is told by the ids and types it touched, after one reason to look', async () => {
  const url = await startServer()
  const { told } = listen(url)
  await expect.poll(() => told).toEqual(['lost'])
  const id = await outside(url).create('the_note', { text: 'hi' }).synced
  await expect.poll(() => told).toHaveLength(2)
  const concept = await outside(url).get(id)
  expect(told[1]).toEqual(expect.arrayContaining([id, concept?.type]))
})

test('a line that breaks goes on where it broke', async () => {
  const { server, cable } = await cabled()
  const { told, requests } = listen(cable.url)
  await expect.poll(() => told).toEqual(['lost'])
  const create = (text: string) => outside(server).create('the_note', { text }).synced
  await create('before')
  await expect.poll(() => told).toHaveLength(2)
  cable.cut()
  const missed = await create('missed')
  cable.mend()
  await expect.poll(() => told).toHaveLength(3)
  const after = await create('after')
  await expect.poll(() => told).toHaveLength(4)
  expect(told.slice(2)).toEqual([expect.arrayContaining([missed]), expect.arrayContaining([after])])
  expect(requests.length).toBeGreaterThan(1)
  expect(requests.slice(1).every((request) => request.includes('?after='))).toBe(true)
})

test('a line that is silent for too long is begun anew, and misses nothing', async () => {
  const { server, cable } = await cabled()
  const { told } = listen(cable.url, { silence: 1_000 })
  await expect.poll(() => told).toEqual(['lost'])
  cable.hush()
  const missed = await outside(server).create('the_note', { text: 'missed' }).synced
  await new Promise((resolve) => setTimeout(resolve, 300))
  cable.mend()
  await expect.poll(() => told).toHaveLength(2)
  expect(told[1]).toEqual(expect.arrayContaining([missed]))
})

test('who only listens notices that the server is gone, and that it is there again', async () => {
  const { cable } = await cabled()
  const { told, http } = listen(cable.url)
  await expect.poll(() => told).toEqual(['lost'])
  const heard: boolean[] = []
  http.changed = () => heard.push(http.online)
  cable.cut()
  await expect.poll(() => heard, { timeout: 10_000 }).toEqual([false])
  cable.mend()
  await expect.poll(() => heard, { timeout: 20_000 }).toEqual([false, true])
})

test('a line that is silent for too long has the server asked how it is', async () => {
  const { cable } = await cabled()
  const { told, requests } = listen(cable.url, { silence: 1_000 })
  await expect.poll(() => told).toEqual(['lost'])
  cable.hush()
  await expect.poll(() => requests.join(), { timeout: 10_000 }).toContain('/api/health')
})

test('where the server has begun another life everybody looks again', async () => {
  const weft = await startWeft()
  const { told, met } = listen(weft.url)
  await expect.poll(() => told).toEqual(['lost'])
  await outside(weft.url).create('the_note', { text: 'old' }).synced
  await expect.poll(() => told).toHaveLength(2)
  await weft.kill()
  weft.empty()
  await weft.start()
  await expect.poll(() => told.slice(2)).toEqual(['lost'])
  expect(new Set(met).size).toBe(2)
})

test('a change that touched too much to list is a reason to look', async () => {
  const url = await startServer()
  const { told } = listen(url)
  await expect.poll(() => told).toEqual(['lost'])
  const fields = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`f${i}`, `${i}`]))
  await outside(url).create('the_note', fields).synced
  await expect.poll(() => told.length).toBeGreaterThan(1)
  expect(told.slice(1)).toContain('lost')
})

test('the token is in no address, and who may not listen does not ask often', async () => {
  const url = await startServer()
  const token = await tokenOf(url, 'ann')
  const { told, requests, answers, http, stream } = listen(url, { token })
  await expect.poll(() => told).toEqual(['lost'])
  await outside(url, token).create('the_note', { text: 'hers' }).synced
  await expect.poll(() => told).toHaveLength(2)
  expect(requests.join()).not.toContain(token)

  http.token = 'no.such.token'
  stream.reopen()
  await expect.poll(() => answers).toContain(401)
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(answers.filter((status) => status === 401)).toHaveLength(1)
  http.token = token
  stream.reopen()
  await outside(url, token).create('the_note', { text: 'and more' }).synced
  await expect.poll(() => told.length).toBeGreaterThan(2)
})

test('a server that has too many readers is asked again when it says', async () => {
  const url = await startServer()
  const crowd = new AbortController()
  onTestFinished(() => crowd.abort())
  const { signal } = crowd
  const open = () => fetch(`${url}/api/v1/events`, { signal })
  const readers = await Promise.all(Array.from({ length: 100 }, open))
  expect(readers.every((reader) => reader.ok)).toBe(true)
  const { told, answers } = listen(url)
  await expect.poll(() => answers).toEqual([503])
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  expect(answers).toEqual([503])
  crowd.abort()
  await expect.poll(() => told, { timeout: 20_000 }).toEqual(['lost'])
})

test.each(['1e12', '9999999999', 'Fri, 01 Jan 2999 00:00:00 GMT'])(
  'a server that asks for %s is not asked at once: no timer waits longer than 24 days',
  async (after) => {
    const way = await between(await startServer())
    const path = '/api/v1/events'
    way.next(path, ...Array(50).fill(says(503, '', { 'Retry-After': after, ...readable })))
    const { answers } = listen(way.url)
    await expect.poll(() => answers).toContain(503)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(way.seen(path)).toHaveLength(1)
  },
)

test('a stream stays open a while for who comes back, and is closed then', async () => {
  const url = await startServer()
  const { told, requests, signals, stream } = listen(url)
  await expect.poll(() => told).toEqual(['lost'])
  stream.want(false)
  stream.want(true)
  await outside(url).create('the_note', { text: 'heard' }).synced
  await expect.poll(() => told).toHaveLength(2)
  expect(requests).toHaveLength(1)
  stream.want(false)
  await expect.poll(() => signals[0]?.aborted, { timeout: 10_000 }).toBe(true)
  await outside(url).create('the_note', { text: 'not heard' }).synced
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(told).toHaveLength(2)
})

const readable = { 'Access-Control-Expose-Headers': 'Retry-After' }

/** A server, and a cable to it. */
async function cabled(): Promise<{ server: string; cable: WireCutter }> {
  const server = await startServer()
  return { server, cable: await wireCutter(Number(new URL(server).port)) }
}

/** Listens to a server: what was told, oldest first, and what was asked to hear it. */
function listen(url: string, options: { token?: string; silence?: number } = {}) {
  const told: (Change | 'lost')[] = []
  const met: unknown[] = []
  const requests: string[] = []
  const answers: number[] = []
  const signals: AbortSignal[] = []
  const http = new Http(url, options.token)
  http.met = (store) => met.push(store)
  http.fetch = async (input, init) => {
    requests.push(String(input))
    if (init?.signal) signals.push(init.signal)
    const answer = await fetch(input, init)
    answers.push(answer.status)
    return answer
  }
  const stream = new Stream(
    http,
    (change) => told.push(change),
    () => told.push('lost'),
    undefined,
    options.silence,
  )
  onTestFinished(() => {
    stream.close()
    http.close()
  })
  stream.want(true)
  return { told, met, requests, answers, signals, http, stream }
}
