import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startWeft, type Weft } from '../../e2e/weft.ts'
import { mulberry } from './dice.ts'
import { openEntries } from './entries.ts'

type Fields = Readonly<Record<string, string>>
type Model = Map<number, Fields | undefined>

test('after every reload a page shows the records of the model, and in the end the server has them', async () => {
  const weft = await startWeft()
  for (let seed = 1; seed <= 3; seed++) await runSeed(weft, seed)
})

/** Runs random steps and compares the records in the page with a model. With every second seed the server is down until the end. */
async function runSeed(weft: Weft, seed: number): Promise<void> {
  const dice = mulberry(seed)
  const below = (sides: number) => Math.floor(dice() * sides)
  const pickOne = <T>(...choices: T[]): T => choices[below(choices.length)] as T
  const context = await profile()
  const page = await openEntries(context, weft.url)
  let model: Model = new Map()
  /** The records as they would be without the open transaction. */
  let without: Model | undefined
  let touched = new Set<number>()

  async function write(inside: boolean): Promise<void> {
    const free = [...model.keys()].filter((id) => model.get(id) && (inside || !touched.has(id)))
    const id = pickOne(...free, undefined)
    const change = { [pickOne('a', 'b')]: pickOne('red', 'blue', String(below(99))) }
    const isRemoval = id !== undefined && below(6) === 0
    const written = await writeRecord(page, inside, id, isRemoval ? undefined : change)
    const fields = isRemoval ? undefined : { ...(id !== undefined && model.get(id)), ...change }
    if (inside) {
      without ??= new Map(model)
      touched.add(written)
    } else without?.set(written, fields)
    model.set(written, fields)
  }

  async function end(how: 'commit' | 'rollback'): Promise<void> {
    await page.evaluate(async (how) => {
      await window.transaction.begin(window.weft, 'trip')[how]()
    }, how)
    if (how === 'rollback') model = without ?? model
    without = undefined
    touched = new Set()
  }

  async function reload(): Promise<void> {
    await page.reload()
    await page.waitForFunction(() => window.weft !== undefined)
    await page.evaluate(() => window.weft.ready)
  }

  const isServerDown = seed % 2 === 0
  if (isServerDown) await weft.kill()
  for (let step = 0; step < 40; step++) {
    const kind = pickOne(
      'in',
      'in',
      'in',
      'beside',
      'beside',
      'commit',
      'rollback',
      'reload',
      'reload',
    )
    if (kind === 'reload') await reload()
    else if (kind === 'in' || kind === 'beside') await write(kind === 'in')
    else await end(kind as 'commit' | 'rollback')
    expect(await recordsIn(page, model), `seed ${seed}, step ${step}: ${kind}`).toEqual(model)
  }
  await end('commit')
  if (isServerDown) await weft.start()
  await reload()
  await expect.poll(() => page.evaluate(() => window.weft.sync.writes())).toEqual([])
  expect(await recordsIn(page, model), `seed ${seed}, sent`).toEqual(model)
  const otherPage = await openEntries(await profile(), weft.url)
  const real = await realIds(page, [...model.keys()])
  const expected: Model = new Map([...real].map(([id, real]) => [real, model.get(id)]))
  const load = (ids: number[]) => Promise.all(ids.map((id) => window.weft.load(id)))
  await otherPage.evaluate(load, [...real.values()])
  expect(await recordsIn(otherPage, expected), `seed ${seed}, in another profile`).toEqual(expected)
  for (const [id, fields] of model) if (fields) expect(real.has(id)).toBe(true)
  await page.close()
}

/** Creates, updates or (without fields) removes a record, inside or outside the transaction. Waits until the write is saved, and returns the id of the record. */
const writeRecord = (
  page: Page,
  inside: boolean,
  id: number | undefined,
  fields: Fields | undefined,
) =>
  page.evaluate(
    async ([inside, id, fields]) => {
      const { weft, transaction } = window
      const to = inside ? transaction.begin(weft, 'trip') : weft
      const write =
        id === undefined
          ? to.create('the_roll', fields ?? {})
          : fields
            ? to.update(id, fields)
            : to.remove(id)
      await write.saved
      return write.id
    },
    [inside, id, fields] as const,
  )

/** Returns the records that a page has for the ids of a model. */
const recordsIn = async (page: Page, model: Model): Promise<Model> =>
  new Map(
    await page.evaluate(
      (ids) => ids.map((id) => [id, window.weft.record(id)] as const),
      [...model.keys()],
    ),
  ) as Model

/** Returns the real ids of the synced records, by the ids that a page uses. */
const realIds = async (page: Page, ids: number[]): Promise<Map<number, number>> => {
  const pairs = await page.evaluate((ids) => {
    const internals = (window.weft as unknown as Record<symbol, Internals>)[Symbol.for('weft')]
    return ids.map((id) => [id, internals?.graph.real(id) ?? 0] as const)
  }, ids)
  return new Map(pairs.filter(([, real]) => real > 0))
}

interface Internals {
  readonly graph: { real(id: number): number }
}
