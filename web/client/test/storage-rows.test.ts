import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { mulberry } from './dice.ts'
import { readDatabases } from './disk.ts'
import type {} from './page/storage.ts'
import { servePages } from './tab.ts'

const pageNamed = servePages()

describe('the outbox on disk', () => {
  test('saves the writes of one task in few rows, and removes them in any order', async () => {
    const [page] = await openPages(1)
    const keys = Array.from({ length: 1_000 }, (_, i) => `a-${i}`)
    await append(page, keys)
    const rows = async () => (await readDatabases(page))['rows']?.['outbox']?.length ?? 0
    expect(await rows()).toBeLessThan(20)
    expect(await savedKeys(page)).toEqual(keys)
    for (const key of ['a-500', 'a-0', 'a-999']) await settle(page, [key])
    await settle(page, keys.slice(100, 400))
    await settle(page, ['a-500', 'unknown'])
    const remaining = keys.filter((_, i) => ![500, 0, 999].includes(i) && (i < 100 || i >= 400))
    expect(await savedKeys(page)).toEqual(remaining)
    await settle(page, remaining)
    expect([await savedKeys(page), await rows()]).toEqual([[], 0])
  })

  test('accepts writes of several tabs, and each tab can change and settle the writes of all tabs', async () => {
    const tabs = await openPages(2)
    const random = mulberry(7)
    const roll = (sides: number) => Math.floor(random() * sides)
    const expected = new Map<string, string | undefined>()
    let nextKey = 0
    for (let step = 0; step < 40; step++) {
      const written = await Promise.all(
        tabs.map(async (tab, i) => {
          const keys = Array.from({ length: roll(60) }, () => `${i}-${nextKey++}`)
          await append(tab, keys)
          return keys
        }),
      )
      for (const key of written.flat()) expected.set(key, undefined)
      const settled = [...expected.keys()].filter(() => roll(3) === 0)
      const [first, second] = [settled.slice(0, roll(settled.length + 1)), settled]
      await Promise.all([settle(tabs[0], first), settle(tabs[1], second)])
      for (const key of settled) expected.delete(key)
      const marked = [...expected.keys()].filter(() => roll(5) === 0)
      await markFailed(tabs[roll(2)] as Page, marked, `step ${step}`)
      for (const key of marked) expected.set(key, `step ${step}`)
    }
    for (const tab of tabs) {
      const found = await tab.evaluate(async () =>
        (await window.storage.readOutbox()).mutations.map(
          (m) => [m.key, m.failed?.message] as const,
        ),
      )
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
      expect(found.length).toBe(expected.size)
      for (const i of [0, 1]) {
        const numbers = found.flatMap(([key]) =>
          key.startsWith(`${i}-`) ? Number(key.slice(2)) : [],
        )
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      }
    }
  })

  test('gives each page its own block of local ids, and all pages the same randomizer', async () => {
    const [page, other] = await openPages(2)
    const load = (page: Page) =>
      page.evaluate(async () => {
        const { idsBelow, randomizer } = await window.storage.load(undefined)
        return { idsBelow, randomizer }
      })
    const found = await Promise.all([load(page), load(other)])
    await page.reload()
    found.push(await load(page))
    expect(found.map(({ idsBelow }) => idsBelow).sort((a, b) => b - a)).toEqual([
      -100, -65_636, -131_172,
    ])
    expect(new Set(found.map(({ randomizer }) => randomizer)).size).toBe(1)
  })

  test('rolls back a replacement that fails', async () => {
    const [page] = await openPages(1)
    await append(page, ['a'])
    await append(page, ['b'])
    const failed = await page.evaluate(async () => {
      const [a, b] = (await window.storage.readOutbox()).mutations
      if (!a || !b) return 'no writes'
      const failed = { kind: 'invalid', message: 'marked' } as const
      const unclonable = { ...b, type: (() => {}) as unknown as string }
      return window.storage
        .replace({ ...a, failed }, unclonable)
        .catch((e) => (e.cause as Error).name)
    })
    expect(failed).toBe('DataCloneError')
    expect(await savedKeys(page)).toEqual(['a', 'b'])
    expect(JSON.stringify(await readDatabases(page))).not.toContain('marked')
    await settle(page, ['a'])
    expect(await savedKeys(page)).toEqual(['b'])
  })

  test('keeps no index entries of settled writes', async () => {
    const [page] = await openPages(1)
    const keys = Array.from({ length: 100 }, (_, i) => `a-${i}`)
    await append(page, keys)
    await settle(page, ['a-0'])
    expect(await indexedWrites(page)).toBe(99)
    await settle(page, keys)
    await settle(page, keys)
    expect(await indexedWrites(page)).toBe(0)
  })

  test('stores settings only in an existing database', async () => {
    const [page] = await openPages(1)
    const names = () =>
      page.evaluate(async () => (await indexedDB.databases()).map((db) => db.name).sort())
    const before = await names()
    const refused = page.evaluate(() => window.settings.writeSetting('missing', 'token', 'secret'))
    await expect(refused).rejects.toThrow()
    expect(await names()).toEqual(before)
    await append(page, ['a'])
    await page.evaluate(() => window.settings.writeSetting('rows', 'token', 'secret'))
    expect(await page.evaluate(() => window.settings.readSetting('rows', 'token'))).toBe('secret')
  })

  test('compacts the id pairs: keeps the newest, and those to which a write refers', async () => {
    const [page] = await openPages(1)
    const pairs = () =>
      page.evaluate(async () => {
        const { conceptIds, connectionIds } = (await window.storage.readOutbox()).seen
        return { conceptIds, connectionIds }
      })
    await append(page, ['waits'])
    await page.evaluate(async () => {
      for (let i = 1; i <= 210; i++) {
        const pair = [-i, 1_000 + i] as const
        const receipt = { conceptIds: [pair], connectionIds: [pair] }
        await window.storage.settle([], { concepts: [], connections: [], ...receipt })
      }
    })
    const before = await pairs()
    expect(before.conceptIds.length).toBe(210)
    await page.evaluate(() => window.compactPairsNow(10))
    const keptPairs = [[-1, 1_001], ...before.conceptIds.slice(-10)]
    expect(await pairs()).toEqual({ conceptIds: keptPairs, connectionIds: keptPairs })
    expect((await readDatabases(page))['rows']?.['pair']?.length).toBe(1)
    expect(await savedKeys(page)).toEqual(['waits'])
  })

  test('compacts the cache log to few rows with the same records', async () => {
    const [page] = await openPages(1)
    const load = () =>
      page.evaluate(async () => {
        const { seen, answers } = await window.storage.load(undefined)
        return [seen.concepts.map((c) => c.value), [...answers.keys()]]
      })
    await load()
    await page.evaluate(async () => {
      for (let i = 0; i < 120; i++) {
        const rest = { type: 51, category: 4, owner: 1, access: 4, composition: false } as const
        const concepts = [{ ...rest, id: 1 + (i % 60), value: `${i}`, created: '' }]
        window.storage.cacheRecords({ concepts, removeConcepts: i > 100 ? [] : [5] })
        window.storage.cacheAnswer(`query ${i % 7}`, {
          roots: [],
          links: [],
          reverse: [],
          counts: [],
          total: 0,
          order: 'ASC',
        })
        await new Promise((resolve) => setTimeout(resolve))
      }
    })
    const log = async () => (await readDatabases(page))['rows cache']?.['seen'] ?? []
    await expect.poll(async () => JSON.stringify(await log())).toContain('"119"')
    expect((await log()).length).toBeGreaterThan(20)
    await page.reload()
    const before = await load()
    expect(before[1]?.length).toBe(7)
    await page.evaluate(() => window.compactNow())
    expect((await log()).length).toBe(1)
    await page.reload()
    const after = await load()
    const values = Array.from({ length: 60 }, (_, i) => `${60 + i}`)
    expect(after.map((list) => list.toSorted())).toEqual([
      values.filter((value) => value !== '64').toSorted(),
      before[1]?.toSorted(),
    ])
  })
})

/** Opens pages of one profile, each with a Storage and without a client. */
async function openPages(count: number): Promise<[Page, Page]> {
  const context = await profile()
  const all: Page[] = []
  while (all.length < count) {
    const page = await context.newPage()
    await page.goto(pageNamed('storage.html?name=rows'))
    await page.waitForFunction(() => window.storage !== undefined)
    all.push(page)
  }
  return all as [Page, Page]
}

/** Appends mutations in one task and waits until they are on disk. */
const append = (page: Page, keys: readonly string[]): Promise<void> =>
  page.evaluate(async (keys) => {
    const concept = { type: 51, category: 1, owner: 1, access: 4, created: '' } as const
    await window.storage.append(
      keys.map((key) => ({
        key,
        kind: 'create',
        id: -1,
        at: '',
        concepts: Array.from({ length: 8 }, (_, i) => ({
          ...concept,
          id: -1 - i,
          value: key,
          composition: false,
        })),
        connections: [],
        removeConcepts: [],
        removeConnections: [],
      })),
    )
  }, keys)

/** Removes settled writes from the disk. */
const settle = (page: Page, keys: readonly string[]): Promise<void> =>
  page.evaluate((keys) => window.storage.settle(keys), keys)

/** Returns the number of writes in the private index of rows of the page, read with the debugger. */
async function indexedWrites(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page)
  const privateField = async (objectId: string | undefined, name: string) => {
    if (objectId === undefined) throw new Error(`there is no ${name}`)
    const found = await cdp.send('Runtime.getProperties', { objectId, ownProperties: true })
    return found.privateProperties?.find((p) => p.name === name)?.value
  }
  const { result } = await cdp.send('Runtime.evaluate', { expression: 'storage' })
  const outbox = await privateField(result.objectId, '#outbox')
  const rows = await privateField(outbox?.objectId, '#rows')
  const map = await privateField(rows?.objectId, '#rowOf')
  return Number(map?.description?.match(/\d+/)?.[0])
}

/** Marks mutations as failed with a message. */
const markFailed = (page: Page, keys: readonly string[], message: string): Promise<void> =>
  page.evaluate(
    async ([keys, message]) => {
      const { mutations } = await window.storage.readOutbox()
      const own = mutations.filter((m) => keys.includes(m.key))
      const failed = { kind: 'invalid', message } as const
      await window.storage.replace(...own.map((m) => ({ ...m, failed })))
    },
    [keys, message] as const,
  )

/** Returns the keys of the writes on disk, in order. */
const savedKeys = (page: Page): Promise<string[]> =>
  page.evaluate(async () => (await window.storage.readOutbox()).mutations.map((m) => m.key))
