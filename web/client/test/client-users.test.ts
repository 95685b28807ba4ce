import { describe, expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { internalsOf } from '../src/internals.ts'
import { userFromToken } from '../src/wire/token.ts'
import { isComplete, type Row, watch } from './notes.ts'
import { countResponses, open, until } from './open.ts'
import { startServer, tokenOf } from './server.ts'

describe('signing in and out', () => {
  test('a write that needs a token waits for it, and the status says so', async () => {
    const weft = open(await startServer('--max-body', '4000'))
    const { id } = weft.create('the_note', { text: 'who am I' })
    await until(() => weft.sync.get().needsToken)
    expect(weft.sync.get()).toMatchObject({
      pending: 1,
      failed: [],
      state: 'syncing',
      online: true,
    })
    expect(weft.pending(id)).toBe('pending')
    const responses = countResponses()
    // Writes that wait for a token are sent once more when the store becomes known.
    await internalsOf(weft).http.checkHealth()
    await until(() => responses('/api/v1/local-concepts') === 1)
    weft.create('the_note', { text: 'still me' })
    weft.setToken('nonsense')
    await until(() => weft.sync.get().needsToken)
    expect(responses('/api/v1/local-concepts')).toBe(2)
    expect(weft.sync.get().pending).toBe(2)
  })

  test('the next write retries after a token was required', async () => {
    const server = await startWeft()
    await server.kill()
    await server.start([])
    const weft = open(server.url)
    const first = weft.create('the_note', { text: 'who am I' })
    await until(() => weft.sync.get().needsToken)
    await server.kill()
    await server.start()
    await weft.create('the_note', { text: 'still me' }).synced
    await first.synced
    expect(weft.sync.get()).toMatchObject({ needsToken: false, pending: 0, failed: [] })
  })

  test('a client with a refused token finds the server again after an outage', async () => {
    const server = await startWeft()
    const weft = open(server.url, 'nonsense')
    await server.kill()
    weft.create('the_note', { text: 'mine' })
    await until(() => !weft.sync.get().online)
    await server.start([])
    await until(() => weft.sync.get().needsToken)
    expect(weft.sync.get()).toMatchObject({ online: true, pending: 1, failed: [] })
  })

  test('signing out hides private data and the pending writes of the user; signing in again shows them', async () => {
    const server = await startWeft()
    const [ann, renewed, bob] = await Promise.all([
      tokenOf(server.url, 'ann'),
      tokenOf(server.url, 'ann'),
      tokenOf(server.url, 'bob'),
    ])
    const weft = open(server.url, ann)
    const query = weft.query<Row>({ type: 'the_note', selectors: ['self'] })
    const texts = watch(query)
    const { id, synced } = weft.create('the_note', { text: 'mine' })
    const real = await synced
    await until(() => isComplete(query.get()) && texts().length === 1)
    weft.setToken(renewed)
    expect(texts()).toEqual(['mine'])
    await until(() => isComplete(query.get()))

    await server.kill()
    const edit = weft.update(id, { text: 'edited' })
    const unsent = weft.create('the_note', { text: 'unsent' })
    await Promise.all([edit.saved, unsent.saved])
    expect(texts()).toEqual(['unsent', 'edited'])
    weft.setToken(bob)
    expect(texts()).toEqual([])
    for (const hidden of [weft.record(id), weft.concept(real), weft.record(unsent.id)])
      expect(hidden).toBeUndefined()
    expect(weft.sync.get()).toMatchObject({ pending: 0, failed: [] })
    await server.start()
    const { synced: theirs } = weft.create('the_note', { text: 'theirs' })
    await theirs
    await until(() => isComplete(query.get()) && texts().length === 1)
    expect(texts()).toEqual(['theirs'])

    weft.setToken(ann)
    expect(texts()).toEqual(['unsent'])
    await Promise.all([edit.synced, unsent.synced])
    await until(() => isComplete(query.get()) && texts().length === 2)
    expect(texts()).toEqual(['unsent', 'edited'])
    expect(await open(server.url, bob).get(await unsent.synced)).toBeUndefined()
    expect(await open(server.url, ann).load(real)).toEqual({ text: 'edited' })
  })

  test('a response to a request of the previous user is not shown', async () => {
    const url = await startServer('--anonymous-writes')
    const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
    await open(url, ann).create('the_note', { text: 'mine' }).synced
    const weft = open(url, ann)
    const query = weft.query<Row>({ type: 'the_note', selectors: ['self'] })
    const texts = watch(query)
    const shown: string[] = []
    onTestFinished(query.subscribe(() => shown.push(query.get().status, ...texts())))
    const lateQuery = weft.query<Row>({ type: 'the_note', selectors: ['self'], pageSize: 5 })
    const lateTexts = watch(lateQuery)
    weft.setToken(bob)
    await until(() => isComplete(query.get()) && isComplete(lateQuery.get()))
    expect([texts(), lateTexts()]).toEqual([[], []])
    expect(shown).not.toContain('mine')
    expect(shown).not.toContain('error')
  })

  test('a write in flight during a sign-in is applied once, and the write of a signed-out user is sent when that user returns', async () => {
    const url = await startServer('--anonymous-writes')
    const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
    const requests = countResponses()
    const sync = '/api/v1/local-concepts'
    const weft = open(url)
    await weft.ready
    const first = weft.create('the_note', { text: 'a guest’s' })
    during(sync, () => weft.setToken(ann))
    await first.synced
    expect(weft.user).toBeDefined()
    expect(weft.record(first.id)).toEqual({ text: 'a guest’s' })

    const second = weft.create('the_note', { text: 'mine' })
    let edit = second
    during(sync, () => {
      edit = weft.update(second.id, { done: true })
      weft.setToken(bob)
    })
    const real = await second.synced
    expect(weft.find('the_text', 'mine')).toBeUndefined()
    expect(weft.concept(real)).toBeUndefined()
    expect(weft.sync.get()).toMatchObject({ pending: 0, failed: [], needsToken: false })
    weft.setToken(ann)
    await edit.synced
    expect(requests(sync)).toBe(3)
    expect(await open(url, ann).load(real)).toEqual({ text: 'mine', done: 'true' })
  })

  test('absent ids, refusals and answers of one user do not affect the next', async () => {
    const server = await startWeft()
    const [ann, bob] = await Promise.all([tokenOf(server.url, 'ann'), tokenOf(server.url, 'bob')])
    const own = open(server.url, ann)
    const real = await own.create('the_note', { text: 'mine' }).synced
    const weft = open(server.url, bob)
    expect(await weft.get(real)).toBeUndefined()
    weft.setToken(ann)
    expect((await weft.get(real))?.id).toBe(real)

    const query = weft.query<Row>({ type: 'the_note', selectors: ['self'], pageSize: 5 })
    const texts = watch(query)
    await until(() => isComplete(query.get()) && texts().length === 1)
    // The same user with an invalid token: the data remains, and the error is reported.
    weft.setToken(`${ann}x`)
    await until(() => query.get().status === 'error')
    expect(query.get()).toMatchObject({ data: [{ id: real }] })
    weft.setToken(undefined)
    expect(JSON.stringify(query.get())).not.toContain('mine')
    expect(weft.find('the_text', 'mine')).toBeUndefined()
  })

  test('the user is read from a token; each opaque token counts as a different user', () => {
    const token = (payload: object) =>
      `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.x`
    // The base64url alphabet has - and _ where base64 has + and /.
    const [ann, bob] = [
      token({ aud: '??>>~~??>>', sub: '7' }),
      token({ aud: '~~>>??>>~~', sub: '8' }),
    ]
    expect(ann).toMatch(/[-_]/)
    expect([ann, bob, undefined, ''].map(userFromToken)).toEqual(['7', '8', undefined, undefined])
    const keys = ['weft_0123456789abcdefA', 'weft_0123456789abcdefB'].map(userFromToken)
    expect(new Set(keys).size).toBe(2)
    expect(keys.join()).not.toContain('0123')
  })
})

/** Calls `work` once, while the next request to a path is in flight. */
function during(path: string, work: () => void): void {
  const originalFetch = globalThis.fetch
  globalThis.fetch = (input, init) => {
    const response = originalFetch(input, init)
    if (new URL(String(input)).pathname === path) {
      globalThis.fetch = originalFetch
      queueMicrotask(work)
    }
    return response
  }
}
