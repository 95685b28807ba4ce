import { describe, expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { userOf } from '../src/wire/token.ts'
import { complete, type Row, watch } from './notes.ts'
import { countAnswers, open, until } from './open.ts'
import { startServer, tokenOf } from './server.ts'

describe('who is signed in', () => {
  test('a write that needs a token waits for one, and says so', async () => {
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
    const requests = countAnswers()
    weft.create('the_note', { text: 'still me' })
    weft.setToken('nonsense')
    await until(() => weft.sync.get().needsToken)
    expect(requests('/api/v1/local-concepts')).toBe(1)
    expect(weft.sync.get().pending).toBe(2)
  })

  test('the next write tries again where a token was needed', async () => {
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

  test('who signs out takes along what they alone may see, and what they wrote waits for them', async () => {
    const server = await startWeft()
    const [ann, again, bob] = await Promise.all([
      tokenOf(server.url, 'ann'),
      tokenOf(server.url, 'ann'),
      tokenOf(server.url, 'bob'),
    ])
    const weft = open(server.url, ann)
    const query = weft.query<Row>({ type: 'the_note', selectors: ['self'] })
    const texts = watch(query)
    const { id, synced } = weft.create('the_note', { text: 'mine' })
    const real = await synced
    await until(() => complete(query.get()) && texts().length === 1)
    weft.setToken(again)
    expect(texts()).toEqual(['mine'])
    await until(() => complete(query.get()))

    await server.kill()
    const edit = weft.update(id, { text: 'edited' })
    const waits = weft.create('the_note', { text: 'waits' })
    await Promise.all([edit.saved, waits.saved])
    expect(texts()).toEqual(['waits', 'edited'])
    weft.setToken(bob)
    expect(texts()).toEqual([])
    for (const gone of [weft.record(id), weft.concept(real), weft.record(waits.id)])
      expect(gone).toBeUndefined()
    expect(weft.sync.get()).toMatchObject({ pending: 0, failed: [] })
    await server.start()
    const { synced: theirs } = weft.create('the_note', { text: 'theirs' })
    await theirs
    await until(() => complete(query.get()) && texts().length === 1)
    expect(texts()).toEqual(['theirs'])

    weft.setToken(ann)
    expect(texts()).toEqual(['waits'])
    await Promise.all([edit.synced, waits.synced])
    await until(() => complete(query.get()) && texts().length === 2)
    expect(texts()).toEqual(['waits', 'edited'])
    expect(await open(server.url, bob).get(await waits.synced)).toBeUndefined()
    expect(await open(server.url, ann).load(real)).toEqual({ text: 'edited' })
  })

  test('an answer that was for somebody else is not shown', async () => {
    const url = await startServer('--anonymous-writes')
    const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
    await open(url, ann).create('the_note', { text: 'mine' }).synced
    const weft = open(url, ann)
    const query = weft.query<Row>({ type: 'the_note', selectors: ['self'] })
    const texts = watch(query)
    const shown: string[] = []
    onTestFinished(query.subscribe(() => shown.push(query.get().status, ...texts())))
    const late = weft.query<Row>({ type: 'the_note', selectors: ['self'], pageSize: 5 })
    const seen = watch(late)
    weft.setToken(bob)
    await until(() => complete(query.get()) && complete(late.get()))
    expect([texts(), seen()]).toEqual([[], []])
    expect(shown).not.toContain('mine')
    expect(shown).not.toContain('error')
  })

  test('a write on its way when somebody signs in is made once, and one of somebody who goes is done when they are back', async () => {
    const url = await startServer('--anonymous-writes')
    const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
    const requests = countAnswers()
    const sync = '/api/v1/local-concepts'
    const weft = open(url)
    await weft.ready
    const first = weft.create('the_note', { text: 'nobody’s' })
    during(sync, () => weft.setToken(ann))
    await first.synced
    expect(weft.user).toBeDefined()
    expect(weft.record(first.id)).toEqual({ text: 'nobody’s' })

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

  test('what was missing, refused or shown for one user says nothing to the next', async () => {
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
    await until(() => complete(query.get()) && texts().length === 1)
    // The same user by a token that is no good: what was seen stays, beside the refusal.
    weft.setToken(`${ann}x`)
    await until(() => query.get().status === 'error')
    expect(query.get()).toMatchObject({ data: [{ id: real }] })
    weft.setToken(undefined)
    expect(JSON.stringify(query.get())).not.toContain('mine')
    expect(weft.find('the_text', 'mine')).toBeUndefined()
  })

  test('a token tells whose it is, and one that does not, another from all others', () => {
    const token = (payload: object) =>
      `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.x`
    // These are written with - and _, which are letters only there.
    const [ann, bob] = [
      token({ aud: '??>>~~??>>', sub: '7' }),
      token({ aud: '~~>>??>>~~', sub: '8' }),
    ]
    expect(ann).toMatch(/[-_]/)
    expect([ann, bob, undefined, ''].map(userOf)).toEqual(['7', '8', undefined, undefined])
    const keys = ['weft_0123456789abcdefA', 'weft_0123456789abcdefB'].map(userOf)
    expect(new Set(keys).size).toBe(2)
    expect(keys.join()).not.toContain('0123')
  })
})

/** Does work once, while a request to a path is on its way. */
function during(path: string, work: () => void): void {
  const real = globalThis.fetch
  globalThis.fetch = (input, init) => {
    const answer = real(input, init)
    if (new URL(String(input)).pathname === path) {
      globalThis.fetch = real
      queueMicrotask(work)
    }
    return answer
  }
}
