import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  allConnections,
  connect,
  createRecord,
  findConnectionsBetween,
  preloadConcepts,
  readData,
} from '../src/graph/index.ts'
import { createAnomalyCheck } from '../src/validate/index.ts'
import { countRequests, open, startJsonServer, until } from './open.ts'
import { startRelay } from './relay.ts'
import { startServer } from './server.ts'

test('readData fetches shared records once, and rejects data with more than a million values', async () => {
  const url = await startServer()
  const weft = open(url)
  const levels = Array.from({ length: 30 }, () => createRecord(weft, 'the_box', {}).id)
  for (const [i, id] of levels.entries()) {
    const next = levels[i + 1]
    // With two connections per level there are 2 ** 29 paths.
    if (next) for (const _ of 'ab') connect(weft, id, 'the_box_box', next)
  }
  const [top = 0] = levels
  await expect.poll(() => weft.sync.get().pending).toBe(0)
  const requestsTo = countRequests()
  await expect(readData(weft, top)).rejects.toMatchObject({
    kind: 'tooLarge',
    message: expect.stringMatching(/^data -?\d+ has more than 1000000 values$/),
  })
  expect(requestsTo('/api/get-all-linkers-from-concept')).toBe(levels.length)
})

test('preloadConcepts rejects with unavailable when the client closes and when the response is HTML', async () => {
  const relay = await startRelay(await startServer())
  const weft = open(relay.url)
  const requestsTo = countRequests()
  const release = relay.hold()
  const loading = preloadConcepts(weft)
  loading.catch(() => {})
  await until(() => requestsTo('/api/get-preloaded-concepts') > 0)
  weft.close()
  await expect(loading).rejects.toMatchObject({ name: 'WeftError', kind: 'unavailable' })
  release()

  // The login page of a Wi-Fi network, which responds to every request with 200.
  const login = createServer((_, response) => void response.end('<h1>please sign in</h1>'))
  await new Promise<void>((resolve) => login.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void login.close().closeAllConnections())
  const { port } = login.address() as AddressInfo
  await expect(preloadConcepts(open(`http://127.0.0.1:${port}`))).rejects.toMatchObject({
    name: 'WeftError',
    kind: 'unavailable',
  })
})

test('lookups of connections reject malformed responses', async () => {
  const malformed: Record<string, unknown> = { 'get-connection-between': [null] }
  const url = await startJsonServer((path) => malformed[path.split('/').at(-1) ?? ''] ?? {})
  const weft = open(url)
  const ends = { from: 101, relation: 'the_person_friend', to: 102 }
  await expect(findConnectionsBetween(weft, [ends])).rejects.toMatchObject({
    name: 'WeftError',
    kind: 'internal',
  })
  await expect(allConnections(weft, 101)).rejects.toMatchObject({ kind: 'internal' })
})

test('an anomaly check rejects a malformed response and ignores incomplete statistics of types', async () => {
  for (const malformed of [null, {}, { data: 'x' }]) {
    const weft = open(await startJsonServer(() => malformed))
    await expect(createAnomalyCheck(weft).check('name', 'Ann')).rejects.toMatchObject({
      kind: 'unavailable',
    })
  }
  const complete = { min_length: 1, max_length: 5, data_types: ['textOnly'] }
  const data = { the_name: complete, the_age: null, the_city: { min_length: 1 } }
  const checks = createAnomalyCheck(open(await startJsonServer(() => ({ data }))))
  expect((await checks.check('name', 'Ann')).valid).toBe(true)
  for (const type of ['age', 'city', '__proto__'])
    expect((await checks.check(type, 'x')).warnings).toEqual([
      `No concept details found for type: the_${type}`,
    ])
})
