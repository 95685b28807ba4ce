import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { type Client, createClient } from '../src/index.ts'
import { createLogger, type Logger, type LoggerOptions, logCalls } from '../src/logger/index.ts'
import { startServer, tokenOf } from './server.ts'

interface Entry {
  readonly timestamp: string
  readonly level: string
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

interface Sent {
  readonly logType: string
  readonly logData: readonly Entry[]
  readonly headers: Readonly<Record<string, unknown>>
}

const both = { logPackage: true, logApplication: true, application: 'app.test' }
/** Never by itself while a test runs. */
const never = 1_000_000

describe('what is kept', () => {
  test('entries have the shape of their log, and are at the server', async () => {
    const url = await startServer('--attempts', '50')
    const token = await tokenOf(url, 'ann')
    const logger = logging(url, { ...both, session: 998 }, token)
    logger.log('INFO', 'boom', { code: 500, data: 'x' })
    logger.logApplication('INFO', 'Route Change', { url: 'http://app.test/x' })
    logger.logEvent('bought', 'a book')
    await logger.send()
    expect(await kept(url, token, 'mftsccs')).toEqual([
      {
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: 'INFO',
        message: 'boom',
        code: 500,
        data: 'x',
        requestFrom: 'app.test',
        sessionId: 998,
      },
    ])
    const around = { requestFrom: 'app.test', sessionId: 998 }
    expect(await kept(url, token, 'app')).toMatchObject([
      { level: 'USER_EVENT', message: 'bought', data: { description: 'a book', ...around } },
      {
        level: 'INFO',
        message: 'Route Change',
        data: { url: 'http://app.test/x', ...around },
      },
    ])
  })

  test('nothing, and nothing is asked, unless its log is on', async () => {
    const { url, sent, asked } = await keeper()
    const quiet = logging(url, { check: 10, interval: 10 })
    quiet.log('ERROR', 'a')
    quiet.logApplication('ERROR', 'b')
    quiet.logEvent('c', 'd')
    expect(quiet.logCall('e', [], () => 5)).toBe(5)
    await quiet.send()
    await pause(100)
    expect([sent, asked]).toEqual([[], []])

    const half = logging(url, { logApplication: true, check: never })
    half.log('ERROR', 'a')
    half.logApplication('ERROR', 'b')
    await half.send()
    expect(sent.map(({ logType }) => logType)).toEqual(['app'])
    const other = logging(url, { logPackage: true, check: never })
    other.logEvent('c', 'd')
    other.log('ERROR', 'a')
    await other.send()
    expect(sent.map(({ logType }) => logType)).toEqual(['app', 'mftsccs'])
  })

  test.each([
    ['DEBUG', ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'ROUTE', 'USER_EVENT']],
    ['INFO', ['INFO', 'WARNING', 'ERROR', 'ROUTE', 'USER_EVENT']],
    ['WARNING', ['WARNING', 'ERROR', 'ROUTE', 'USER_EVENT']],
    ['ERROR', ['ERROR', 'ROUTE', 'USER_EVENT']],
  ] as const)('from the level %s on', async (level, want) => {
    const { url, sent } = await keeper()
    const logger = logging(url, { ...both, check: never })
    expect(logger.level).toBe('INFO')
    logger.level = level
    for (const one of ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'ROUTE', 'USER_EVENT'] as const)
      logger.logApplication(one, 'm')
    await logger.send()
    expect(sent.flatMap(({ logData }) => logData).map((entry) => entry.level)).toEqual(want)
  })

  test('a call, with how it went', async () => {
    const { url, sent } = await keeper()
    const logger = logging(url, { ...both, session: 5, check: never })
    expect(logger.logCall('add', [1, 2], () => 3)).toBe(3)
    expect(await logger.logCall('get', [{ id: 7 }], async () => 'x')).toBe('x')
    const failed = new Error('no')
    const failing = logger.logCall('get', [8], () => Promise.reject(failed))
    await expect(failing).rejects.toBe(failed)
    const throwing = () => {
      throw failed
    }
    expect(() => logger.logCall('set', [], throwing)).toThrow(failed)
    await logger.send()
    const entries = sent.flatMap(({ logData }) => logData)
    expect(entries[0]).toEqual({
      timestamp: expect.any(String),
      level: 'INFO',
      message: 'function called',
      functionName: 'add',
      functionParameters: [1, 2],
      startTime: expect.any(Number),
      responseTime: expect.stringMatching(/^\d+ ms$/),
      requestFrom: 'app.test',
      sessionId: 5,
      applicationId: expect.any(Number),
      serviceWorker: false,
    })
    expect(entries.slice(1)).toMatchObject([
      { level: 'INFO', functionName: 'get', functionParameters: [{ id: 7 }] },
      { level: 'ERROR', functionName: 'get', errorMessage: 'Error: no' },
      { level: 'ERROR', functionName: 'set', errorMessage: 'Error: no' },
    ])
  })

  test('what a client is asked to do, until no more', async () => {
    const { url, sent } = await keeper()
    const weft = open(await startServer())
    const logger = createLogger(weft, { ...both, url, check: never })
    onTestFinished(() => void logger.close())
    const { create } = weft
    const restore = logCalls(weft, logger)
    const { id } = weft.create('the_note', { text: 'a', password: 'hunter2' })
    weft.concept(id)
    weft.setToken('weft_abcdefghijklmnopqrstuvwxyz')
    restore()
    expect(weft.create).toBe(create)
    weft.create('the_note', { text: 'b' })
    await logger.send()
    const text = JSON.stringify(sent.map(({ logData }) => logData))
    expect(sent.flatMap(({ logData }) => logData).map(({ functionName }) => functionName)).toEqual([
      'create',
      'setToken',
    ])
    expect(text).toContain('the_note')
    expect(text).not.toMatch(/hunter2|weft_abc/)
  })
})

describe('when it is sent', () => {
  test('in batches of fifty and of three hundred', async () => {
    const { url, sent } = await keeper()
    const logger = logging(url, { ...both, check: never })
    for (let n = 0; n < 120; n++) logger.logApplication('INFO', `${n}`)
    for (let n = 0; n < 650; n++) logger.log('INFO', `${n}`)
    await logger.send()
    const sizes = (type: string) =>
      sent.filter(({ logType }) => logType === type).map(({ logData }) => logData.length)
    expect(sizes('app')).toEqual([50, 50, 20])
    expect(sizes('mftsccs')).toEqual([300, 300, 50])
    const messages = sent.flatMap(({ logData }) => logData).map(({ message }) => message)
    expect(messages.slice(-120)).toEqual(Array.from({ length: 120 }, (_, n) => `${n}`))
  })

  test('when it is time', async () => {
    const { url, sent } = await keeper()
    const logger = logging(url, { ...both, check: 20, interval: 200 })
    const began = Date.now()
    logger.log('INFO', 'a')
    await expect.poll(() => sent.length).toBe(1)
    expect(Date.now() - began).toBeGreaterThanOrEqual(200)
    await pause(50) // so that it knows that it was taken
    logger.logApplication('WARNING', 'b')
    await expect.poll(() => sent.length).toBe(2)
    expect(Date.now() - began).toBeGreaterThanOrEqual(400)
    await logger.close()
    logger.log('INFO', 'c')
    await pause(300)
    expect(sent).toHaveLength(2)
  })

  test.each(['ERROR', 'ROUTE', 'USER_EVENT'] as const)('at once with a %s', async (level) => {
    const { url, sent } = await keeper()
    const logger = logging(url, { ...both, check: never })
    logger.log('INFO', 'a')
    logger.logApplication('INFO', 'b')
    logger.logApplication(level, 'c')
    await expect.poll(() => sent.length).toBe(2)
    expect(sent.flatMap(({ logData }) => logData).map(({ message }) => message)).toEqual([
      'a',
      'b',
      'c',
    ])
  })

  test('as whoever is signed in, in the session of the client', async () => {
    const { url, sent } = await keeper()
    const logger = logging(url, { ...both, check: never })
    logger.log('ERROR', 'a')
    await logger.send()
    expect(sent[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-session-id': '998',
    })
    expect(sent[0]?.headers).not.toHaveProperty('authorization')
    expect(sent[0]?.logData[0]).toMatchObject({ sessionId: 998 })
    const signed = logging(url, { ...both, session: 1234, check: never }, 'weft_key')
    signed.log('ERROR', 'b')
    await signed.send()
    expect(sent[1]?.headers).toMatchObject({
      authorization: 'Bearer weft_key',
      'x-session-id': '1234',
    })
  })

  test('never as somebody whom it is not about', async () => {
    const { url, sent } = await keeper()
    const client = createClient({ url, storage: 'memory', token: 'of_ann' })
    onTestFinished(() => client.close())
    const logger = createLogger(client, { ...both, check: never })
    onTestFinished(() => logger.close())
    logger.log('INFO', 'by ann')
    client.setToken('of_bob')
    logger.log('INFO', 'by bob')
    await logger.send()
    expect(sent.map(({ logData }) => logData.map(({ message }) => message))).toEqual([
      ['by ann'],
      ['by bob'],
    ])
    expect(sent[0]?.headers).not.toHaveProperty('authorization')
    expect(sent[1]?.headers).toMatchObject({ authorization: 'Bearer of_bob' })
  })
})

describe('when the server does not take it', () => {
  test('it waits, and goes once the server is there again', async () => {
    const server = await startWeft()
    const token = await tokenOf(server.url, 'ann')
    const logger = logging(server.url, { ...both, check: 50, interval: 50, pause: 100 }, token)
    await server.kill()
    logger.log('INFO', 'one')
    logger.logApplication('ERROR', 'two')
    await pause(300)
    logger.logApplication('INFO', 'three')
    await server.start()
    await expect.poll(() => kept(server.url, token, 'app')).toHaveLength(2)
    await expect.poll(() => kept(server.url, token, 'mftsccs')).toHaveLength(1)
    await pause(300)
    expect((await kept(server.url, token, 'app')).map(({ message }) => message)).toEqual([
      'three',
      'two',
    ])
  })

  test('one that keeps no logs is asked, not too often, whether it does by now', async () => {
    const keeps = await keeper()
    const { url, sent, asked } = keeps
    keeps.status = 404
    const logger = logging(url, { ...both, check: 10, interval: 10, pause: 300 })
    logger.log('ERROR', 'a')
    await expect.poll(() => asked.length).toBe(1)
    const [first] = asked as [number]
    await expect.poll(() => asked.length).toBe(2)
    expect((asked[1] as number) - first).toBeGreaterThanOrEqual(790)
    expect(sent).toHaveLength(1)
    keeps.status = 200
    await expect.poll(() => sent.length).toBe(2)
    expect(sent[1]?.logData).toMatchObject([{ message: 'a' }])
  })

  test('one in trouble is not asked whether it is there', async () => {
    const keeps = await keeper()
    keeps.status = 500
    const logger = logging(keeps.url, { ...both, check: 10, interval: 10, pause: 10 })
    logger.log('INFO', 'a')
    await expect.poll(() => keeps.sent.length).toBe(2)
    keeps.status = 200
    await expect.poll(() => keeps.sent.length).toBe(3)
    expect(keeps.asked).toEqual([])
    expect(keeps.sent[2]?.logData).toMatchObject([{ message: 'a' }])
  })

  test('the oldest go when too many wait, and a line says how many', async () => {
    const keeps = await keeper()
    keeps.status = 503
    const logger = logging(keeps.url, { ...both, check: never, most: 100, pause: 0 })
    for (let n = 0; n < 120; n++) logger.logApplication('INFO', `${n}`)
    await logger.send()
    for (let n = 120; n < 130; n++) logger.logApplication('INFO', `${n}`)
    keeps.status = 200
    keeps.sent.length = 0
    await expect
      .poll(async () => {
        await logger.send()
        return keeps.sent.length
      })
      .toBe(3)
    const entries = keeps.sent.flatMap(({ logData }) => logData)
    expect(keeps.sent.map(({ logData }) => logData.length)).toEqual([50, 50, 1])
    expect(entries[0]).toMatchObject({ level: 'WARNING', message: '30 older entries were dropped' })
    expect(entries.slice(1).map(({ message }) => message)).toEqual(
      Array.from({ length: 100 }, (_, n) => `${n + 30}`),
    )
  })

  test('what it refuses for good is not sent again, and a line says how many', async () => {
    const keeps = await keeper()
    keeps.status = 413
    const logger = logging(keeps.url, { ...both, check: never })
    logger.log('INFO', 'a')
    logger.log('INFO', 'b')
    await logger.send()
    keeps.status = 200
    logger.log('INFO', 'c')
    await logger.send()
    expect(keeps.sent[1]?.logData).toMatchObject([
      { message: '2 older entries were dropped' },
      { message: 'c' },
    ])
  })
})

/** A server that keeps what it is sent, as long as its status is 200. */
async function keeper() {
  const keeps = { url: '', status: 200, sent: [] as Sent[], asked: [] as number[] }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    response.statusCode = keeps.status
    if (request.url === '/api/check') keeps.asked.push(Date.now())
    if (request.url === '/api/logger')
      keeps.sent.push({ ...JSON.parse(body), headers: request.headers })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  keeps.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return keeps
}

/** The entries that a server kept of somebody, the newest first. */
async function kept(url: string, token: string, type: string): Promise<Entry[]> {
  const answer = await fetch(`${url}/api/logs?type=${type}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const { data } = (await answer.json()) as { data: { entry: Entry }[] }
  return data.map(({ entry }) => entry)
}

function open(url: string, token?: string): Client {
  const weft = createClient({ url, token, storage: 'memory' })
  onTestFinished(() => weft.close())
  return weft
}

function logging(url: string, options: LoggerOptions, token?: string): Logger {
  const logger = createLogger(open(url, token), options)
  onTestFinished(() => void logger.close())
  return logger
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
