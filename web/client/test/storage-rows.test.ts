import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { mulberry } from './dice.ts'
import { onDisk } from './disk.ts'
import type {} from './page/storage.ts'
import { servePages } from './tab.ts'

const pageNamed = servePages()

describe('the outbox on disk', { timeout: 60_000 }, () => {
  test('has the writes of one task in few rows, and they leave one by one, in groups, and in any order', async () => {
    const [page] = await pages(1)
    const keys = Array.from({ length: 1_000 }, (_, i) => `a-${i}`)
    await append(page, keys)
    const rows = async () => (await onDisk(page))['rows']?.['outbox']?.length ?? 0
    expect(await rows()).toBeLessThan(20)
    expect(await left(page)).toEqual(keys)
    for (const key of ['a-500', 'a-0', 'a-999']) await settle(page, [key])
    await settle(page, keys.slice(100, 400))
    await settle(page, ['a-500', 'never there'])
    const want = keys.filter((_, i) => ![500, 0, 999].includes(i) && (i < 100 || i >= 400))
    expect(await left(page)).toEqual(want)
    await settle(page, want)
    expect([await left(page), await rows()]).toEqual([[], 0])
  })

  test('takes writes of several tabs at once, and each tab settles and marks what any of them wrote', async () => {
    const tabs = await pages(2)
    const random = mulberry(7)
    const roll = (sides: number) => Math.floor(random() * sides)
    const all = new Map<string, string | undefined>()
    let made = 0
    for (let step = 0; step < 40; step++) {
      const written = await Promise.all(
        tabs.map(async (tab, i) => {
          const keys = Array.from({ length: roll(60) }, () => `${i}-${made++}`)
          await append(tab, keys)
          return keys
        }),
      )
      for (const key of written.flat()) all.set(key, undefined)
      const some = [...all.keys()].filter(() => roll(3) === 0)
      const [first, second] = [some.slice(0, roll(some.length + 1)), some]
      await Promise.all([settle(tabs[0], first), settle(tabs[1], second)])
      for (const key of some) all.delete(key)
      const marked = [...all.keys()].filter(() => roll(5) === 0)
      await replace(tabs[roll(2)] as Page, marked, `step ${step}`)
      for (const key of marked) all.set(key, `step ${step}`)
    }
    for (const tab of tabs) {
      const found = await tab.evaluate(async () =>
        (await window.storage.left()).mutations.map((m) => [m.key, m.failed?.message] as const),
      )
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(all))
      expect(found.length).toBe(all.size)
      for (const i of [0, 1]) {
        const numbers = found.flatMap(([key]) =>
          key.startsWith(`${i}-`) ? Number(key.slice(2)) : [],
        )
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      }
    }
  })

  test('gives blocks of ids that nobody else gets, and the same randomizer to everybody', async () => {
    const [page, other] = await pages(2)
    const load = (page: Page) =>
      page.evaluate(async () => {
        const { above, randomizer } = await window.storage.load(undefined)
        return { above, randomizer }
      })
    const found = await Promise.all([load(page), load(other)])
    await page.reload()
    found.push(await load(page))
    expect(found.map(({ above }) => above).sort((a, b) => b - a)).toEqual([-100, -65_636, -131_172])
    expect(new Set(found.map(({ randomizer }) => randomizer)).size).toBe(1)
  })

  test('keeps nothing of a step that fails', async () => {
    const [page] = await pages(1)
    await append(page, ['a'])
    await append(page, ['b'])
    const failed = await page.evaluate(async () => {
      const [a, b] = (await window.storage.left()).mutations
      if (!a || !b) return 'nothing to mark'
      const failed = { kind: 'invalid', message: 'marked' } as const
      const odd = { ...b, type: (() => {}) as unknown as string }
      return window.storage.replace({ ...a, failed }, odd).catch((e) => (e.cause as Error).name)
    })
    expect(failed).toBe('DataCloneError')
    expect(await left(page)).toEqual(['a', 'b'])
    expect(JSON.stringify(await onDisk(page))).not.toContain('marked')
    await settle(page, ['a'])
    expect(await left(page)).toEqual(['b'])
  })

  test('takes no memory for what has gone', async () => {
    const [page] = await pages(1)
    const keys = Array.from({ length: 100 }, (_, i) => `a-${i}`)
    await append(page, keys)
    await settle(page, ['a-0'])
    expect(await places(page)).toBe(99)
    await settle(page, keys)
    await settle(page, keys)
    expect(await places(page)).toBe(0)
  })

  test('has settings only where it is there already', async () => {
    const [page] = await pages(1)
    const names = () =>
      page.evaluate(async () => (await indexedDB.databases()).map((db) => db.name).sort())
    const before = await names()
    const refused = page.evaluate(() => window.settings.set('nobody', 'token', 'secret'))
    await expect(refused).rejects.toThrow()
    expect(await names()).toEqual(before)
    await append(page, ['a'])
    await page.evaluate(() => window.settings.set('rows', 'token', 'secret'))
    expect(await page.evaluate(() => window.settings.setting('rows', 'token'))).toBe('secret')
  })

  test('has the ids that became others written anew: the last of them, and those that a write speaks of', async () => {
    const [page] = await pages(1)
    const pairs = () =>
      page.evaluate(async () => {
        const { conceptIds, connectionIds } = (await window.storage.left()).seen
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
    const kept = [[-1, 1_001], ...before.conceptIds.slice(-10)]
    expect(await pairs()).toEqual({ conceptIds: kept, connectionIds: kept })
    expect((await onDisk(page))['rows']?.['pair']?.length).toBe(1)
    expect(await left(page)).toEqual(['waits'])
  })

  test('has what was seen written anew in few rows, and it says the same', async () => {
    const [page] = await pages(1)
    const seen = () =>
      page.evaluate(async () => {
        const { seen, answers } = await window.storage.load(undefined)
        return [seen.concepts.map((c) => c.value), [...answers.keys()]]
      })
    await seen()
    await page.evaluate(async () => {
      for (let i = 0; i < 120; i++) {
        const rest = { type: 51, category: 4, owner: 1, access: 4, composition: false } as const
        const concepts = [{ ...rest, id: 1 + (i % 60), value: `${i}`, created: '' }]
        window.storage.cache({ concepts, removeConcepts: i > 100 ? [] : [5] })
        window.storage.remember(`query ${i % 7}`, {
          roots: [],
          links: [],
          reverse: [],
          counts: [],
          total: 0,
          order: 'ASC',
        })
        await new Promise((done) => setTimeout(done))
      }
    })
    const log = async () => (await onDisk(page))['rows cache']?.['seen'] ?? []
    await expect.poll(async () => JSON.stringify(await log())).toContain('"119"')
    expect((await log()).length).toBeGreaterThan(20)
    await page.reload()
    const before = await seen()
    expect(before[1]?.length).toBe(7)
    await page.evaluate(() => window.compactNow())
    expect((await log()).length).toBe(1)
    await page.reload()
    const after = await seen()
    const values = Array.from({ length: 60 }, (_, i) => `${60 + i}`)
    expect(after.map((list) => list.toSorted())).toEqual([
      values.filter((value) => value !== '64').toSorted(),
      before[1]?.toSorted(),
    ])
  })
})

/** Pages of one profile, each with a disk and no client. */
async function pages(count: number): Promise<[Page, Page]> {
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

/** Writes mutations in one task and waits until they are on disk. */
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

const settle = (page: Page, keys: readonly string[]): Promise<void> =>
  page.evaluate((keys) => window.storage.settle(keys), keys)

/** Of how many writes the page knows where they are, as a debugger sees it. */
async function places(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page)
  const inside = async (objectId: string | undefined, name: string) => {
    if (objectId === undefined) throw new Error(`there is no ${name}`)
    const found = await cdp.send('Runtime.getProperties', { objectId, ownProperties: true })
    return found.privateProperties?.find((p) => p.name === name)?.value
  }
  const { result } = await cdp.send('Runtime.evaluate', { expression: 'storage' })
  const map = await inside((await inside(result.objectId, '#rows'))?.objectId, '#places')
  return Number(map?.description?.match(/\d+/)?.[0])
}

/** Marks mutations as failed with a message. */
const replace = (page: Page, keys: readonly string[], message: string): Promise<void> =>
  page.evaluate(
    async ([keys, message]) => {
      const { mutations } = await window.storage.left()
      const own = mutations.filter((m) => keys.includes(m.key))
      const failed = { kind: 'invalid', message } as const
      await window.storage.replace(...own.map((m) => ({ ...m, failed })))
    },
    [keys, message] as const,
  )

/** Keys of what is on disk, in order. */
const left = (page: Page): Promise<string[]> =>
  page.evaluate(async () => (await window.storage.left()).mutations.map((m) => m.key))
