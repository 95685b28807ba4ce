import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import { attempt, counter, onDisk, status } from './disk.ts'
import { startServer } from './server.ts'
import { count, idle, open, seen, servePages, write } from './tab.ts'

const pageNamed = servePages()

describe('a database of another layout', { timeout: 60_000 }, () => {
  test('of the first one keeps writes, records, answers, names, ids and the randomizer', async () => {
    const { cable, server, context, blank, address, name } = await place()
    await blank.evaluate(makeFirst, name)
    cable.cut()
    const page = await open(context, address)
    await seen(page, ['waits', 'seen before'])
    expect(await status(page)).toMatchObject({ durable: true, pending: 1 })
    expect(await page.evaluate(() => window.weft.record(-107))).toEqual({ text: 'seen before' })
    expect(await write(page, 'new')).toBeLessThan(-131_172)
    expect(await counter(page, name, 'randomizer')).toBe(4711)
    expect(await counter(page, name, 'id')).toBeLessThan(-131_172 - 65_536 + 1)
    const disk = await onDisk(page)
    expect(disk[name]?.['version']).toEqual([10])
    expect(Object.keys(disk[name] ?? {}).sort()).toEqual(['counter', 'outbox', 'pair', 'version'])

    const randomizers = new Set<string | undefined>()
    page.on('request', (request) => {
      if (request.url().endsWith('/local-concepts'))
        randomizers.add(request.headers()['randomizer'])
    })
    cable.mend()
    await idle(page)
    expect(await count(server)).toBe(2)
    expect([...randomizers]).toEqual(['4711'])
    expect((await onDisk(page))[name]?.['outbox']).toEqual([])
  })

  test('is brought to this one by two tabs at once, and nothing is there twice', async () => {
    const { cable, server, context, blank, address, name } = await place()
    await blank.evaluate(makeFirst, name)
    cable.cut()
    const pages = await Promise.all([open(context, address), open(context, address)])
    for (const page of pages) await seen(page, ['waits', 'seen before'])
    const ids = await Promise.all(pages.map((page, i) => write(page, `from ${i}`)))
    expect(new Set(ids).size).toBe(2)
    cable.mend()
    for (const page of pages) await idle(page)
    expect(await count(server)).toBe(3)
  })

  test('to come is left alone: the page works, says that it forgets, and sends', async () => {
    const { server, context, blank, address, name } = await place()
    await blank.evaluate(makeLater, name)
    const page = await open(context, address)
    expect(await attempt(page, 'on water')).toEqual([
      'this browser did not save it',
      'Cannot store to the Local database',
      'Cannot populate Local Ids from the Index Db',
      expect.stringContaining('version'),
    ])
    expect(await status(page)).toMatchObject({ durable: false, failed: [] })
    await idle(page)
    await seen(page, ['on water'])
    expect(await count(server)).toBe(1)
    expect((await onDisk(page))[name]).toEqual({ version: [11], times: ['to come'] })
  })

  test('that a page holds on to is not waited for, and is brought to this one later', async () => {
    const { server, context, blank, address, name } = await place()
    await blank.evaluate(makeFirst, name)
    await blank.evaluate((name) => {
      const holding = indexedDB.open(name)
      return new Promise<void>((resolve) => {
        holding.onsuccess = () => {
          Object.assign(window, { held: holding.result })
          resolve()
        }
      })
    }, name)
    const page = await open(context, address)
    expect(await status(page)).toMatchObject({ durable: false, pending: 0 })
    expect((await attempt(page, 'on water'))[0]).toBe('this browser did not save it')
    await idle(page)
    expect(await count(server)).toBe(1)
    await blank.close()
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    await idle(page)
    await seen(page, ['waits', 'on water'])
    expect(await status(page)).toMatchObject({ durable: true, failed: [] })
    expect(await count(server)).toBe(2)
  })
})

/** A server at the end of a cable, an address of a page for it, a page without a client, and the name of the database. */
async function place() {
  const server = await startServer()
  const cable = await wireCutter(Number(new URL(server).port))
  const context = await profile()
  const blank: Page = await context.newPage()
  await blank.goto(pageNamed('blank.html'))
  const address = pageNamed(`?weft=${cable.url}`)
  return { cable, server, context, blank, address, name: `weft ${cable.url} test` }
}

/** A database as clients made it first: a note seen, another one that waits, and the answer to the query for notes. */
function makeFirst(name: string): Promise<void> {
  const at = '2026-01-01T00:00:00Z'
  const rest = { owner: 999, access: 4, created: at }
  const word = (id: number, value: string) => ({
    id,
    type: 51,
    category: 1,
    value,
    composition: false,
    ...rest,
  })
  const value = (id: number, type: number, value: string) => ({
    id,
    type,
    category: 4,
    value,
    composition: value === '',
    ...rest,
  })
  const inside = (id: number, from: number, to: number) => ({
    id,
    from,
    to,
    type: from,
    order: 1,
    ...rest,
  })
  const seen = [
    {
      concepts: [word(5_001, 'the_note'), word(5_002, 'the_text')],
      connections: [],
    },
    {
      concepts: [value(5_003, 5_001, ''), value(5_004, 5_002, 'seen before')],
      connections: [inside(9_001, 5_003, 5_004)],
      conceptIds: [
        [-107, 5_003],
        [-108, 5_004],
      ],
      connectionIds: [[-109, 9_001]],
    },
  ]
  const mutation = {
    key: 'abc-1',
    kind: 'create',
    id: -120,
    type: 'the_note',
    at,
    concepts: [
      word(-118, 'the_note'),
      word(-119, 'the_text'),
      value(-120, -118, ''),
      value(-121, -119, 'waits'),
    ],
    connections: [inside(-122, -120, -121)],
    removeConcepts: [],
    removeConnections: [],
  }
  const answer = {
    roots: [5_003],
    links: [9_001],
    reverse: [],
    counts: [],
    total: 1,
    order: 'DESC',
  }
  const query = JSON.stringify({ type: 'the_note', selectors: ['self'], pageSize: 100 })
  const opening = indexedDB.open(name, 1)
  opening.onupgradeneeded = () => {
    const db = opening.result
    const outbox = db.createObjectStore('outbox', { autoIncrement: true })
    outbox.createIndex('key', 'key')
    outbox.add(mutation)
    const log = db.createObjectStore('seen', { autoIncrement: true })
    for (const row of seen) log.add(row)
    db.createObjectStore('answer').put(answer, query)
    const counter = db.createObjectStore('counter')
    counter.put(4711, 'randomizer')
    counter.put(-131_172, 'id')
    counter.put(undefined, 'user')
  }
  return new Promise((resolve, reject) => {
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      opening.result.close()
      resolve()
    }
  })
}

/** A database of a layout that nobody knows yet. */
function makeLater(name: string): Promise<void> {
  const opening = indexedDB.open(name, 11)
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('times').put('to come', 1)
  }
  return new Promise((resolve, reject) => {
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      opening.result.close()
      resolve()
    }
  })
}
