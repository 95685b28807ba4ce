import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { countNotes } from './count-notes.ts'
import { readCounter, readDatabases, status, tryToCreateNote } from './disk.ts'
import { startServer } from './server.ts'
import { expectTexts, open, servePages, untilIdle, writeNote } from './tab.ts'

const pageNamed = servePages()

describe('a database of another layout version', () => {
  test('is upgraded from the first version with its writes, records, answers, id pairs and randomizer', async () => {
    const { network, server, context, blank, address, name } = await setUp()
    await blank.evaluate(createFirstLayout, name)
    network.disconnect()
    const page = await open(context, address)
    await expectTexts(page, ['waits', 'seen before'])
    expect(await status(page)).toMatchObject({ durable: true, pending: 1 })
    expect(await page.evaluate(() => window.weft.record(-107))).toEqual({ text: 'seen before' })
    expect(await writeNote(page, 'new')).toBeLessThan(-131_172)
    expect(await readCounter(page, name, 'randomizer')).toBe(4711)
    expect(await readCounter(page, name, 'id')).toBeLessThan(-131_172 - 65_536 + 1)
    const disk = await readDatabases(page)
    expect(disk[name]?.['version']).toEqual([10])
    expect(Object.keys(disk[name] ?? {}).sort()).toEqual(['counter', 'outbox', 'pair', 'version'])

    const randomizers = new Set<string | undefined>()
    page.on('request', (request) => {
      if (request.url().endsWith('/local-concepts'))
        randomizers.add(request.headers()['randomizer'])
    })
    network.reconnect()
    await untilIdle(page)
    expect(await countNotes(server)).toBe(2)
    expect([...randomizers]).toEqual(['4711'])
    expect((await readDatabases(page))[name]?.['outbox']).toEqual([])
  })

  test('is upgraded once by two tabs that open it at the same time', async () => {
    const { network, server, context, blank, address, name } = await setUp()
    await blank.evaluate(createFirstLayout, name)
    network.disconnect()
    const pages = await Promise.all([open(context, address), open(context, address)])
    for (const page of pages) await expectTexts(page, ['waits', 'seen before'])
    const ids = await Promise.all(pages.map((page, i) => writeNote(page, `from ${i}`)))
    expect(new Set(ids).size).toBe(2)
    network.reconnect()
    for (const page of pages) await untilIdle(page)
    expect(await countNotes(server)).toBe(3)
  })

  test('is not used if it is newer: the page still sends writes, but they are not durable', async () => {
    const { server, context, blank, address, name } = await setUp()
    await blank.evaluate(createNewerLayout, name)
    const page = await open(context, address)
    expect(await tryToCreateNote(page, 'on water')).toEqual([
      'Cannot store to the Local database',
      'Cannot populate Local Ids from the Index Db',
      expect.stringContaining('version'),
    ])
    expect(await status(page)).toMatchObject({ durable: false, failed: [] })
    await untilIdle(page)
    await expectTexts(page, ['on water'])
    expect(await countNotes(server)).toBe(1)
    expect((await readDatabases(page))[name]).toEqual({ version: [11], times: ['to come'] })
  })

  test('is upgraded later if another page keeps it open, and writes are not delayed', async () => {
    const { server, context, blank, address, name } = await setUp()
    await blank.evaluate(createFirstLayout, name)
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
    expect((await tryToCreateNote(page, 'on water'))[0]).toBe('Cannot store to the Local database')
    await untilIdle(page)
    expect(await countNotes(server)).toBe(1)
    await blank.close()
    await page.reload()
    await page.evaluate(() => window.weft.ready)
    await untilIdle(page)
    await expectTexts(page, ['waits', 'on water'])
    expect(await status(page)).toMatchObject({ durable: true, failed: [] })
    expect(await countNotes(server)).toBe(2)
  })
})

/** Starts a server behind a proxy. Returns the address of a page for it, a page without a client, and the database name. */
async function setUp() {
  const server = await startServer()
  const network = await startNetworkProxy(Number(new URL(server).port))
  const context = await profile()
  const blank: Page = await context.newPage()
  await blank.goto(pageNamed('blank.html'))
  const address = pageNamed(`?weft=${network.url}`)
  return { network, server, context, blank, address, name: `weft ${network.url} test` }
}

/** Creates a database of the first layout with a cached note, a pending note, and the answer to the query for notes. */
function createFirstLayout(name: string): Promise<void> {
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
  const cachedRows = [
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
    for (const row of cachedRows) log.add(row)
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

/** Creates a database of a newer layout. */
function createNewerLayout(name: string): Promise<void> {
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
