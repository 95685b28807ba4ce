import { describe, expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { isComplete, type Row, rows, watch } from './notes.ts'
import { countResponses, offlineClient, open, until } from './open.ts'
import { startServer } from './server.ts'

test('realId returns the id of the server once a record is synced', async () => {
  const weft = open(await startServer())
  const { id, synced } = weft.create('the_note', { text: 'Weave' })
  expect(weft.realId(id)).toBeUndefined()
  const real = await synced
  expect([id, real, -987_654_321].map((id) => weft.realId(id))).toEqual([real, real, undefined])
})

test('a client that is closed while it loads code does not call its subscribers later', async () => {
  const called: string[] = []
  for (const name of ['closed', 'open']) {
    const weft = offlineClient()
    weft.onRemoteChange(100, () => called.push(name))
    weft.setToken('a token')
    if (name === 'closed') weft.close()
  }
  await until(() => called.includes('open'))
  expect(called).toEqual(['open'])
})

describe('a client and the real server', () => {
  test('immediately shows a new record, syncs it, and keeps its local id', async () => {
    const url = await startServer()
    const weft = open(url)
    const write = weft.create('the_note', {
      text: 'hi',
      done: false,
      tags: ['b', 'a'],
      at: { x: 1 },
    })
    const fields = { text: 'hi', done: 'false', tags: ['b', 'a'], at: { x: '1' } }
    expect(write.id).toBeLessThan(0)
    expect(weft.record(write.id)).toEqual(fields)
    expect(weft.pending(write.id)).toBe('pending')

    const before = weft.record(write.id)
    const real = await write.synced
    expect(real).toBeGreaterThan(0)
    expect(weft.pending(write.id)).toBeUndefined()
    expect(weft.record(write.id)).toBe(before)
    expect(weft.record(real)).toBe(before)
    expect(weft.concept(real)).toBe(weft.concept(write.id))
    expect(await open(url).load(real)).toEqual(fields)
  })

  test.each([undefined, null, Number.NaN, 0, '12', {}])(
    'refuses to remove %s, which is not an id',
    (value) => {
      const weft = open('http://127.0.0.1:1')
      const remove = () => weft.remove(value as unknown as number)
      const refusal = `an id is a number, not ${JSON.stringify(value)}`
      expect(remove).toThrow(expect.objectContaining({ kind: 'invalid', message: refusal }))
      expect(weft.sync.writes()).toEqual([])
    },
  )

  test('a write to an unknown local id fails visibly and does not block other writes', async () => {
    const weft = open(await startServer())
    const { key } = weft.remove(-7)
    await weft.create('the_note', { text: 'after it' }).synced
    await expect
      .poll(() => weft.sync.get().failed)
      .toMatchObject([{ key, error: { kind: 'notFound' } }])
    expect(weft.sync.get().pending).toBe(0)
  })

  test('update replaces only the named fields, even before the record is synced', async () => {
    const url = await startServer()
    const weft = open(url)
    const { id } = weft.create('the_note', { text: 'one', done: 'false', at: { x: '1', y: '2' } })
    weft.update(id, { text: 'two' })
    const real = await weft.update(id, { at: { x: '3' }, text: 'three' }).synced
    const expected = { text: 'three', done: 'false', at: { x: '3' } }
    expect(weft.record(id)).toEqual(expected)
    expect(await open(url).load(real)).toEqual(expected)
  })

  test('a removed record disappears immediately from the page, and from the server after the sync', async () => {
    const url = await startServer()
    const weft = open(url)
    const { id, synced } = weft.create('the_note', { text: 'bye' })
    const real = await synced
    const removal = weft.remove(id)
    expect(weft.concept(id)).toBeUndefined()
    expect(weft.record(real)).toBeUndefined()
    await removal.synced
    expect(await weft.get(real)).toBeUndefined()
    expect(await open(url).get(real)).toBeUndefined()
  })

  test('fetches all missing ids of one tick in one request, and does not request absent ids again', async () => {
    const url = await startServer()
    const ids = await Promise.all(
      [1, 2, 3].map((n) => open(url).create('the_note', { text: `n${n}` }).synced),
    )
    const requests = countResponses()
    const weft = open(url)
    const found = await Promise.all([...ids, ...ids, 77_777_777].map((id) => weft.get(id)))
    expect(found.map((c) => c?.id)).toEqual([...ids, ...ids, undefined])
    expect(await weft.get(77_777_777)).toBeUndefined()
    expect(requests('/api/get_concept_bulk')).toBe(1)
  })

  test('a live query immediately shows writes, keeps the objects of unchanged rows, and follows changes by others', async () => {
    const url = await startServer()
    const [weft, other] = [open(url), open(url)]
    const query = weft.query<Row>({ type: 'the_note', selectors: ['self'] }, { format: 'DATAID' })
    const texts = watch(query)
    await until(() => query.get().status === 'ready' && isComplete(query.get()))
    expect(texts()).toEqual([])

    const { id, synced } = weft.create('the_note', { text: 'mine' })
    await Promise.resolve()
    expect(texts()).toEqual(['mine'])
    await synced
    const theirs = await other.create('the_note', { text: 'theirs' }).synced
    await query.refresh()
    await until(() => texts().length === 2)
    expect(texts()).toEqual(['theirs', 'mine'])
    expect(rows(query.get())[1]?.id).toBe(id)

    const row = rows(query.get())[1]
    weft.update(theirs, { text: 'edited' })
    await Promise.resolve()
    expect(texts()).toEqual(['edited', 'mine'])
    expect(rows(query.get())[1]).toBe(row)

    await weft.remove(id).synced
    expect(texts()).toEqual(['edited'])
    await query.refresh()
    expect(texts()).toEqual(['edited'])
  })

  test('ids of one store are never sent to another store, even if no event announced the new store', async () => {
    const server = await startWeft()
    const requests = countResponses()
    const weft = open(server.url)
    const old = weft.create('the_note', { text: 'old' })
    await old.synced
    // A page requests the identity of the store after the first response.
    await until(() => requests('/api/health') === 1)
    await server.kill()
    server.empty()
    await server.start()
    const other = open(server.url)
    const theirs = await other.create('the_note', { text: 'theirs' }).synced
    expect(theirs).toBe(await old.synced)

    weft.update(old.id, { text: 'edited' })
    const { id, synced } = weft.create('the_note', { text: 'new' })
    await synced
    const [failed] = weft.sync.get().failed
    expect(failed).toMatchObject({ id: 0, kind: 'update' })
    expect(failed?.error?.message).toContain('the server no longer has')
    expect(weft.record(old.id)).toBeUndefined()
    expect(weft.record(id)).toEqual({ text: 'new' })
    expect(await weft.load(theirs)).toEqual({ text: 'theirs' })
    expect(await other.load(await synced)).toEqual({ text: 'new' })
    await weft.sync.discard(failed?.key ?? '')
    expect(weft.sync.get()).toMatchObject({ state: 'idle', failed: [] })
  })

  test('writes that depend on a refused write wait for it, and are discarded with it', async () => {
    const weft = open(await startServer('--anonymous-writes', '--max-body', '4000'))
    const { id, key, synced } = weft.create('the_note', { text: 'x'.repeat(5000) })
    const edit = weft.update(id, { done: 'true' })
    const other = weft.create('the_note', { text: 'apart' })
    await other.synced
    expect(weft.sync.writes().map((w) => [w.kind, w.state])).toEqual([
      ['create', 'failed'],
      ['update', 'pending'],
    ])
    await expect(synced).rejects.toThrow('4000')
    await weft.sync.discard(key)
    await expect(edit.synced).rejects.toThrow('discarded')
    expect(weft.record(id)).toBeUndefined()
    expect(weft.sync.writes()).toEqual([])
  })

  test('immediately refuses a malformed type name', async () => {
    const weft = open(await startServer())
    for (const type of ['', ' ', 'the note', 'the_note\n', '\u0007'])
      expect(() => weft.create(type, { text: 'hi' })).toThrow('a type name is a string')
    expect(weft.sync.writes()).toEqual([])
  })

  test('a listener that throws does not stop the other listeners from being called', async () => {
    const weft = open(await startServer())
    const { id } = weft.create('the_note', { text: 'a' })
    const recordsSeen: string[] = []
    const uncaught = catchUncaught()
    const unwatch = weft.watch(id, () => {
      unwatch()
      throw new Error('mine')
    })
    weft.watch(id, () => recordsSeen.push(JSON.stringify(weft.record(id))))
    weft.update(id, { text: 'b' })
    await until(() => uncaught.length > 0)
    expect(recordsSeen.at(-1)).toBe('{"text":"b"}')
    expect(uncaught[0]).toBe('mine')
  })

  test('a refused write stays listed with its error message, and can be discarded', async () => {
    const weft = open(await startServer('--anonymous-writes', '--max-body', '4000'))
    const refused = weft.create('the_note', { text: 'x'.repeat(5000) })
    const accepted = weft.create('the_note', { text: 'fine' })
    await accepted.synced
    expect(weft.pending(refused.id)).toBe('failed')
    const { failed, state } = weft.sync.get()
    expect(state).toBe('error')
    expect(failed.map((w) => [w.key, w.error?.message])).toEqual([
      [refused.key, expect.stringContaining('4000')],
    ])
    await weft.sync.discard(refused.key)
    await expect(refused.synced).rejects.toThrow('discarded')
    expect(weft.concept(refused.id)).toBeUndefined()
    expect(weft.sync.get()).toMatchObject({ state: 'idle', pending: 0, failed: [] })
  })
})

/** Collects uncaught errors of this process instead of failing the test. */
function catchUncaught(): string[] {
  const messages: string[] = []
  const before = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (e) => messages.push(e.message))
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException')
    for (const listener of before) process.on('uncaughtException', listener)
  })
  return messages
}
