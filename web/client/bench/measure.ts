import { count, type Data, mainOf, makeData } from './data.ts'
import type { Library } from './library/library.ts'

/** What one library took, by the name of the column. */
export type Times = Record<Column, number>

export type Column = keyof typeof columns

/** What is measured, and in what. */
export const columns = {
  load: 'load (ms)',
  point: 'point read (µs)',
  find: 'look-up by (type, value) (µs)',
  build: 'build all records, cold (ms)',
  update: 'one update → its one subscriber of 1,000 (µs)',
  create: 'create 1 record offline (µs)',
} as const

/** Each number is the median of up to so many rounds, fewer where a round takes seconds. */
const rounds = 9
const fewest = 3
/** How many different questions are asked again and again. */
const spread = 10_000
/** Milliseconds that the rounds of one column may take. */
const budget = 15_000

/** Milliseconds of work so far: of the processor where that can be known, else by the clock. */
const now =
  typeof process === 'undefined'
    ? () => performance.now()
    : () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1_000
      }

/** Asks a library all questions, over so many records. */
export async function measured(library: Library, records = count): Promise<Times> {
  const data = makeData(records)
  const { store, load, build } = await loads(library, data, records)
  const ids = Array.from({ length: spread }, (_, i) => mainOf((i * 7_919) % records) + 1)
  const titles = Array.from({ length: spread }, (_, i) => `title ${(i * 7_919) % records}`)
  let sink = 0
  const keep = (answer: unknown) => {
    if (answer instanceof Promise) return answer
    if (answer !== undefined) sink++
    return undefined
  }
  const point = await each((i) => keep(store.point(ids[i % spread] ?? 0)))
  const find = await each((i) => keep(store.find('the_title', titles[i % spread] ?? '')))
  let told = 0
  let heard = () => {}
  const subscribers = Math.min(1_000, records)
  for (let n = 0; n < subscribers; n++)
    await store.watch(mainOf(n), () => {
      told++
      heard()
    })
  let price = 0
  let deaf = false
  const updated = await each(async (i: number) => {
    if (deaf) return
    const hears = new Promise<boolean>((done) => {
      heard = () => done(true)
      setTimeout(done, 5_000, false)
    })
    await store.update(mainOf((i * 7) % subscribers), `p${price++}`)
    if (!(await hears)) deaf = true
  })
  const update = deaf ? Number.NaN : updated
  const create = await each((i) => store.create(1e6 + i))
  await store.close()
  if (!deaf && told < price) throw new Error(`${library.name} told ${told} of ${price} updates`)
  if (Number.isNaN(sink)) throw new Error('nothing was read')
  return { load, point, find, build, update, create }
}

/** Loading ends when a first record and a first value are found: some make their indexes then. */
async function loads(library: Library, data: Data, records: number) {
  const [load, build]: number[][] = [[], []]
  for (const start = performance.now(); ; ) {
    const before = now()
    const store = await library.load(data)
    await store.record(mainOf(0))
    await store.find('the_title', 'title 0')
    const loaded = now()
    for (let n = 0; n < records; n++) {
      const record = store.record(mainOf(n))
      if (record instanceof Promise) await record
    }
    load?.push(loaded - before)
    build?.push(now() - loaded)
    const taken = performance.now() - start
    const enough = load?.length === rounds || (taken > budget && (load?.length ?? 0) >= fewest)
    if (enough) return { store, load: median(load ?? []), build: median(build ?? []) }
    await store.close()
  }
}

/** Microseconds that something done again and again takes, by the clock, once the engine knows it. */
async function each(work: (i: number) => unknown): Promise<number> {
  const times: number[] = []
  let i = 0
  const run = async (n: number) => {
    const start = performance.now()
    for (let k = 0; k < n; k++) {
      const done = work(i++)
      if (done instanceof Promise) await done
    }
    return performance.now() - start
  }
  // So often that a round takes 50 ms.
  let n = 1
  while (n < 100_000 && (await run(n)) < 25) n *= 2
  const start = performance.now()
  while (times.length < rounds) {
    times.push(((await run(n)) * 1_000) / n)
    if (performance.now() - start > budget && times.length >= fewest) break
  }
  return median(times)
}

export const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN
