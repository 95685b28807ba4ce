import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startWeft, type Weft } from '../../e2e/weft.ts'
import { mulberry } from './dice.ts'
import { openEntries } from './entries.ts'

type Fields = Readonly<Record<string, string>>
type Model = Map<number, Fields | undefined>

test('what a model says is here after every reload, and in the end there', async () => {
  const weft = await startWeft()
  for (let seed = 1; seed <= 3; seed++) await roll(weft, seed)
})

async function roll(weft: Weft, seed: number): Promise<void> {
  const dice = mulberry(seed)
  const below = (sides: number) => Math.floor(dice() * sides)
  const of = <T>(...choices: T[]): T => choices[below(choices.length)] as T
  const context = await profile()
  const page = await openEntries(context, weft.url)
  let model: Model = new Map()
  /** What there would be without the open transaction. */
  let without: Model | undefined
  let touched = new Set<number>()

  async function write(inside: boolean): Promise<void> {
    const free = [...model.keys()].filter((id) => model.get(id) && (inside || !touched.has(id)))
    const id = of(...free, undefined)
    const change = { [of('a', 'b')]: of('red', 'blue', String(below(99))) }
    const isGone = id !== undefined && below(6) === 0
    const made = await put(page, inside, id, isGone ? undefined : change)
    const fields = isGone ? undefined : { ...(id !== undefined && model.get(id)), ...change }
    if (inside) {
      without ??= new Map(model)
      touched.add(made)
    } else without?.set(made, fields)
    model.set(made, fields)
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

  const isAway = seed % 2 === 0
  if (isAway) await weft.kill()
  for (let step = 0; step < 40; step++) {
    const kind = of('in', 'in', 'in', 'beside', 'beside', 'commit', 'rollback', 'reload', 'reload')
    if (kind === 'reload') await reload()
    else if (kind === 'in' || kind === 'beside') await write(kind === 'in')
    else await end(kind as 'commit' | 'rollback')
    expect(await shown(page, model), `seed ${seed}, step ${step}: ${kind}`).toEqual(model)
  }
  await end('commit')
  if (isAway) await weft.start()
  await reload()
  await expect.poll(() => page.evaluate(() => window.weft.sync.writes())).toEqual([])
  expect(await shown(page, model), `seed ${seed}, sent`).toEqual(model)
  const there = await openEntries(await profile(), weft.url)
  const real = await realOf(page, [...model.keys()])
  const known: Model = new Map([...real].map(([id, real]) => [real, model.get(id)]))
  const load = (ids: number[]) => Promise.all(ids.map((id) => window.weft.load(id)))
  await there.evaluate(load, [...real.values()])
  expect(await shown(there, known), `seed ${seed}, there`).toEqual(known)
  for (const [id, fields] of model) if (fields) expect(real.has(id)).toBe(true)
  await page.close()
}

/** Writes a record, or without fields removes it, in the transaction or beside it. Returns its id once that is saved. */
const put = (page: Page, inside: boolean, id: number | undefined, fields: Fields | undefined) =>
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

const shown = async (page: Page, model: Model): Promise<Model> =>
  new Map(
    await page.evaluate(
      (ids) => ids.map((id) => [id, window.weft.record(id)] as const),
      [...model.keys()],
    ),
  ) as Model

const realOf = async (page: Page, ids: number[]): Promise<Map<number, number>> => {
  const pairs = await page.evaluate((ids) => {
    const inside = (window.weft as unknown as Record<symbol, Names>)[Symbol.for('weft')]
    return ids.map((id) => [id, inside?.graph.real(id) ?? 0] as const)
  }, ids)
  return new Map(pairs.filter(([, real]) => real > 0))
}

interface Names {
  readonly graph: { real(id: number): number }
}
