import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  allConnections,
  between,
  connect,
  createRecord,
  preload,
  readData,
} from '../src/records/index.ts'
import { anomalyCheck } from '../src/validate/index.ts'
import { countRequests, open, startAnswering, until } from './open.ts'
import { startRelay } from './relay.ts'
import { startServer } from './server.ts'

test('data to which many ways lead is fetched once, and refused where it never ends', async () => {
  const url = await startServer()
  const weft = open(url)
  const levels = Array.from({ length: 30 }, () => createRecord(weft, 'the_box', {}).id)
  for (const [i, id] of levels.entries()) {
    const next = levels[i + 1]
    if (next) for (const _ of 'ab') connect(weft, id, 'the_box_box', next)
  }
  const [top = 0] = levels
  await expect.poll(() => weft.sync.get().pending, { timeout: 20_000 }).toBe(0)
  const asked = countRequests()
  await expect(readData(weft, top)).rejects.toMatchObject({
    kind: 'tooLarge',
    message: expect.stringMatching(/^data -?\d+ is made of more than 1000000 values$/),
  })
  expect(asked('/api/get-all-linkers-from-concept')).toBe(levels.length)
}, 60_000)

test('a list in parts ends with the client, and is refused where a page comes instead', async () => {
  const relay = await startRelay(await startServer())
  const weft = open(relay.url)
  const asked = countRequests()
  const release = relay.hold()
  const loading = preload(weft)
  loading.catch(() => {})
  await until(() => asked('/api/get-preloaded-concepts') > 0)
  weft.close()
  await expect(loading).rejects.toMatchObject({ name: 'WeftError', kind: 'unavailable' })
  release()

  const login = createServer((_, answer) => void answer.end('<h1>please sign in to the Wi-Fi</h1>'))
  await new Promise<void>((listening) => login.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void login.close().closeAllConnections())
  const { port } = login.address() as AddressInfo
  await expect(preload(open(`http://127.0.0.1:${port}`))).rejects.toMatchObject({
    name: 'WeftError',
    kind: 'unavailable',
  })
})

test('answers of another shape are refused as such', async () => {
  const odd: Record<string, unknown> = { 'get-connection-between': [null] }
  const url = await startAnswering((path) => odd[path.split('/').at(-1) ?? ''] ?? {})
  const weft = open(url)
  const ends = { from: 101, relation: 'the_person_friend', to: 102 }
  await expect(between(weft, [ends])).rejects.toMatchObject({ name: 'WeftError', kind: 'internal' })
  await expect(allConnections(weft, 101)).rejects.toMatchObject({ kind: 'internal' })
})

test('what a server says of types counts as far as it says enough', async () => {
  for (const answer of [null, {}, { data: 'x' }]) {
    const weft = open(await startAnswering(() => answer))
    await expect(anomalyCheck(weft).check('name', 'Ann')).rejects.toMatchObject({
      kind: 'unavailable',
    })
  }
  const usual = { min_length: 1, max_length: 5, data_types: ['textOnly'] }
  const data = { the_name: usual, the_age: null, the_city: { min_length: 1 } }
  const checks = anomalyCheck(open(await startAnswering(() => ({ data }))))
  expect((await checks.check('name', 'Ann')).valid).toBe(true)
  for (const type of ['age', 'city', '__proto__'])
    expect((await checks.check(type, 'x')).warnings).toEqual([
      `No concept details found for type: the_${type}`,
    ])
})
