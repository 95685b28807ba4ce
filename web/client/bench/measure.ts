import { type Cost, Costs, isComing, timesOf } from './cost.ts'
import { count, type Data, fieldsOf, mainOf, makeData } from './data.ts'
import type { Library, Store } from './library/library.ts'

/** What is measured, and in what. */
export const columns = {
  load: 'load (ms)',
  point: 'point read (µs)',
  find: 'look-up by (type, value) (µs)',
  build: 'build all records, cold (ms)',
  update: 'one update → its one subscriber of 1,000 (µs)',
  create: 'create 1 record offline (µs)',
} as const

export type Column = keyof typeof columns

/** Who lets a library be measured. */
export interface Around {
  /** Milliseconds that processors worked so far, for everything that works for the library. */
  cpu(): number | Promise<number>
  /** Told which column is begun, and what it took so far. */
  tell(column: Column, cost?: Cost): void
  /** Columns that are not wanted. */
  readonly without: readonly Column[]
}

/** How many different questions are asked again and again. */
const spread = 10_000

/** Asks a library all questions, over so many records. */
export async function measure(library: Library, around: Around, records = count): Promise<void> {
  const { without, tell } = around
  const data = makeData(records)
  const store = await loads(library, data, around, records)
  await check(store, library.name)
  const settled = () => store.settled?.()
  const column = async (name: Column, begin: () => Promise<(i: number) => unknown>) => {
    if (without.includes(name)) return
    tell(name)
    tell(name, await timesOf(await begin(), settled, around))
  }
  const ids = Array.from({ length: spread }, (_, i) => mainOf((i * 7_919) % records) + 1)
  const titles = Array.from({ length: spread }, (_, i) => `title ${(i * 7_919) % records}`)
  let sink = 0
  const keep = (answer: unknown) => {
    if (isComing(answer)) return answer
    if (answer !== undefined) sink++
    return undefined
  }
  await column('point', async () => (i) => keep(store.point(ids[i % spread] ?? 0)))
  await column('find', async () => (i) => keep(store.find('the_title', titles[i % spread] ?? '')))
  await column('update', async () => updates(store, Math.min(1_000, records)))
  await column('create', async () => (i) => store.create(1e6 + i))
  await store.close()
  if (Number.isNaN(sink)) throw new Error('nothing was read')
}

/**
 * Loads, and builds all records of each store while it is new; answers with the last store. Loading ends when a first
 * record and a first value are found: some make their indexes then.
 */
async function loads(
  library: Library,
  data: Data,
  around: Around,
  records: number,
): Promise<Store> {
  const { without, tell } = around
  const all = Array.from({ length: records }, (_, n) => mainOf(n))
  const [loading, building] = [new Costs(around), new Costs(around)]
  for (;;) {
    tell('load')
    const store = await loading.of(
      async () => {
        const store = await library.load(data)
        await store.record(mainOf(0))
        await store.find('the_title', 'title 0')
        return store
      },
      (store) => store.settled?.(),
    )
    if (!without.includes('load')) tell('load', loading.cost)
    if (!without.includes('build')) {
      tell('build')
      await building.of(async () => {
        if (store.records) await store.records(all)
        else for (const id of all) store.record(id)
      })
      tell('build', building.cost)
    }
    if ((without.includes('load') && without.includes('build')) || loading.enough(building))
      return store
    await store.close()
  }
}

/** Updates one of the subscribers' records after another, each ending when its subscriber has read it. */
async function updates(store: Store, subscribers: number): Promise<(i: number) => Promise<void>> {
  let heard = () => {}
  for (let n = 0; n < subscribers; n++) await store.watch(mainOf(n), () => heard())
  return async (i) => {
    const hears = new Promise<void>((done) => {
      heard = done
    })
    await store.update(mainOf((i * 7) % subscribers), `p${i}`)
    await hears
  }
}

/** Who answers wrongly need not be measured. */
async function check(store: Store, name: string): Promise<void> {
  type Note = Partial<ReturnType<typeof fieldsOf>> | undefined
  const { inner, ...texts } = fieldsOf(1)
  const id = mainOf(1)
  const notes = [await store.record(id), ...((await store.records?.([id])) ?? [])] as Note[]
  for (const note of notes) {
    const right = Object.entries(texts).every(([key, text]) => note?.[key as 'title'] === text)
    if (!right || note?.inner?.detail !== inner.detail)
      throw new Error(`${name} reads ${JSON.stringify(note)} for record 1`)
  }
  const found = await store.find('the_title', texts.title)
  if ((await store.point(id + 1)) !== texts.title || found === undefined)
    throw new Error(`${name} does not find the title of record 1`)
}
