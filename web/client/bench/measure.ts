import { type Cost, Costs, isPromise, measureRepeated, type ProcessorClock } from './cost.ts'
import { count, type Data, fieldsOf, mainOf, makeData } from './data.ts'
import type { Library, Store } from './library/library.ts'

/** The columns of the result, with their units. */
export const columns = {
  load: 'load (ms)',
  point: 'point read (µs)',
  find: 'look-up by (type, value) (µs)',
  build: 'build all records, cold (ms)',
  update: 'one update that notifies one of 1,000 subscribers (µs)',
  updateEach: 'one update of each of 1,000 records, all subscribers notified (µs)',
  create: 'create 1 record offline (µs)',
} as const

export type Column = keyof typeof columns

/** The environment of a measurement. */
export interface Environment extends ProcessorClock {
  /** Called when a column is started, and with its cost so far. */
  report(column: Column, cost?: Cost): void
  /** Columns that are not measured. */
  readonly skippedColumns: readonly Column[]
}

/** The number of different ids and values that are read in turn. */
const distinctReads = 10_000

/** Measures all columns of a library. */
export async function measure(
  library: Library,
  environment: Environment,
  records = count,
): Promise<void> {
  const { skippedColumns, report } = environment
  const data = makeData(records)
  const store = await measureLoading(library, data, environment, records)
  await check(store, library.name)
  const settled = () => store.settled?.()
  const measureColumn = async (
    name: Column,
    begin: () => Promise<(i: number) => unknown>,
  ): Promise<void> => {
    if (skippedColumns.includes(name)) return
    report(name)
    report(name, await measureRepeated(await begin(), settled, environment))
  }
  const ids = Array.from({ length: distinctReads }, (_, i) => mainOf((i * 7_919) % records) + 1)
  const titles = Array.from({ length: distinctReads }, (_, i) => `title ${(i * 7_919) % records}`)
  let sink = 0
  // Counting the results keeps the engine from skipping reads.
  const consume = (result: unknown) => {
    if (isPromise(result)) return result
    if (result !== undefined) sink++
    return undefined
  }
  await measureColumn('point', async () => (i) => consume(store.point(ids[i % distinctReads] ?? 0)))
  await measureColumn(
    'find',
    async () => (i) => consume(store.find('the_title', titles[i % distinctReads] ?? '')),
  )
  const watched = lazy(() => Subscribers.watch(store, Math.min(1_000, records)))
  await measureColumn('update', async () => (await watched()).updateOne)
  await measureColumn('updateEach', async () => (await watched()).updateEach)
  await measureColumn('create', async () => (i) => store.create(1e6 + i))
  await store.close()
  if (Number.isNaN(sink)) throw new Error('nothing was read')
}

/**
 * Loads new stores, and builds all records of each. Returns the last store. Loading includes reading a first record and
 * a first value, because some libraries build their indexes then.
 */
async function measureLoading(
  library: Library,
  data: Data,
  environment: Environment,
  records: number,
): Promise<Store> {
  const { skippedColumns, report } = environment
  const all = Array.from({ length: records }, (_, n) => mainOf(n))
  const [loading, building] = [new Costs(environment), new Costs(environment)]
  for (;;) {
    report('load')
    const store = await loading.measure(
      async () => {
        const store = await library.load(data)
        await store.record(mainOf(0))
        await store.find('the_title', 'title 0')
        return store
      },
      (store) => store.settled?.(),
    )
    if (!skippedColumns.includes('load')) report('load', loading.cost)
    if (!skippedColumns.includes('build')) {
      report('build')
      await building.measure(async () => {
        if (store.records) await store.records(all)
        else for (const id of all) store.record(id)
      })
      report('build', building.cost)
    }
    if (
      (skippedColumns.includes('load') && skippedColumns.includes('build')) ||
      loading.hasEnoughRounds(building)
    )
      return store
    await store.close()
  }
}

/** Subscribers to the first records of a store, and the two ways in which those records are updated. */
class Subscribers {
  readonly #store: Store
  readonly #count: number
  #notified = (_subscriber: number) => {}
  #updates = 0

  private constructor(store: Store, count: number) {
    this.#store = store
    this.#count = count
  }

  static async watch(store: Store, count: number): Promise<Subscribers> {
    const subscribers = new Subscribers(store, count)
    for (let n = 0; n < count; n++) await store.watch(mainOf(n), () => subscribers.#notified(n))
    return subscribers
  }

  /** Updates one record. Resolves when its subscriber has read it. */
  readonly updateOne = async (i: number): Promise<void> => {
    const notified = new Promise<void>((done) => {
      this.#notified = () => done()
    })
    await this.#store.update(mainOf((i * 7) % this.#count), `p${this.#updates++}`)
    await notified
  }

  /** Updates each record once. Resolves when all subscribers have read theirs. */
  readonly updateEach = async (): Promise<void> => {
    const waiting = new Set<number>(Array(this.#count).keys())
    const notified = new Promise<void>((done) => {
      this.#notified = (subscriber) => {
        if (waiting.delete(subscriber) && waiting.size === 0) done()
      }
    })
    const updates: unknown[] = []
    for (let n = 0; n < this.#count; n++)
      updates.push(this.#store.update(mainOf(n), `p${this.#updates++}`))
    await Promise.all(updates)
    await notified
  }
}

/** Returns a function that calls `make` once, when it is first called. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Throws if the library returns wrong data. */
async function check(store: Store, name: string): Promise<void> {
  type Note = Partial<ReturnType<typeof fieldsOf>> | undefined
  const { inner, ...texts } = fieldsOf(1)
  const id = mainOf(1)
  const notes = [await store.record(id), ...((await store.records?.([id])) ?? [])] as Note[]
  for (const note of notes) {
    const isCorrect = Object.entries(texts).every(([key, text]) => note?.[key as 'title'] === text)
    if (!isCorrect || note?.inner?.detail !== inner.detail)
      throw new Error(`${name} reads ${JSON.stringify(note)} for record 1`)
  }
  const found = await store.find('the_title', texts.title)
  if ((await store.point(id + 1)) !== texts.title || found === undefined)
    throw new Error(`${name} does not find the title of record 1`)
}
