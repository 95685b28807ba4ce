import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { messages, openPage, watch } from './monitor.ts'

/** A port without a listener. */
const nowhere = 'http://127.0.0.1:9'

test('failed requests are logged once and fail unchanged', async () => {
  const { page, app, entries } = await openPage()
  const before = await failures()
  await watch(page)
  expect(await failures()).toEqual(before)
  expect(before).toEqual([
    ['TypeError', 'Failed to fetch', true],
    ['AbortError', expect.any(String), true],
    ['AbortError', expect.any(String), true],
    ['TypeError', expect.stringContaining('Failed to parse URL'), true],
  ])
  const all = (await entries()).sort(
    (x, y) => `${y.data.request?.url}`.length - `${x.data.request?.url}`.length,
  )
  expect(all).toHaveLength(2)
  expect(all[1]).toMatchObject({ level: 'ERROR', data: { request: { url: 'http://' } } })
  expect(all[0]).toMatchObject({
    level: 'ERROR',
    message: 'Failed Network Request',
    data: {
      request: {
        type: 'REQUEST',
        method: 'POST',
        url: `${nowhere}/x?token=[redacted]`,
        body: '{"email":"[redacted]","password":"[redacted]"}',
      },
      response: {
        type: 'ERROR',
        message: 'Network Request Failed',
        error: { message: 'Failed to fetch' },
      },
    },
  })
  await page.evaluate(async () => {
    const found = await fetch('/there')
    const missing = await fetch(new Request('/missing?x=1', { method: 'PUT', body: 'hunter2' }))
    window.observed = [found.ok, missing.status]
  })
  expect(await page.evaluate(() => window.observed)).toEqual([true, 404])
  expect((await entries()).slice(2)).toMatchObject([
    {
      level: 'WARNING',
      message: 'Failed Network Request',
      data: {
        request: { method: 'PUT', url: `${app.url}/missing?x=1` },
        response: { type: 'ERROR', status: 404, message: 'Status 404 Not Found' },
      },
    },
  ])

  /** Returns the errors of four requests: one without a response, two aborted ones, and one with a malformed URL. */
  function failures() {
    return page.evaluate(async (nowhere) => {
      const body = '{"email":"a@b.co","password":"hunter2"}'
      const reason = new DOMException('enough', 'AbortError')
      const requests = [
        fetch(`${nowhere}/x?token=hunter2`, { method: 'POST', body }),
        fetch('/there', { signal: AbortSignal.abort(reason) }),
        fetch(new Request('/there', { signal: AbortSignal.abort(reason) })),
        fetch('http://'),
      ].map((request) =>
        request.then(
          () => ['ok'],
          (e: Error) => [e.name, e.message, e instanceof TypeError || e === reason],
        ),
      )
      return Promise.all(requests)
    }, nowhere)
  }
})

test('requests of the logger, the tracker and prefetching are not logged', async () => {
  const { page, app, entries } = await openPage()
  await page.evaluate((url) => {
    const { logger } = window.watched
    window.unwatch = window.watched.startMonitor(
      { ...logger, url: `${url}/behind` },
      { initialDelay: 1_000_000, ignorePaths: ['/quiet/'] },
    )
  }, app.url)
  await page.evaluate(async () => {
    const paths = [
      '/api/logger?x=1',
      '//api/logger',
      '/api/check',
      '/api/v1/access-tracker/sync-access-tracker',
      '/api/v1/access-tracker/list-concepts-file?top=3',
      '/api/get_all_connections_of_user?inpage=500',
      '/api/get-preloaded-concepts',
      '/quiet/anything',
      '/behind/api/logger',
      '/loud/anything',
    ]
    await Promise.all(paths.map((path) => fetch(location.origin + path)))
  })
  const logged = (await entries()).map(({ data }) => new URL(data.request?.url ?? '').pathname)
  expect(logged).toEqual(['/loud/anything'])
})

test('WebSockets are logged when they open, fail and close, and work unchanged', async () => {
  const { page, entries } = await openPage()
  const url = await startSocketServer()
  await page.evaluate(() => {
    window.observed = [WebSocket]
  })
  await watch(page)
  const same = await page.evaluate(
    async ([url, nowhere]) => {
      const [original] = window.observed as [typeof WebSocket]
      const before = new original(url)
      const socket = new WebSocket(`${url}?token=hunter2`)
      const greeting = new Promise((resolve) => {
        socket.onmessage = ({ data }) => resolve(data)
      })
      const same = [
        socket instanceof WebSocket,
        socket instanceof original,
        before instanceof WebSocket,
        WebSocket.OPEN === 1,
        await greeting,
      ]
      await closed(socket)
      await closed(new WebSocket(nowhere))
      return same

      function closed(socket: WebSocket) {
        return new Promise((resolve) => {
          socket.addEventListener('close', resolve)
          if (socket.readyState < 2 && socket.url.startsWith(url)) socket.close(1000, 'enough')
        })
      }
    },
    [url, nowhere.replace('http', 'ws')] as const,
  )
  expect(same).toEqual([true, true, true, true, 'hello'])
  const all = await entries()
  expect(messages(all)).toEqual([
    'WebSocket Open',
    'WebSocket Close',
    'WebSocket Error',
    'WebSocket Close',
  ])
  expect(all.map(({ level }) => level)).toEqual(['INFO', 'INFO', 'ERROR', 'INFO'])
  expect(all[0]?.data).toMatchObject({ url: `${url}/?token=[redacted]` })
  expect(all[3]?.data).toMatchObject({ code: 1006, wasClean: false })
})

/** Starts a WebSocket server that sends a greeting and closes with the client. Returns its address. */
async function startSocketServer(): Promise<string> {
  const server = createServer()
  const open = new Set<Duplex>()
  server.on('upgrade', (request, socket) => {
    open.add(socket)
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    socket.write(Buffer.from('\x81\x05hello', 'latin1'))
    socket.once('data', () => socket.end(Buffer.from('\x88\x00', 'latin1')))
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
}
