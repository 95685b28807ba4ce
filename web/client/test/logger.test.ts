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

/** The body of a request with log entries, and the headers of the request. */
interface Sent {
  readonly logType: string
  readonly logData: readonly Entry[]
  readonly headers: Readonly<Record<string, unknown>>
}

const bothLogs = { logPackage: true, logApplication: true, application: 'app.test' }
/** An interval that does not elapse during a test. */
const never = 1_000_000

describe('entries', () => {
  test('have the form of their log, and reach the server', async () => {
    const url = await startServer('--attempts', '50')
    const token = await tokenOf(url, 'ann')
    const logger = createTestLogger(url, { ...bothLogs, session: 998 }, token)
    logger.log('INFO', 'boom', { code: 500, data: 'x' })
    logger.logApplication('INFO', 'Route Change', { url: 'http://app.test/x' })
    logger.logEvent('bought', 'a book')
    await logger.flush()
    expect(await storedEntries(url, token, 'mftsccs')).toEqual([
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
    const context = { requestFrom: 'app.test', sessionId: 998 }
    expect(await storedEntries(url, token, 'app')).toMatchObject([
      { level: 'USER_EVENT', message: 'bought', data: { description: 'a book', ...context } },
      {
        level: 'INFO',
        message: 'Route Change',
        data: { url: 'http://app.test/x', ...context },
      },
    ])
  })

  test('are not created and cause no request while the log is disabled', async () => {
    const { url, sent, checks } = await startLogServer()
    const disabled = createTestLogger(url, { checkInterval: 10, sendInterval: 10 })
    disabled.log('ERROR', 'a')
    disabled.logApplication('ERROR', 'b')
    disabled.logEvent('c', 'd')
    expect(disabled.logCall('e', [], () => 5)).toBe(5)
    await disabled.flush()
    await pause(100)
    expect([sent, checks]).toEqual([[], []])

    const applicationOnly = createTestLogger(url, { logApplication: true, checkInterval: never })
    applicationOnly.log('ERROR', 'a')
    applicationOnly.logApplication('ERROR', 'b')
    await applicationOnly.flush()
    expect(sent.map(({ logType }) => logType)).toEqual(['app'])
    const packageOnly = createTestLogger(url, { logPackage: true, checkInterval: never })
    packageOnly.logEvent('c', 'd')
    packageOnly.log('ERROR', 'a')
    await packageOnly.flush()
    expect(sent.map(({ logType }) => logType)).toEqual(['app', 'mftsccs'])
  })

  test.each([
    ['DEBUG', ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'ROUTE', 'USER_EVENT']],
    ['INFO', ['INFO', 'WARNING', 'ERROR', 'ROUTE', 'USER_EVENT']],
    ['WARNING', ['WARNING', 'ERROR', 'ROUTE', 'USER_EVENT']],
    ['ERROR', ['ERROR', 'ROUTE', 'USER_EVENT']],
  ] as const)('are created at the level %s and above', async (level, want) => {
    const { url, sent } = await startLogServer()
    const logger = createTestLogger(url, { ...bothLogs, checkInterval: never })
    expect(logger.level).toBe('INFO')
    logger.level = level
    for (const entryLevel of ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'ROUTE', 'USER_EVENT'] as const)
      logger.logApplication(entryLevel, 'm')
    await logger.flush()
    expect(sent.flatMap(({ logData }) => logData).map((entry) => entry.level)).toEqual(want)
  })

  test('record a call and its outcome', async () => {
    const { url, sent } = await startLogServer()
    const logger = createTestLogger(url, { ...bothLogs, session: 5, checkInterval: never })
    expect(logger.logCall('add', [1, 2], () => 3)).toBe(3)
    expect(await logger.logCall('get', [{ id: 7 }], async () => 'x')).toBe('x')
    const failed = new Error('no')
    const failing = logger.logCall('get', [8], () => Promise.reject(failed))
    await expect(failing).rejects.toBe(failed)
    const throwing = () => {
      throw failed
    }
    expect(() => logger.logCall('set', [], throwing)).toThrow(failed)
    await logger.flush()
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

  test('record the calls of a client until stopped', async () => {
    const { url, sent } = await startLogServer()
    const weft = open(await startServer())
    const logger = createLogger(weft, { ...bothLogs, url, checkInterval: never })
    onTestFinished(() => void logger.close())
    const { create } = weft
    const restore = logCalls(weft, logger)
    const { id } = weft.create('the_note', { text: 'a', password: 'hunter2' })
    weft.concept(id)
    weft.setToken('weft_abcdefghijklmnopqrstuvwxyz')
    restore()
    expect(weft.create).toBe(create)
    weft.create('the_note', { text: 'b' })
    await logger.flush()
    const text = JSON.stringify(sent.map(({ logData }) => logData))
    expect(sent.flatMap(({ logData }) => logData).map(({ functionName }) => functionName)).toEqual([
      'create',
      'setToken',
    ])
    expect(text).toContain('the_note')
    expect(text).not.toMatch(/hunter2|weft_abc/)
  })
})

describe('entries are sent', () => {
  test('in batches of fifty and of three hundred', async () => {
    const { url, sent } = await startLogServer()
    const logger = createTestLogger(url, { ...bothLogs, checkInterval: never })
    for (let n = 0; n < 120; n++) logger.logApplication('INFO', `${n}`)
    for (let n = 0; n < 650; n++) logger.log('INFO', `${n}`)
    await logger.flush()
    const sizes = (type: string) =>
      sent.filter(({ logType }) => logType === type).map(({ logData }) => logData.length)
    expect(sizes('app')).toEqual([50, 50, 20])
    expect(sizes('mftsccs')).toEqual([300, 300, 50])
    const messages = sent.flatMap(({ logData }) => logData).map(({ message }) => message)
    expect(messages.slice(-120)).toEqual(Array.from({ length: 120 }, (_, n) => `${n}`))
  })

  test('when they are due', async () => {
    const { url, sent } = await startLogServer()
    const logger = createTestLogger(url, { ...bothLogs, checkInterval: 20, sendInterval: 200 })
    const began = Date.now()
    logger.log('INFO', 'a')
    await expect.poll(() => sent.length).toBe(1)
    expect(Date.now() - began).toBeGreaterThanOrEqual(200)
    await pause(50) // The response must have arrived.
    logger.logApplication('WARNING', 'b')
    await expect.poll(() => sent.length).toBe(2)
    expect(Date.now() - began).toBeGreaterThanOrEqual(400)
    await logger.close()
    logger.log('INFO', 'c')
    await pause(300)
    expect(sent).toHaveLength(2)
  })

  test.each(['ERROR', 'ROUTE', 'USER_EVENT'] as const)('immediately with a %s', async (level) => {
    const { url, sent } = await startLogServer()
    const logger = createTestLogger(url, { ...bothLogs, checkInterval: never })
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

  test('as the current user, in the session of the client', async () => {
    const { url, sent } = await startLogServer()
    const logger = createTestLogger(url, { ...bothLogs, checkInterval: never })
    logger.log('ERROR', 'a')
    await logger.flush()
    expect(sent[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-session-id': '998',
    })
    expect(sent[0]?.headers).not.toHaveProperty('authorization')
    expect(sent[0]?.logData[0]).toMatchObject({ sessionId: 998 })
    const authenticated = createTestLogger(
      url,
      { ...bothLogs, session: 1234, checkInterval: never },
      'weft_key',
    )
    authenticated.log('ERROR', 'b')
    await authenticated.flush()
    expect(sent[1]?.headers).toMatchObject({
      authorization: 'Bearer weft_key',
      'x-session-id': '1234',
    })
  })

  test('never with the token of another user', async () => {
    const { url, sent } = await startLogServer()
    const client = createClient({ url, storage: 'memory', token: 'of_ann' })
    onTestFinished(() => client.close())
    const logger = createLogger(client, { ...bothLogs, checkInterval: never })
    onTestFinished(() => logger.close())
    logger.log('INFO', 'by ann')
    client.setToken('of_bob')
    logger.log('INFO', 'by bob')
    await logger.flush()
    expect(sent.map(({ logData }) => logData.map(({ message }) => message))).toEqual([
      ['by ann'],
      ['by bob'],
    ])
    expect(sent[0]?.headers).not.toHaveProperty('authorization')
    expect(sent[1]?.headers).toMatchObject({ authorization: 'Bearer of_bob' })
  })
})

describe('when the server does not accept entries', () => {
  test('they stay queued, and are sent as soon as the server is back', async () => {
    const server = await startWeft()
    const token = await tokenOf(server.url, 'ann')
    const logger = createTestLogger(
      server.url,
      { ...bothLogs, checkInterval: 50, sendInterval: 50, retryDelay: 100 },
      token,
    )
    await server.kill()
    logger.log('INFO', 'one')
    logger.logApplication('ERROR', 'two')
    await pause(300)
    logger.logApplication('INFO', 'three')
    await server.start()
    await expect.poll(() => storedEntries(server.url, token, 'app')).toHaveLength(2)
    await expect.poll(() => storedEntries(server.url, token, 'mftsccs')).toHaveLength(1)
    await pause(300)
    expect((await storedEntries(server.url, token, 'app')).map(({ message }) => message)).toEqual([
      'three',
      'two',
    ])
  })

  test('a server that collects no logs is checked again after a delay', async () => {
    const logServer = await startLogServer()
    const { url, sent, checks } = logServer
    logServer.status = 404
    const logger = createTestLogger(url, {
      ...bothLogs,
      checkInterval: 10,
      sendInterval: 10,
      retryDelay: 300,
    })
    logger.log('ERROR', 'a')
    await expect.poll(() => checks.length).toBe(1)
    const [first] = checks as [number]
    await expect.poll(() => checks.length).toBe(2)
    expect((checks[1] as number) - first).toBeGreaterThanOrEqual(790)
    expect(sent).toHaveLength(1)
    logServer.status = 200
    await expect.poll(() => sent.length).toBe(2)
    expect(sent[1]?.logData).toMatchObject([{ message: 'a' }])
  })

  test('a failing server is retried without a check', async () => {
    const logServer = await startLogServer()
    logServer.status = 500
    const logger = createTestLogger(logServer.url, {
      ...bothLogs,
      checkInterval: 10,
      sendInterval: 10,
      retryDelay: 10,
    })
    logger.log('INFO', 'a')
    await expect.poll(() => logServer.sent.length).toBe(2)
    logServer.status = 200
    await expect.poll(() => logServer.sent.length).toBe(3)
    expect(logServer.checks).toEqual([])
    expect(logServer.sent[2]?.logData).toMatchObject([{ message: 'a' }])
  })

  test('the oldest entries above the maximum are dropped, and a note counts them', async () => {
    const logServer = await startLogServer()
    logServer.status = 503
    const logger = createTestLogger(logServer.url, {
      ...bothLogs,
      checkInterval: never,
      maxEntries: 100,
      retryDelay: 0,
    })
    for (let n = 0; n < 120; n++) logger.logApplication('INFO', `${n}`)
    await logger.flush()
    for (let n = 120; n < 130; n++) logger.logApplication('INFO', `${n}`)
    logServer.status = 200
    logServer.sent.length = 0
    await expect
      .poll(async () => {
        await logger.flush()
        return logServer.sent.length
      })
      .toBe(3)
    const entries = logServer.sent.flatMap(({ logData }) => logData)
    expect(logServer.sent.map(({ logData }) => logData.length)).toEqual([50, 50, 1])
    expect(entries[0]).toMatchObject({ level: 'WARNING', message: '30 older entries were dropped' })
    expect(entries.slice(1).map(({ message }) => message)).toEqual(
      Array.from({ length: 100 }, (_, n) => `${n + 30}`),
    )
  })

  test('rejected entries are dropped, and a note counts them', async () => {
    const logServer = await startLogServer()
    logServer.status = 413
    const logger = createTestLogger(logServer.url, { ...bothLogs, checkInterval: never })
    logger.log('INFO', 'a')
    logger.log('INFO', 'b')
    await logger.flush()
    logServer.status = 200
    logger.log('INFO', 'c')
    await logger.flush()
    expect(logServer.sent[1]?.logData).toMatchObject([
      { message: '2 older entries were dropped' },
      { message: 'c' },
    ])
  })
})

/** Starts a server that records the logs it receives and the times of its checks, and responds with its `status`. */
async function startLogServer() {
  const logServer = { url: '', status: 200, sent: [] as Sent[], checks: [] as number[] }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    response.statusCode = logServer.status
    if (request.url === '/api/check') logServer.checks.push(Date.now())
    if (request.url === '/api/logger')
      logServer.sent.push({ ...JSON.parse(body), headers: request.headers })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  logServer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return logServer
}

/** Reads a user's entries of one log from the server, newest first. */
async function storedEntries(url: string, token: string, type: string): Promise<Entry[]> {
  const response = await fetch(`${url}/api/logs?type=${type}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const { data } = (await response.json()) as { data: { entry: Entry }[] }
  return data.map(({ entry }) => entry)
}

function open(url: string, token?: string): Client {
  const weft = createClient({ url, token, storage: 'memory' })
  onTestFinished(() => weft.close())
  return weft
}

function createTestLogger(url: string, options: LoggerOptions, token?: string): Logger {
  const logger = createLogger(open(url, token), options)
  onTestFinished(() => void logger.close())
  return logger
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
