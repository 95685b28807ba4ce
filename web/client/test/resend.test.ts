import { expect, test } from 'vitest'
import { countNotes } from './count-notes.ts'
import { open } from './open.ts'
import { type Responder, respondWith, startProxy } from './proxy.ts'
import { startServer } from './server.ts'

const sync = '/api/v1/local-concepts'
const page = '<!doctype html><title>Oh no</title>'

/** Failures after which the server may or may not have stored the write. */
const failures: Record<string, Responder> = {
  'a proxy that gives up (502)': respondWith(502, page),
  'a server that is too busy (503)': respondWith(503, { kind: 'unavailable', message: 'busy' }),
  'a server that fails (500)': respondWith(500, { kind: 'internal', message: 'oh no' }),
  'a server that timed out (408)': respondWith(408, ''),
  'too many requests (429)': respondWith(429, { kind: 'tooMany', message: 'slowly' }),
  'an HTML page (200)': respondWith(200, page),
  'an HTML page (404)': respondWith(404, page),
  'an empty JSON object': respondWith(200, {}),
  'unrelated JSON': respondWith(200, ['hello']),
  'a connection that breaks before the request arrives': (response) => response.destroy(),
  'a connection that breaks before the response': async (response, forward) => {
    await forward()
    response.destroy()
  },
  'half a response with the full Content-Length': async (response, forward) => {
    const { text } = await forward()
    response.writeHead(200, { 'Content-Length': String(text.length) })
    response.write(text.slice(0, text.length / 2), () => response.destroy())
  },
  'half a response without a Content-Length': async (response, forward) => {
    const { text } = await forward()
    response.end(text.slice(0, text.length / 2))
  },
}
test.each(Object.entries(failures))(
  'a write is sent again after %s, and created once',
  async (_, responder) => {
    const server = await startServer()
    const proxy = await startProxy(server)
    const weft = open(proxy.url)
    proxy.next(sync, responder)
    const write = weft.create('the_note', { text: 'once' })
    const real = await write.synced
    expect(real).toBeGreaterThan(0)
    expect(proxy.requests(sync)).toHaveLength(2)
    const [first, second] = proxy.requests(sync).map((s) => JSON.parse(s.body))
    expect(second).toMatchObject(first)
    expect(weft.record(write.id)).toEqual({ text: 'once' })
    expect(weft.sync.get()).toMatchObject({ pending: 0, failed: [], needsToken: false })
    expect(await countNotes(server)).toBe(1)
  },
)
